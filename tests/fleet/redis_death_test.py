"""A Redis that dies, hangs or is cut off under load: nothing beyond the bucket, no hang, and soon all is well again."""

import time
import unittest

from fleet import seconds
from laws import BURST, Laws
from redis_server import PERSISTENT, RedisServer
from slow_proxy import SlowProxy

TIMES = seconds(1, 5)


class RedisDeath(Laws):
    def test_a_redis_that_forgets_is_killed_and_restarted(self):
        with RedisServer() as redis, self.fleet(redis.url()) as servers, self.hammering(servers) as hammer:
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                redis.restart()
                self.recover(hammer, time.time())
            hammer.for_seconds(0.5)
        # Each time it comes back with full buckets: that is what persistence is for.
        self.hold(hammer.tally(), lost=TIMES * BURST)

    def test_a_redis_that_remembers_is_killed_and_restarted(self):
        with RedisServer(**PERSISTENT) as redis, self.fleet(redis.url()) as servers, self.hammering(servers) as hammer:
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                redis.kill9()
                hammer.for_seconds(0.5)
                redis.start()
                self.recover(hammer, time.time())
            hammer.for_seconds(0.5)
        self.hold(hammer.tally())
        self.assertGreater(hammer.tally().degraded, 0)

    def test_a_redis_is_stopped_for_two_seconds(self):
        with RedisServer() as redis, self.fleet(redis.url()) as servers, self.hammering(servers) as hammer:
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                redis.pause()
                hammer.for_seconds(2)
                redis.resume()
                self.recover(hammer, time.time())
        self.hold(hammer.tally())
        self.assertGreater(hammer.tally().degraded, 0)

    def test_a_network_that_passes_nothing_on_and_then_all_of_it(self):
        with RedisServer() as redis, SlowProxy(redis.port) as proxy, \
                self.fleet(f"redis://127.0.0.1:{proxy.port}") as servers, self.hammering(servers) as hammer:
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                proxy.stall()
                hammer.for_seconds(0.5)
                proxy.flow()
                self.recover(hammer, time.time())
        self.hold(hammer.tally())

    def test_a_network_that_refuses_for_a_while(self):
        with RedisServer() as redis, SlowProxy(redis.port) as proxy, \
                self.fleet(f"redis://127.0.0.1:{proxy.port}") as servers, self.hammering(servers) as hammer:
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                proxy.refuse()
                hammer.for_seconds(0.5)
                proxy.accept()
                self.recover(hammer, time.time())
        self.hold(hammer.tally())


if __name__ == "__main__":
    unittest.main()
