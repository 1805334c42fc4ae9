"""A Redis that is there and troubles its clients: slow, without its scripts or memory, hanging up, of another time."""

import os
import time
import unittest

from fleet import seconds
from laws import BURST, Laws, RATE
from redis_server import RedisServer
from slow_proxy import SlowProxy

FOR_S = seconds(2, 10)
MOST = 0.9


class RedisTrouble(Laws):
    def setUp(self):
        self.redis = self.enterContext(RedisServer())

    def hold_share(self, tally, share=MOST):
        """Nearly all that the bucket had was admitted: the trouble cost little."""
        self.assertGreaterEqual(tally.admitted, share * tally.ceiling(RATE, BURST), str(tally))

    def again_and_again(self, hammer, act):
        end = time.monotonic() + FOR_S
        while time.monotonic() < end:
            hammer.for_seconds(0.1)
            act()

    def test_five_milliseconds_of_delay_are_only_that(self):
        with SlowProxy(self.redis.port) as proxy, self.fleet(f"redis://127.0.0.1:{proxy.port}") as servers:
            proxy.delay(0.005)
            with self.hammering(servers) as hammer:
                hammer.for_seconds(FOR_S)
        self.hold(hammer.tally())
        self.assertLess(hammer.tally().degraded, 0.1 * len(hammer.tally().answers))

    def test_a_delay_beyond_the_time_out_is_not_waited_for(self):
        with SlowProxy(self.redis.port) as proxy, self.fleet(f"redis://127.0.0.1:{proxy.port}") as servers, \
                self.hammering(servers) as hammer:
            hammer.for_seconds(0.5)
            proxy.delay(0.2)
            since = time.time()
            hammer.for_seconds(FOR_S)
            proxy.delay(0)
            slow = hammer.tally().since(since)
            self.recover(hammer, time.time())
        self.hold(hammer.tally())
        self.assertGreater(slow.degraded, 0.8 * len(slow.answers), str(slow))

    def test_scripts_that_are_flushed_are_loaded_again(self):
        with self.fleet(self.redis.url()) as servers, self.hammering(servers) as hammer:
            self.again_and_again(hammer, lambda: self.redis.ask("SCRIPT", "FLUSH"))
        self.hold(hammer.tally())
        self.hold_share(hammer.tally())

    def test_connections_that_are_killed_are_made_again(self):
        with self.fleet(self.redis.url()) as servers, self.hammering(servers) as hammer:
            self.again_and_again(hammer, lambda: self.redis.ask("CLIENT", "KILL", "TYPE", "normal"))
            self.recover(hammer, time.time())
        self.hold(hammer.tally())

    def test_a_redis_without_memory_decides_nothing_and_ends_nothing(self):
        with self.fleet(self.redis.url()) as servers, self.hammering(servers) as hammer:
            hammer.for_seconds(0.5)
            self.redis.ask("CONFIG", "SET", "maxmemory", "1")
            since = time.time()
            hammer.for_seconds(FOR_S)
            without = hammer.tally().since(since)
            self.redis.ask("CONFIG", "SET", "maxmemory", "0")
            self.recover(hammer, time.time())
        self.hold(hammer.tally())
        self.assertGreater(without.degraded, 0)

    def test_a_redis_that_is_busy_for_a_second_is_not_waited_for(self):
        with self.fleet(self.redis.url()) as servers, self.hammering(servers) as hammer:
            hammer.for_seconds(0.5)
            self.redis.ask("DEBUG", "SLEEP", "1")
            self.recover(hammer, time.time())
        self.hold(hammer.tally())

    @unittest.skipIf(os.environ.get("SLUICE_SANITIZE"), "a sanitizer and faketime both want to be loaded first")
    def test_servers_whose_clocks_are_an_hour_off_share_the_bucket_all_the_same(self):
        with self.fleet(self.redis.url(), clocks=("+1h", "-1h")) as servers, self.hammering(servers) as hammer:
            hammer.for_seconds(FOR_S)
        self.hold(hammer.tally())
        self.hold_share(hammer.tally())
        self.assertEqual({answer.server for answer in hammer.tally().answers if answer.allowed}, {0, 1, 2})


if __name__ == "__main__":
    unittest.main()
