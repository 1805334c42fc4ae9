#include "algorithms/fixed_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/fixed_window.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

RC_GTEST_PROP(FixedWindow, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::FixedWindow>(any_limit(Algorithm::kFixedWindow), *any_forward_steps());
}

RC_GTEST_PROP(FixedWindow, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::FixedWindow>(any_limit(Algorithm::kFixedWindow), *any_steps());
}

}  // namespace
}  // namespace sluice
