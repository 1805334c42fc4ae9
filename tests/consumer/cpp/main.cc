// Calls every public class of the installed library once; what they do is tested elsewhere.
#include <cstdio>

#include "sluice.h"
#include "sluice/await.h"
#include "sluice/limiter.h"
#include "sluice/token_bucket.h"

namespace {

// A clock of the program's own: the library must know it as one of its kind.
class Stopped final : public sluice::Clock {
 public:
  sluice::Instant now() override { return sluice::Instant(7); }
};

bool limits_by_key(sluice::Clock& clock) {
  const auto limit = sluice::Limit::token_bucket(10, 2);
  auto limiter = sluice::Limiter::create(*limit, {.max_bytes = 1 << 20, .clock = &clock});
  if (!limiter || !limiter->take("a") || !limiter->take("a") || limiter->take("a") || !limiter->take("b")) return false;
  return limiter->wait_until("a") == sluice::Instant(7) + sluice::Duration::millis(100) && limiter->stats().keys == 2;
}

bool limits_one_thing(sluice::Clock& clock) {
  sluice::TokenBucket bucket(*sluice::Limit::token_bucket(10, 1), clock);
  return bucket.take() && !bucket.take() && dynamic_cast<Stopped*>(&bucket.clock()) != nullptr;
}

}  // namespace

int main() {
  Stopped clock;
  sluice::ManualClock by_hand;
  const bool is_fine = limits_by_key(clock) && limits_one_thing(clock) && by_hand.now() == sluice::Instant() &&
                       sluice::system_clock().now() > sluice::Instant() && !sluice::cost_of(-1);
  std::printf("sluice %s: %s\n", sluice_version(), is_fine ? "fine" : "not fine");
  return is_fine ? 0 : 1;
}
