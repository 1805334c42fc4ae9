"""redis-py, as Debian ships it."""

import unittest

import redis

from server import serving
from throttle_cases import CASES, differs, FAULTS


class RedisPy(unittest.TestCase):
    def client(self, server, **options):
        client = redis.Redis(host="127.0.0.1", port=server.resp, socket_timeout=20, **options)
        self.addCleanup(client.close)
        return client

    def test_every_answer_of_a_sequence_is_as_expected(self):
        with serving() as server:
            client = self.client(server)
            for arguments, expected in CASES:
                self.assertIsNone(differs(expected, client.execute_command("CL.THROTTLE", *arguments)), arguments)

    def test_a_pipeline_answers_in_order(self):
        with serving() as server:
            pipeline = self.client(server).pipeline(transaction=False)
            for arguments, _ in CASES:
                pipeline.execute_command("CL.THROTTLE", *arguments)
            for (arguments, expected), answer in zip(CASES, pipeline.execute(), strict=True):
                self.assertIsNone(differs(expected, answer), arguments)

    def test_faults_are_exceptions_and_the_connection_goes_on(self):
        with serving() as server:
            client = self.client(server, single_connection_client=True)
            first = client.execute_command("CLIENT", "ID")
            for arguments, word in FAULTS:
                with self.assertRaisesRegex(redis.ResponseError, word):
                    client.execute_command("CL.THROTTLE", *arguments)
            self.assertEqual(client.execute_command("CLIENT", "ID"), first)

    def test_keys_are_any_bytes(self):
        with serving() as server:
            client = self.client(server)
            for key in (b"", b"\xff\x00\r\n", b"k" * 65536):
                answer = client.execute_command("CL.THROTTLE", key, 1, 1, 100_000)
                self.assertEqual(answer[:3], [0, 2, 1])

    def test_passwords_names_and_pings_work_as_with_redis(self):
        with serving(variables={"SLUICE_RESP_TOKEN": "hunter2"}) as server:
            client = self.client(server, password="hunter2", client_name="web-1", health_check_interval=1)
            self.assertTrue(client.ping())
            self.assertEqual(client.client_getname(), "web-1")
            self.assertIn("redis_version", client.info())
            info = client.client_info()
            self.assertRegex(info["addr"], r"^127\.0\.0\.1:\d+$")
            self.assertEqual((info["name"], info["sub"], info["multi"], info["user"]), ("web-1", 0, -1, "default"))
            self.assertLess(info["age"], 60)
            with self.assertRaises(redis.AuthenticationError):
                self.client(server).ping()
            # This version of redis-py has no exception of its own for it.
            with self.assertRaisesRegex(redis.RedisError, "invalid username-password pair"):
                self.client(server, password="wrong").ping()


if __name__ == "__main__":
    unittest.main()
