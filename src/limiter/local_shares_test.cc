#include "limiter/local_shares.h"

#include <gtest/gtest.h>

namespace sluice::limiter {
namespace {

TEST(LocalShares, RateAndCapacityAreDivided) {
  const Limit share = share_of(*Limit::token_bucket(10, 50), 5);
  EXPECT_EQ(share, *Limit::token_bucket(2, 10));
  EXPECT_EQ(share_of(*Limit::leaky_queue(*Rate::per_second(3), Tokens::whole(9)), 3),
            *Limit::leaky_queue(*Rate::per_second(1), Tokens::whole(3)));
}

TEST(LocalShares, WindowsKeepTheirLength) {
  const Limit window = *Limit::sliding_window_log(Tokens::whole(100), Duration::seconds(60));
  EXPECT_EQ(share_of(window, 4), *Limit::sliding_window_log(Tokens::whole(25), Duration::seconds(60)));
}

TEST(LocalShares, OneServerHasItAll) {
  const Limit limit = *Limit::fixed_window(Tokens::whole(7), Duration::seconds(1));
  EXPECT_EQ(share_of(limit, 1), limit);
  EXPECT_EQ(share_of(limit, 0), limit);
}

TEST(LocalShares, ARequestOfOneTokenCanStillPass) {
  EXPECT_EQ(share_of(*Limit::token_bucket(10, 3), 100).capacity(), kOneToken);
  EXPECT_EQ(share_of(*Limit::token_bucket(10, 0.5), 100).capacity(), Tokens::micros(500'000));
  EXPECT_EQ(share_of(*Limit::token_bucket(1e-9, 1), 100), *Limit::token_bucket(1e-9, 1));
}

TEST(LocalShares, AreMadeOnceForEachNumberOfServers) {
  LocalShares shares;
  const Limit limit = *Limit::token_bucket(10, 50);
  shares.begin(2);
  const Limit* const first = &shares.of(limit);
  EXPECT_EQ(first->capacity(), Tokens::whole(25));
  shares.begin(2);
  EXPECT_EQ(&shares.of(limit), first);
  shares.begin(5);
  EXPECT_EQ(shares.of(limit).capacity(), Tokens::whole(10));
}

}  // namespace
}  // namespace sluice::limiter
