// The leaky bucket, as a meter and as a queue, has no file of its own: see token_bucket.h.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/token_bucket.h"
#include "model/token_bucket.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

RC_GTEST_PROP(LeakyBucket, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kLeakyBucket), *any_steps());
}

RC_GTEST_PROP(LeakyQueue, AnswersAndDelaysAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kLeakyQueue), *any_steps());
}

}  // namespace
}  // namespace sluice
