#include "algorithms/sliding_window_counter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/sliding_window_counter.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

RC_GTEST_PROP(SlidingWindowCounter, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::SlidingWindowCounter>(any_limit(Algorithm::kSlidingWindowCounter), *any_forward_steps());
}

RC_GTEST_PROP(SlidingWindowCounter, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::SlidingWindowCounter>(any_limit(Algorithm::kSlidingWindowCounter), *any_steps());
}

}  // namespace
}  // namespace sluice
