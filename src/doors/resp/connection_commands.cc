#include <algorithm>
#include <string>

#include "doors/resp/command_table.h"
#include "doors/resp/handlers.h"
#include "doors/resp/number.h"
#include "doors/resp/server_facts.h"
#include "net/endpoint.h"
#include "rules/letter_case.h"

namespace sluice::doors::resp {
namespace {

using rules::equal_ignoring_case;

constexpr size_t kLongestClientName = 256;

// Printable and without blanks, so that lists of clients stay readable.
bool is_name(std::string_view name) {
  return name.size() <= kLongestClientName &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

ClientNames& names_of(Client& client) {
  if (client.names == nullptr) client.names = std::make_unique<ClientNames>();
  return *client.names;
}

bool set_name(Call& call, std::string_view name) {
  if (!is_name(name)) {
    call.reply.error("ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
  }
  names_of(call.client).name = name;
  return true;
}

// There is one user, `default`, whose password is the token.
bool authenticate(Call& call, std::string_view user, std::string_view token) {
  const bool is_right = user == "default" && call.service.options.access.allows(token);
  if (is_right) {
    call.client.is_authenticated = true;
  } else {
    call.reply.error("WRONGPASS invalid username-password pair or user is disabled.");
  }
  return is_right;
}

void reply_hello(Call& call) {
  Reply& reply = call.reply;
  reply.begin_map(7);
  reply.bulk("server");
  reply.bulk("sluice");
  reply.bulk("version");
  reply.bulk(kRedisVersion);
  reply.bulk("proto");
  reply.integer(static_cast<int64_t>(call.client.protocol));
  reply.bulk("id");
  reply.integer(static_cast<int64_t>(call.client.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.begin_array(0);
}

// The options behind the version. False when one was answered with an error.
bool read_hello_options(Call& call, std::string_view& name) {
  for (size_t i = 2; i < call.count();) {
    const std::string_view option = call.argument(i);
    if (equal_ignoring_case(option, "AUTH") && i + 2 < call.count()) {
      if (!authenticate(call, call.argument(i + 1), call.argument(i + 2))) return false;
      i += 3;
    } else if (equal_ignoring_case(option, "SETNAME") && i + 1 < call.count()) {
      name = call.argument(i + 1);
      i += 2;
    } else {
      call.reply.error("ERR Syntax error in HELLO option '" + std::string(option.substr(0, 64)) + "'");
      return false;
    }
  }
  return true;
}

std::string address_of(const net::Peer& peer) {
  return peer.is_local ? "unix:0" : net::to_text({std::string(peer.address), peer.port, ""});
}

// Clients read all fields that Redis has, even those of which there is nothing to tell here.
constexpr std::string_view kNothingToTell =
    " idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 obl=0 oll=0 omem=0 "
    "tot-mem=0 events=r cmd=client|info user=default redir=-1 resp=";

std::string client_line(const Client& client, Duration now) {
  const ClientNames none;
  const ClientNames& names = client.names != nullptr ? *client.names : none;
  return "id=" + std::to_string(client.id) + " addr=" + address_of(client.peer) + " name=" + names.name +
         " age=" + std::to_string(std::max<int64_t>(now.ns - client.since.ns, 0) / 1'000'000'000) +
         std::string(kNothingToTell) + std::to_string(static_cast<int>(client.protocol)) +
         " lib-name=" + names.library + " lib-ver=" + names.library_version + "\n";
}

void answer_setinfo(Call& call) {
  const std::string_view attribute = call.argument(2);
  const bool is_version = equal_ignoring_case(attribute, "LIB-VER");
  if (!is_version && !equal_ignoring_case(attribute, "LIB-NAME")) {
    return call.reply.error("ERR Unrecognized option '" + std::string(attribute.substr(0, 64)) + "'");
  }
  if (!is_name(call.argument(3))) {
    return call.reply.error("ERR " + std::string(is_version ? "lib-ver" : "lib-name") +
                            " cannot contain spaces, newlines or special characters.");
  }
  (is_version ? names_of(call.client).library_version : names_of(call.client).library) = call.argument(3);
  call.reply.ok();
}

void answer_getname(Call& call) {
  const ClientNames* const names = call.client.names.get();
  names == nullptr || names->name.empty() ? call.reply.null() : call.reply.bulk(names->name);
}

void answer_on_off(Call& call) {
  const bool is_known = equal_ignoring_case(call.argument(2), "ON") || equal_ignoring_case(call.argument(2), "OFF");
  is_known ? call.reply.ok() : call.reply.error("ERR syntax error");
}

void answer_reply_mode(Call& call) {
  if (equal_ignoring_case(call.argument(2), "ON")) return call.reply.ok();
  call.reply.error("ERR every command is answered here: CLIENT REPLY knows only ON");
}

struct Subcommand {
  std::string_view name;
  size_t arguments;  // the two names among them
  void (*answer)(Call&);
};

constexpr Subcommand kClientSubcommands[] = {
    {"GETNAME", 2, answer_getname},
    {"ID", 2, [](Call& call) { call.reply.integer(static_cast<int64_t>(call.client.id)); }},
    {"INFO", 2, [](Call& call) { call.reply.bulk(client_line(call.client, call.service.desk.time.since_epoch())); }},
    {"NO-EVICT", 3, answer_on_off},
    {"NO-TOUCH", 3, answer_on_off},
    {"REPLY", 3, answer_reply_mode},
    {"SETINFO", 4, answer_setinfo},
    {"SETNAME", 3,
     [](Call& call) {
       if (set_name(call, call.argument(2))) call.reply.ok();
     }},
};

}  // namespace

void answer_ping(Call& call) {
  if (call.count() > 2) return reply_wrong_arity(call.reply, "ping");
  call.count() == 2 ? call.reply.bulk(call.argument(1)) : call.reply.simple("PONG");
}

void answer_echo(Call& call) { call.reply.bulk(call.argument(1)); }

void answer_hello(Call& call) {
  int64_t version = static_cast<int64_t>(call.client.protocol);
  if (call.count() > 1 && !read_integer(call.argument(1), version)) {
    return call.reply.error("ERR Protocol version is not an integer or out of range");
  }
  if (version != 2 && version != 3) return call.reply.error("NOPROTO unsupported protocol version");
  std::string_view name;
  if (!read_hello_options(call, name)) return;
  if (!call.client.is_authenticated) {
    return call.reply.error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> "
        "<pass> option can be used to authenticate the client and select the RESP protocol version at the same time");
  }
  if (!name.empty() && !set_name(call, name)) return;
  call.client.protocol = version == 3 ? Protocol::kResp3 : Protocol::kResp2;
  reply_hello(call);
}

void answer_auth(Call& call) {
  if (call.count() > 3) return call.reply.error("ERR syntax error");
  if (!call.service.options.access.needs_token() && call.count() == 2) {
    return call.reply.error(
        "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
        "configuration is correct?");
  }
  const bool has_user = call.count() == 3;
  if (authenticate(call, has_user ? call.argument(1) : "default", call.argument(call.count() - 1))) call.reply.ok();
}

void answer_client(Call& call) {
  const std::string_view name = call.argument(1);
  for (const Subcommand& one : kClientSubcommands) {
    if (!equal_ignoring_case(name, one.name)) continue;
    return one.arguments == call.count() ? one.answer(call)
                                         : reply_wrong_arity(call.reply, "client|" + std::string(one.name));
  }
  call.reply.error("ERR unknown subcommand '" + std::string(name.substr(0, 64)) + "' of CLIENT");
}

void answer_select(Call& call) {
  int64_t index = 0;
  if (!read_integer(call.argument(1), index)) return call.reply.error("ERR value is not an integer or out of range");
  index == 0 ? call.reply.ok() : call.reply.error("ERR DB index is out of range");
}

void answer_quit(Call& call) {
  call.reply.ok();
  call.closes = true;
}

void answer_reset(Call& call) {
  call.client.protocol = Protocol::kResp2;
  call.client.names.reset();
  call.client.is_authenticated = !call.service.options.access.needs_token();
  call.reply.simple("RESET");
}

}  // namespace sluice::doors::resp
