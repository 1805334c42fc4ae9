#include "doors/resp/session.h"

#include <cstring>

#include "doors/resp/command_table.h"
#include "doors/resp/handlers.h"
#include "rules/letter_case.h"

namespace sluice::doors::resp {
namespace {

uint64_t word_of(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Letters differ from those of the other case by one bit; a dot must be one.
bool is_cl_throttle(std::string_view name) {
  constexpr uint64_t kLower = 0x2020202020202020;
  return name.size() == 11 && name[2] == '.' && (word_of(name.data()) | kLower) == word_of("cl.throt") &&
         (word_of(name.data() + 3) | kLower) == word_of("throttle");
}

// What a browser was made to send here by a page that it shows: Redis hangs up on these too.
bool is_of_http(std::string_view name) {
  return rules::equal_ignoring_case(name, "post") || rules::equal_ignoring_case(name, "host:");
}

bool is_throttle(const Command& command) {
  return command.answer == answer_cl_throttle || command.answer == answer_throttle;
}

}  // namespace

Session::Session(SessionMaker& maker, const net::Peer& peer)
    : maker_(maker), client_(peer, maker.take_client_id(), maker.desk_.time.since_epoch()) {
  client_.is_authenticated = !maker.options_.access.needs_token();
}

net::Consumed Session::on_bytes(std::string_view bytes, net::Turn turn) {
  Service& service = maker_.at(turn.seat);
  net::Output& output = turn.output;
  CallTime time(service.desk.time);
  Reply reply(output, client_.protocol);
  Call call{service, client_, {}, time, reply};
  const Limits before_authentication = Limits::before_authentication();
  size_t used = 0;
  size_t answered = 0;
  bool is_whole = true;
  while (is_whole && used < bytes.size() && !call.closes && output.has_room()) {
    const Limits& limits = client_.is_authenticated ? service.options.limits : before_authentication;
    const Parsed parsed = service.parser.parse(bytes.substr(used), limits, progress_);
    switch (parsed.found) {
      case Found::kCommand:
      case Found::kInline:
        call.arguments = service.parser.arguments();
        answer(call);
        if (parsed.found == Found::kInline) answer_batch(call);
        ++answered;
        break;
      case Found::kNothing: break;
      case Found::kPart: is_whole = false; break;
      case Found::kFault:
        answer_batch(call);
        reply.error("ERR " + std::string(service.parser.fault()));
        return {bytes.size(), net::Next::kClose};
    }
    used += parsed.size;
    if (is_whole) progress_ = {};
  }
  answer_batch(call);
  time.record(service.desk.figures.resp, answered);
  return {used, call.closes ? net::Next::kClose : net::Next::kRead};
}

void Session::answer(Call& call) {
  if (is_cl_throttle(call.argument(0)) && client_.is_authenticated && call.count() >= 5) [[likely]] {
    return answer_cl_throttle(call);
  }
  const Command* const command = find_command(call.argument(0));
  if (command == nullptr || !is_throttle(*command)) answer_batch(call);
  if (command == nullptr && is_of_http(call.argument(0))) {
    call.closes = true;
    return;
  }
  if (!client_.is_authenticated && (command == nullptr || command->needs_access)) {
    return call.reply.error("NOAUTH Authentication required.");
  }
  if (command == nullptr) return reply_unknown(call.reply, call.arguments);
  if (!command->takes(call.count())) {
    answer_batch(call);
    return reply_wrong_arity(call.reply, command->name);
  }
  command->answer(call);
}

std::unique_ptr<net::Session> SessionMaker::make(const net::Peer& peer) {
  return std::make_unique<Session>(*this, peer);
}

Service& SessionMaker::at(size_t seat) {
  if (seat >= services_.size()) services_.resize(seat + 1);
  if (services_[seat] == nullptr) services_[seat] = std::make_unique<Service>(desk_, options_);
  return *services_[seat];
}

uint64_t SessionMaker::take_client_id() {
  const uint64_t id = next_client_id_;
  next_client_id_ += options_.client_id_step;
  return id;
}

}  // namespace sluice::doors::resp
