// One call of the script on its way: the asks it answers, and the command. Reused for one call after another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redis/client.h"
#include "stores/redis/question.h"
#include "stores/redis/unreadable.h"
#include "stores/store.h"

namespace sluice::redis_store {

class ScriptCall;

// Who made it, and gets it back.
class ScriptCallOwner {
 public:
  virtual void on_done(ScriptCall& call) = 0;

 protected:
  ~ScriptCallOwner() = default;
};

// What all calls of a store have in common. All must outlive them.
struct ScriptTerms {
  redis::Client& client;
  std::string prefix;
  std::string channel;  // gets the names of buckets of which others must hear
  Unreadable& unreadable;
};

class ScriptCall final : public redis::Request {
 public:
  ScriptCall(const ScriptTerms& terms, ScriptCallOwner& owner)
      : terms_(terms), owner_(owner), question_(terms.prefix) {}

  // False when there is no room for all its takes. The time of all counts from when the first began to wait.
  bool add(stores::Ask& ask, int64_t asked_since_ns);
  // The buckets must be in this slot of a Cluster. The asks are told later, and then its owner. False: it was refused,
  // and they are yet to be told.
  bool send(uint16_t its_slot);
  void fail();
  bool was_sent() const { return was_sent_; }

 private:
  void on_reply(const redis::Reply& reply) override;
  void on_failure(redis::Failure failure) override;
  bool is_refusal(std::string_view error) const override;
  void write_command(std::string_view name, std::string_view script);
  void tell(stores::Progress progress);

  const ScriptTerms& terms_;
  ScriptCallOwner& owner_;
  Question question_;
  // Written once: when it has to be sent again, those who asked for tokens to be given back may have gone.
  std::string_view program_;
  std::vector<std::string_view> words_;
  std::vector<stores::Ask*> told_;
  std::vector<stores::Ask*> undecided_;
  std::string key_count_;
  bool was_sent_ = false;
  bool has_sent_text_ = false;
};

}  // namespace sluice::redis_store
