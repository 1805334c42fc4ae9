// A home of the engine, as the scenarios see it: anything that can be asked for decisions at given instants.
// To replay every scenario in a new home, implement this and add one row to homes.cc.
#pragma once

#include <span>

#include "scenario/scenario.h"

namespace sluice::scenario {

struct Answer {
  Decision decision;
  // Until the bucket that the decision speaks of is full again.
  Duration reset_after;
};

// What a home's answers are rounded to: tokens down, waits up. A door that speaks of whole milliseconds says so here,
// and is held to every expectation at that precision.
struct Precision {
  Tokens tokens = Tokens::micros(1);
  Duration time = Duration(1);
};

// Starts without any bucket. Used by one thread. A home that cannot answer aborts the test: it never invents a
// decision.
class Home {
 public:
  Home() = default;
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  virtual ~Home() = default;

  // Called for every limit before the first step, and again when a limit is changed while its buckets live. Homes that
  // are given the limit with every request need not listen.
  virtual void define(const NamedLimit& /*limit*/) {}

  // Takes from all buckets or from none. Decision::bucket is an index into `takes`.
  virtual Answer take(std::span<const Take> takes, Instant now) = 0;

  // What take() would decide, with nothing taken: `remaining` is what is there now.
  virtual Answer peek(std::span<const Take> takes, Instant now) = 0;

  // Gives each cost back to its bucket.
  virtual void refund(std::span<const Take> takes, Instant now) = 0;

  virtual Precision precision() const { return {}; }
};

}  // namespace sluice::scenario
