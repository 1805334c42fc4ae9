#include "stores/redis/script_call.h"

#include <algorithm>

#include "stores/redis/script.h"

namespace sluice::redis_store {

using stores::Progress;

namespace {

bool is_forgotten(std::string_view error) { return error.starts_with("NOSCRIPT"); }

}  // namespace

bool ScriptCall::add(stores::Ask& ask, int64_t asked_since_ns) {
  if (!question_.add(ask)) return false;
  since_ns = since_ns == 0 ? asked_since_ns : std::min(since_ns, asked_since_ns);
  return true;
}

bool ScriptCall::send(uint16_t its_slot) {
  slot = its_slot;
  has_sent_text_ = false;
  program_ = question_.program();
  write_command("EVALSHA", script_sha1());
  was_sent_ = terms_.client.send(*this);
  return was_sent_;
}

void ScriptCall::write_command(std::string_view name, std::string_view script) {
  const auto names = question_.names();
  key_count_ = std::to_string(names.size());
  words_.assign({name, script, key_count_});
  words_.insert(words_.end(), names.begin(), names.end());
  words_.push_back(program_);
  words_.push_back(terms_.channel);
  command.clear();
  redis::append_command(command, words_);
}

void ScriptCall::on_reply(const redis::Reply& reply) {
  // Connections load the script when they begin; somebody made the server forget it since.
  if (reply.is_error() && is_forgotten(reply.text()) && !has_sent_text_) {
    has_sent_text_ = true;
    write_command("EVAL", script_text());
    if (terms_.client.send(*this)) return;
  }
  const bool is_answered = reply.is_text() && question_.answer(reply.text());
  if (!question_.unreadable().empty()) terms_.unreadable.note(question_.unreadable());
  tell(is_answered ? Progress::kAnswered : Progress::kUnavailable);
}

// The script itself meets no error that depends on what it is asked: a user lacks rights, or a server is none for us.
bool ScriptCall::is_refusal(std::string_view error) const { return !is_forgotten(error); }

void ScriptCall::on_failure(redis::Failure) { fail(); }

void ScriptCall::fail() { tell(Progress::kUnavailable); }

// Who is told may ask again, and must not get this call while others are yet to be told.
void ScriptCall::tell(Progress progress) {
  told_.assign(question_.asks().begin(), question_.asks().end());
  undecided_.assign(question_.undecided().begin(), question_.undecided().end());
  question_.clear();
  since_ns = 0;
  for (stores::Ask* const ask : told_) {
    const bool is_undecided = std::find(undecided_.begin(), undecided_.end(), ask) != undecided_.end();
    ask->listener->on_answer(is_undecided ? Progress::kUnavailable : progress);
  }
  owner_.on_done(*this);
  was_sent_ = false;
}

}  // namespace sluice::redis_store
