#include <string>

#include "doors/resp/command_table.h"
#include "doors/resp/handlers.h"
#include "doors/resp/server_facts.h"
#include "rules/letter_case.h"

namespace sluice::doors::resp {
namespace {

using rules::equal_ignoring_case;

// Name, arity, flags, first, last and step of keys, categories, tips, key specifications, subcommands: as in Redis 7.
void reply_command(Reply& reply, const Command& command) {
  reply.begin_array(10);
  reply.bulk(command.name);
  reply.integer(command.arity);
  reply.begin_array(command.has_key ? 2 : 1);
  reply.simple("fast");
  if (command.has_key) reply.simple("write");
  for (int i = 0; i < 3; ++i) reply.integer(command.has_key ? 1 : 0);
  for (int i = 0; i < 4; ++i) reply.begin_array(0);
}

void reply_docs(Reply& reply, const Command& command) {
  reply.bulk(command.name);
  reply.begin_map(4);
  reply.bulk("summary");
  reply.bulk(command.summary);
  reply.bulk("since");
  reply.bulk("0.1.0");
  reply.bulk("group");
  reply.bulk(command.name.find("throttle") != std::string_view::npos || command.name.starts_with("sluice.")
                 ? "rate-limiting"
                 : "connection");
  reply.bulk("complexity");
  reply.bulk("O(1)");
}

void reply_infos(Call& call) {
  if (call.count() == 2) {
    call.reply.begin_array(commands().size());
    for (const Command& command : commands()) reply_command(call.reply, command);
    return;
  }
  call.reply.begin_array(call.count() - 2);
  for (size_t i = 2; i < call.count(); ++i) {
    const Command* const command = find_command(call.argument(i));
    command != nullptr ? reply_command(call.reply, *command) : call.reply.null();
  }
}

void reply_all_docs(Call& call) {
  if (call.count() == 2) {
    call.reply.begin_map(commands().size());
    for (const Command& command : commands()) reply_docs(call.reply, command);
    return;
  }
  size_t known = 0;
  for (size_t i = 2; i < call.count(); ++i) known += find_command(call.argument(i)) != nullptr ? 1 : 0;
  call.reply.begin_map(known);
  for (size_t i = 2; i < call.count(); ++i) {
    if (const Command* const command = find_command(call.argument(i))) reply_docs(call.reply, *command);
  }
}

struct Setting {
  std::string_view name;
  std::string_view value;
};

// redis-benchmark asks for these two; both are as in a Redis that keeps nothing on disk.
constexpr Setting kSettings[] = {{"appendonly", "no"}, {"save", ""}};

bool is_asked_for(const Call& call, const Setting& setting) {
  for (size_t i = 2; i < call.count(); ++i) {
    if (call.argument(i) == "*" || equal_ignoring_case(call.argument(i), setting.name)) return true;
  }
  return false;
}

}  // namespace

void answer_command(Call& call) {
  const std::string_view what = call.count() > 1 ? call.argument(1) : "";
  if (call.count() == 1) {
    call.reply.begin_array(commands().size());
    for (const Command& command : commands()) reply_command(call.reply, command);
  } else if (equal_ignoring_case(what, "COUNT")) {
    call.reply.integer(static_cast<int64_t>(commands().size()));
  } else if (equal_ignoring_case(what, "DOCS")) {
    reply_all_docs(call);
  } else if (equal_ignoring_case(what, "INFO")) {
    reply_infos(call);
  } else if (equal_ignoring_case(what, "LIST")) {
    call.reply.begin_array(commands().size());
    for (const Command& command : commands()) call.reply.bulk(command.name);
  } else {
    call.reply.error("ERR unknown subcommand '" + std::string(what.substr(0, 64)) + "' of COMMAND");
  }
}

void answer_config(Call& call) {
  if (!equal_ignoring_case(call.argument(1), "GET") || call.count() < 3) {
    return call.reply.error("ERR only CONFIG GET is known here: settings are those of sluice serve");
  }
  size_t found = 0;
  for (const Setting& setting : kSettings) found += is_asked_for(call, setting) ? 1 : 0;
  call.reply.begin_map(found);
  for (const Setting& setting : kSettings) {
    if (!is_asked_for(call, setting)) continue;
    call.reply.bulk(setting.name);
    call.reply.bulk(setting.value);
  }
}

// Sections are not told apart: there is little to tell. The counts are of the server, whichever loop is asked.
void answer_info(Call& call) {
  const limiter::Counts counts = call.service.desk.worker.requests();
  call.reply.bulk("# Server\r\nredis_version:" + std::string(kRedisVersion) +
                  "\r\nserver_name:sluice\r\nredis_mode:standalone\r\n\r\n# Persistence\r\nloading:0\r\n\r\n"
                  "# Replication\r\nrole:master\r\n\r\n# Decisions\r\nallowed:" +
                  std::to_string(counts.allowed) + "\r\nrejected:" + std::to_string(counts.rejected) + "\r\n");
}

}  // namespace sluice::doors::resp
