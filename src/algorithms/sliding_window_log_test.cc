#include "algorithms/sliding_window_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/sliding_window_log.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

RC_GTEST_PROP(SlidingWindowLog, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::SlidingWindowLog>(any_limit(Algorithm::kSlidingWindowLog), *any_forward_steps());
}

RC_GTEST_PROP(SlidingWindowLog, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::SlidingWindowLog>(any_limit(Algorithm::kSlidingWindowLog), *any_steps());
}

}  // namespace
}  // namespace sluice
