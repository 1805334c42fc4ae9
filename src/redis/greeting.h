// The first commands of a connection, and what their answers must be.
#pragma once

#include <string>
#include <vector>

#include "redis/options.h"
#include "redis/reply.h"

namespace sluice::redis {

class Greeting {
 public:
  enum class Role : uint8_t { kMaster, kAny };

  // Who we are, which database, whether the server is what it should be, the commands, and whether it answers at all.
  Greeting(const Credentials& credentials, int database, Role role, const std::vector<std::string>& commands);

  const std::string& bytes() const { return bytes_; }
  size_t count() const { return steps_.size(); }

  // What is wrong with the answer to one of the commands; empty if nothing is.
  std::string objection(size_t index, const Reply& reply) const;

 private:
  enum class Step : uint8_t { kAuth, kSelect, kRole, kCommand, kPing };

  void add(Step step, std::initializer_list<std::string_view> words);

  std::string bytes_;
  std::vector<Step> steps_;
  int database_;
};

}  // namespace sluice::redis
