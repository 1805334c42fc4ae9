"""How a server gets into its Redis: encrypted, as a user, into a database; and what it says when it is not let in."""

import pathlib
import tempfile
import unittest
import urllib.parse

from asks import by_rules, rule, rules, SLOW
from certificates import Authority
from fleet import decide, fleet, metrics, PATIENT, readiness, STORE_FAULTS
from redis_server import RedisServer
from server import until

# With all that a URL would take for something else.
PASSWORD = "s:e/c@r#e t%?"
USER = "sluice on >secret ~sluice* resetchannels &sluice* +@all -@admin -@dangerous"


def encoded(text):
    return urllib.parse.quote(text, safe="")


class AccessCase(unittest.TestCase):
    def fleet(self, url, arguments=(), count=1, **options):
        return fleet(url, rules(rule(SLOW, 5, on_store_failure="deny")), count, (*PATIENT, *arguments), **options)

    def must_share(self, servers):
        """They decide by one and the same store."""
        told = [decide(server, by_rules()) for server in servers]
        self.assertEqual([status for status, _ in told], [200] * len(servers), told)
        self.assertEqual([said["remaining"] for _, said in told], [4 - i for i in range(len(servers))])

    def must_be_shut_out(self, server, *words):
        """It serves without the store, and says why in a line that an operator finds."""
        status, said = decide(server, by_rules())
        self.assertEqual((status, said.get("degraded")), (503, True))
        self.assertEqual((metrics(server)["sluice_store_up"], readiness(server)["status"]), (0, "degraded"))
        told = until(lambda: [line for line in server.raw if any(word in line for word in words)], f"word of {words}")
        self.assertTrue(told)


class Access(AccessCase):
    def test_a_user_with_a_password_and_no_more_rights_than_it_needs(self):
        with RedisServer(user=USER) as redis, self.fleet(redis.url("sluice:secret"), count=2) as servers:
            self.must_share(servers)

    def test_a_password_with_characters_that_mean_something_in_a_url(self):
        with RedisServer(requirepass=PASSWORD) as redis:
            with self.fleet(redis.url(f":{encoded(PASSWORD)}"), count=2) as servers:
                self.must_share(servers)

    def test_a_wrong_password_is_said_and_not_shown(self):
        with RedisServer(user=USER) as redis:
            with self.fleet(redis.url("sluice:not-this-one"), expects=STORE_FAULTS) as (server,):
                self.must_be_shut_out(server, "WRONGPASS", "password")
                self.assertFalse([line for line in server.raw if "not-this-one" in line])

    def test_a_password_that_is_missing_is_said(self):
        with RedisServer(requirepass="secret") as redis, self.fleet(redis.url(), expects=STORE_FAULTS) as (server,):
            self.must_be_shut_out(server, "NOAUTH", "password")

    def test_a_user_who_may_not_run_scripts_is_told_so(self):
        with RedisServer(user=USER + " -@scripting") as redis:
            with self.fleet(redis.url("sluice:secret"), expects=STORE_FAULTS) as (server,):
                self.must_be_shut_out(server, "NOPERM", "permission")

    def test_a_database_and_a_prefix_of_ones_own(self):
        with RedisServer() as redis, self.fleet(redis.url(database=2), ("--redis-prefix", "mine"), 2) as servers:
            self.must_share(servers)
            self.assertEqual(redis.ask("KEYS", "*"), [])
            with redis.client(db=2) as client:
                self.assertEqual({key[:6] for key in client.keys()}, {"mine{}"})

    def test_two_prefixes_are_two_stores(self):
        with RedisServer() as redis:
            for prefix in ("one", "two"):
                with self.fleet(redis.url(), ("--redis-prefix", prefix)) as servers:
                    self.must_share(servers)


class Encrypted(AccessCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority = Authority(cls.folder)
        cls.pair = cls.authority.issue("redis.test")

    def redis(self, **settings):
        return RedisServer(tls=(self.pair, self.authority.certificate), **settings)

    def trusting(self, authority=None):
        return ("--redis-ca", str((authority or self.authority).certificate))

    def test_an_authority_that_is_trusted_and_a_user(self):
        with self.redis(user=USER) as redis, self.fleet(redis.url("sluice:secret"), self.trusting(), 2) as servers:
            self.must_share(servers)

    def test_a_certificate_of_somebody_else_is_not_trusted(self):
        (self.folder / "other").mkdir(exist_ok=True)
        other = Authority(self.folder / "other")
        with self.redis() as redis, self.fleet(redis.url(), self.trusting(other), expects=STORE_FAULTS) as (server,):
            self.must_be_shut_out(server, "certificate")

    def test_without_an_authority_of_ones_own_the_systems_are_asked(self):
        with self.redis() as redis, self.fleet(redis.url(), expects=STORE_FAULTS) as (server,):
            self.must_be_shut_out(server, "certificate")

    def test_a_plain_redis_is_no_encrypted_one(self):
        with RedisServer() as redis:
            url = redis.url().replace("redis://", "rediss://")
            with self.fleet(url, self.trusting(), expects=STORE_FAULTS) as (server,):
                self.must_be_shut_out(server, "TLS", "SSL", "handshake")


if __name__ == "__main__":
    unittest.main()
