"""How a server gets into its Redis: encrypted, as a user, into a database; and what it says when it is not let in."""

import pathlib
import re
import tempfile
import unittest
import urllib.parse

from redis.exceptions import NoPermissionError

from asks import by_rules, KEY, rule, rules, SLOW
from certificates import Authority
from fleet import decide, fleet, metrics, PATIENT, readiness, STORE_FAULTS
from redis_cluster import ClusterOfSix
from redis_server import RedisServer
from server import until
from wire import ask_resp

# What the page tells operators to type is what is tested.
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "scaling.md"
RIGHTS, = re.findall(r"`ACL SETUSER (sluice on >PASSWORD [^`]*)`", PAGE.read_text())
# With all that a URL would take for something else.
PASSWORD = "s:e/c@r#e t%?"
USER = RIGHTS.replace(">PASSWORD", ">secret")


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

    def test_what_that_user_may_do_is_enough_for_a_refund_a_reset_and_news_of_them(self):
        with RedisServer(user=USER) as redis, self.fleet(redis.url("sluice:secret"), count=2) as servers:
            self.assertEqual(decide(servers[0], by_rules(cost=5))[0], 200)
            for server in servers:
                until(lambda asked=server: self.denies_by_itself(asked), "a rejection from memory")
            self.assertEqual(decide(servers[0], by_rules(path="/v1/refund"))[1], {"refunded": True})
            until(lambda: decide(servers[1], by_rules())[0] == 200, "the token that was given back")
            self.assertEqual(ask_resp(servers[0].resp, "SLUICE.RESET", "ATTR", "user_id", KEY), "OK")
            until(lambda: decide(servers[1], by_rules(cost=5))[0] == 200, "a full bucket")
            self.assertEqual([metrics(server)["sluice_store_up"] for server in servers], [1, 1])

    def denies_by_itself(self, server):
        before = metrics(server)["sluice_store_denied_here_total"]
        decide(server, by_rules())
        return metrics(server)["sluice_store_denied_here_total"] > before

    def test_that_user_can_neither_empty_the_redis_nor_look_at_others_keys(self):
        with RedisServer(user=USER) as redis, redis.client(single_connection_client=True) as client:
            client.execute_command("AUTH", "sluice", "secret")
            for command in (("FLUSHALL",), ("GET", "another"), ("CONFIG", "GET", "*"), ("PUBLISH", "another", "x")):
                with self.assertRaises(NoPermissionError):
                    client.execute_command(*command)

    def test_that_user_has_all_it_needs_in_a_cluster(self):
        with ClusterOfSix(user=USER) as cluster:
            url = cluster.url.replace("://", "://sluice:secret@")
            with self.fleet(url, count=2) as servers:
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
