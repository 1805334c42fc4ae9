#include "redis/greeting.h"

#include "redis/request.h"

namespace sluice::redis {
namespace {

std::string said(const Reply& reply) { return "'" + std::string(reply.text()) + "'"; }

// Whoever has not said who they are may not even send a long command.
bool wants_password(const Reply& reply) {
  return reply.is_error() &&
         (reply.text().starts_with("NOAUTH") || reply.text().find("unauthenticated") != std::string_view::npos);
}

// A server that may not say what it is, is believed to be a master: it will say READONLY if it is not.
std::string object_to_role(const Reply& reply) {
  if (!reply.is_array() || reply.elements().empty() || reply.elements()[0].text() == "master") return {};
  return "the server is a " + std::string(reply.elements()[0].text()) + ", and a master is needed";
}

}  // namespace

Greeting::Greeting(const Credentials& credentials, int database, Role role, const std::vector<std::string>& commands)
    : database_(database) {
  if (!credentials.user.empty()) {
    add(Step::kAuth, {"AUTH", credentials.user, credentials.password});
  } else if (!credentials.password.empty()) {
    add(Step::kAuth, {"AUTH", credentials.password});
  }
  if (database != 0) add(Step::kSelect, {"SELECT", std::to_string(database)});
  if (role == Role::kMaster) add(Step::kRole, {"ROLE"});
  for (const std::string& command : commands) {
    bytes_ += command;
    steps_.push_back(Step::kCommand);
  }
  // Refused while a server reads its data, unlike those before.
  add(Step::kPing, {"PING"});
}

void Greeting::add(Step step, std::initializer_list<std::string_view> words) {
  append_command(bytes_, words);
  steps_.push_back(step);
}

std::string Greeting::objection(size_t index, const Reply& reply) const {
  const Step step = steps_[index];
  if (wants_password(reply)) return "the server wants a password: " + said(reply) + "; give it in the URL";
  if (step == Step::kRole) return object_to_role(reply);
  if (!reply.is_error()) return {};
  if (reply.text().starts_with("LOADING")) return "the server still reads its data: " + said(reply);
  switch (step) {
    case Step::kAuth: return "the server refuses the user or the password: " + said(reply) + "; check them in the URL";
    case Step::kSelect: return "the server refuses the database " + std::to_string(database_) + ": " + said(reply);
    case Step::kRole:
    case Step::kCommand: return "the server refuses a command that is needed: " + said(reply);
    // A user who may not do even that is answered, and that is what was asked.
    case Step::kPing: break;
  }
  if (reply.text().starts_with("NOPERM")) return {};
  return "the server does not want us: " + said(reply);
}

}  // namespace sluice::redis
