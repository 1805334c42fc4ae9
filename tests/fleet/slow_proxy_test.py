"""What the other tests rest on: the proxy delays, holds, cuts and refuses what passes through it, when told to."""

import contextlib
import time
import unittest

import redis

from redis_server import RedisServer
from slow_proxy import SlowProxy

LATE_S = 0.2


class SlowProxyOfATest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(RedisServer())
        self.proxy = self.enterContext(SlowProxy(self.server.port))

    def client(self, patience=5):
        options = {"socket_timeout": patience, "socket_connect_timeout": 5}
        return contextlib.closing(redis.Redis(port=self.proxy.port, single_connection_client=False, **options))

    def seconds(self, act):
        start = time.monotonic()
        act()
        return time.monotonic() - start

    def test_answers_are_as_late_as_it_was_told(self):
        with self.client() as client:
            quickest = min(self.seconds(client.ping) for _ in range(20))
            self.assertLess(quickest, LATE_S)
            self.proxy.delay(LATE_S)
            self.assertGreaterEqual(self.seconds(client.ping), LATE_S)
            with client.pipeline(transaction=False) as pipeline:
                for _ in range(50):
                    pipeline.ping()
                self.assertLess(self.seconds(pipeline.execute), 5 * LATE_S)
            self.proxy.delay(0)
            self.assertLess(min(self.seconds(client.ping) for _ in range(20)), LATE_S)

    def test_what_is_held_is_passed_on_later(self):
        with self.client(0.1) as client:
            client.ping()
            self.proxy.stall()
            with self.assertRaises(redis.exceptions.TimeoutError):
                client.set("k", 1)
            self.proxy.flow()
        with self.client() as client:
            self.assertTrue(client.ping())

    def test_a_cut_ends_connections_and_welcomes_new_ones(self):
        with self.client() as client:
            connection = client.connection_pool.get_connection("PING")
            connection.send_command("PING")
            connection.read_response()
            self.proxy.cut()
            with self.assertRaises(redis.exceptions.ConnectionError):
                connection.send_command("PING")
                connection.read_response()
            client.connection_pool.release(connection)
            self.assertTrue(client.ping())

    def test_whoever_is_refused_finds_nobody_until_all_are_accepted_again(self):
        self.proxy.refuse()
        with self.client() as client:
            with self.assertRaises(redis.exceptions.ConnectionError):
                client.ping()
            self.proxy.accept()
            self.assertTrue(client.ping())

    def test_it_refuses_while_there_is_nobody_behind_it(self):
        self.server.kill9()
        with self.client() as client:
            with self.assertRaises(redis.exceptions.ConnectionError):
                client.ping()
            self.server.start()
            self.assertTrue(client.ping())


if __name__ == "__main__":
    unittest.main()
