#include "algorithms/token_bucket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/token_bucket.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

RC_GTEST_PROP(TokenBucket, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kTokenBucket), *any_forward_steps());
}

RC_GTEST_PROP(TokenBucket, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kTokenBucket), *any_steps());
}

}  // namespace
}  // namespace sluice
