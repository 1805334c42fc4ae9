// Where rules come from while a server runs, be it a file or a table: how they stand to it, and who is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/language/load.h"
#include "rules/model.h"

namespace sluice::rules {

// A database that is not reached, or not one that rules can be read from.
struct Absence {
  std::chrono::system_clock::time_point since;
  std::string why;
};

struct SourceStatus {
  uint64_t generation = 0;                          // how often rules were put in force; 0: there are none
  std::chrono::system_clock::time_point loaded_at;  // of these rules
  uint64_t refused = 0;                             // how often a load found faults, and changed nothing
  std::vector<Fault> faults;                        // of the last load; empty if it was good
  bool is_current = false;                          // what is in force is what the source said when it was last read
  bool is_table = false;                            // else a file
  std::optional<Absence> away{};                    // now; the last good rules stay in force. Never of a file.
};

// All on the thread of the source, one at a time; they must not destroy it.
struct SourceListener {
  std::function<void(std::shared_ptr<const RuleSet>)> rules;
  std::function<void(const std::vector<Fault>&)> faults;
  // Where a database is away, and when it is back (nothing): once each, not for every attempt.
  std::function<void(const std::optional<Absence>&)> away{};
};

// Thread-safe.
class Source {
 public:
  virtual ~Source() = default;

  virtual SourceStatus status() const = 0;
  // Loads again soon, even if the source is the same: what it names may not be.
  virtual void poke() = 0;
};

}  // namespace sluice::rules
