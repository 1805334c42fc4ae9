#include "doors/resp/command_table.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "doors/resp/handlers.h"
#include "rules/letter_case.h"

namespace sluice::doors::resp {
namespace {

constexpr std::string_view kCheckUsage =
    "[METHOD m] [PATH p] [HOST h] [IP a] [HEADER n v ...] [QUERY n v ...] [ATTR n v ...] [COST c] | "
    "KEY k RATE r BURST b [COST c] | {json}";

constexpr std::string_view kReserveUsage =
    "[METHOD m] [PATH p] [HOST h] [IP a] [HEADER n v ...] [QUERY n v ...] [ATTR n v ...] [COST c] [TTL ms] | "
    "KEY k RATE r BURST b [COST c] [TTL ms] | {json}";

// Sorted by name: they are found by halving.
constexpr Command kCommands[] = {
    {"auth", -2, answer_auth, "[username] token", "Says the token that this door wants.", false},
    {"cl.throttle", -5, answer_cl_throttle, "key max_burst count period [quantity]",
     "Takes from a bucket that the arguments describe, and answers as redis-cell does.", true, true},
    {"client", -2, answer_client, "GETNAME | ID | INFO | NO-EVICT | NO-TOUCH | REPLY ON | SETINFO | SETNAME",
     "What this connection is called, and other things that clients say when they connect."},
    {"command", -1, answer_command, "[COUNT | DOCS [name ...] | INFO [name ...] | LIST]", "Which commands there are."},
    {"config", -2, answer_config, "GET pattern ...", "Settings of Redis that tools ask for."},
    {"echo", 2, answer_echo, "message", "Answers what it was sent."},
    {"hello", -1, answer_hello, "[2 | 3 [AUTH username token] [SETNAME name]]",
     "Chooses the protocol, and says who is there.", false},
    {"info", -1, answer_info, "[section ...]", "How this server is."},
    {"ping", -1, answer_ping, "[message]", "Answers PONG, or the message."},
    {"quit", -1, answer_quit, "", "Closes the connection.", false},
    {"reset", 1, answer_reset, "", "Makes the connection as it was at first.", false},
    {"select", 2, answer_select, "index", "There is one database, 0."},
    {"sluice.check", -2, answer_check, kCheckUsage, "Decides a request by the rules, or by a limit of its own."},
    {"sluice.peek", -2, answer_peek, kCheckUsage, "What SLUICE.CHECK would decide; takes nothing."},
    {"sluice.refund", -2, answer_refund, kCheckUsage, "Gives back what SLUICE.CHECK took."},
    {"sluice.reserve", -2, answer_reserve, kReserveUsage,
     "Takes an estimate, and answers with a handle to settle what it really cost."},
    {"sluice.reset", -2, answer_reset_bucket, kCheckUsage, "Makes the buckets of a request full."},
    {"sluice.settle", 3, answer_settle, "handle cost", "Gives back what was not needed, or takes what was."},
    {"throttle", -5, answer_throttle, "key max_burst count period [quantity]",
     "The same in the dialect of throttlecrab.", true, true},
};

constexpr bool is_sorted() {
  for (size_t i = 1; i < std::size(kCommands); ++i) {
    if (kCommands[i - 1].name >= kCommands[i].name) return false;
  }
  return true;
}
static_assert(is_sorted());

constexpr size_t kLongestName = 16;

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  if (name.size() > kLongestName) return nullptr;
  char folded[kLongestName];
  std::transform(name.begin(), name.end(), folded, rules::to_lower);
  const std::string_view wanted(folded, name.size());
  const auto found =
      std::lower_bound(std::begin(kCommands), std::end(kCommands), wanted,
                       [](const Command& command, std::string_view text) { return command.name < text; });
  return found != std::end(kCommands) && found->name == wanted ? found : nullptr;
}

void reply_wrong_arity(Reply& reply, std::string_view name) {
  reply.error("ERR wrong number of arguments for '" + std::string(name) + "' command");
}

void reply_unknown(Reply& reply, std::span<const std::string_view> arguments) {
  constexpr size_t kShown = 128;
  std::string text =
      "ERR unknown command '" + std::string(arguments[0].substr(0, kShown)) + "', with args beginning with: ";
  std::string begin;
  for (size_t i = 1; i < arguments.size() && begin.size() < kShown; ++i) {
    begin += "'" + std::string(arguments[i].substr(0, kShown - begin.size())) + "' ";
  }
  reply.error(text + begin);
}

}  // namespace sluice::doors::resp
