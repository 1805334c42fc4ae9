// The one table of commands: a row for each is all that adds one.
#pragma once

#include <span>
#include <string_view>

#include "doors/resp/service.h"

namespace sluice::doors::resp {

struct Command {
  std::string_view name;  // in lower case
  // How many arguments, the name among them; at least that many where it is negative. As Redis writes it.
  int arity;
  void (*answer)(Call&);
  std::string_view usage;  // the arguments, for people
  std::string_view summary;
  bool needs_access = true;
  bool has_key = false;

  bool takes(size_t arguments) const {
    return arity < 0 ? arguments >= static_cast<size_t>(-arity) : arguments == static_cast<size_t>(arity);
  }
};

// By name.
std::span<const Command> commands();
// In any case; nullptr if there is none.
const Command* find_command(std::string_view name);

// `wrong number of arguments for 'x' command`.
void reply_wrong_arity(Reply& reply, std::string_view name);
// Names the command and its first arguments, but never at length.
void reply_unknown(Reply& reply, std::span<const std::string_view> arguments);

}  // namespace sluice::doors::resp
