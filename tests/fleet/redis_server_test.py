"""What the other tests rest on: the Redis servers that they start do what is asked of them, and leave nothing."""

import contextlib
import os
import pathlib
import tempfile
import unittest

import redis

from certificates import Authority
from redis_server import PERSISTENT, RedisServer


def over_tcp(server, **options):
    return contextlib.closing(redis.Redis(port=server.port, decode_responses=True, **{"socket_timeout": 5, **options}))


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


class RedisServerOfATest(unittest.TestCase):
    def test_a_killed_server_comes_back_empty_or_with_all_it_acknowledged(self):
        for settings, kept in (({}, None), (PERSISTENT, "1")):
            with RedisServer(**settings) as server:
                server.ask("SET", "k", "1")
                server.kill9()
                self.assertFalse(server.is_ready())
                server.start()
                self.assertEqual(server.ask("GET", "k"), kept)

    def test_a_paused_server_is_silent_until_it_is_resumed(self):
        with RedisServer() as server:
            server.pause()
            with over_tcp(server, socket_timeout=0.1) as client, self.assertRaises(redis.exceptions.TimeoutError):
                client.ping()
            server.resume()
            with over_tcp(server) as client:
                self.assertTrue(client.ping())

    def test_nothing_is_left_when_a_test_fails(self):
        for act in (lambda server: None, RedisServer.pause, RedisServer.kill9):
            with self.assertRaises(ZeroDivisionError), RedisServer() as server:
                act(server)
                raise ZeroDivisionError
            self.assertTrue(is_gone(server.process.pid))
            self.assertFalse(server.folder.exists())

    def test_a_user_sees_what_is_permitted(self):
        with RedisServer(user="sluice on >secret ~sluice* +@all -@dangerous") as server:
            with over_tcp(server, username="sluice", password="secret") as client:
                client.set("sluice:a", 1)
                with self.assertRaises(redis.exceptions.NoPermissionError):
                    client.set("other", 1)
            with over_tcp(server, username="sluice", password="wrong") as client:
                with self.assertRaisesRegex(redis.exceptions.ResponseError, "WRONGPASS"):
                    client.ping()

    def test_a_password_is_asked_for(self):
        with RedisServer(requirepass="secret") as server:
            with over_tcp(server) as client, self.assertRaises(redis.exceptions.AuthenticationError):
                client.ping()
            self.assertTrue(server.ask("PING"))

    def test_tls_is_spoken_at_its_port_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            authority = Authority(pathlib.Path(folder))
            with RedisServer(tls=(authority.issue("redis.test"), authority.certificate)) as server:
                with over_tcp(server, ssl=True, ssl_ca_certs=str(authority.certificate)) as client:
                    self.assertTrue(client.ping())
                with over_tcp(server) as client, self.assertRaises(redis.exceptions.ConnectionError):
                    client.ping()

    def test_calls_are_counted_by_command(self):
        with RedisServer() as server:
            for _ in range(3):
                server.ask("EVAL", "return redis.call('GET', 'k')", 0)
            self.assertEqual(server.calls("eval", "evalsha"), 3)


if __name__ == "__main__":
    unittest.main()
