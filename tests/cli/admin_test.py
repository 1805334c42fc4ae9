"""The admin door of a running server: what Prometheus reads, what probes are told, what may be changed."""

import json
import signal
import socket
import unittest

from program import run
from prometheus_client.parser import text_string_to_metric_families
from serving import Server

RULES = {
    "policies": [
        {
            "id": "api",
            "selector": {"pathPrefix": "/v1"},
            "rules": [
                {"name": "per-key", "limit_keys": ["header:x-api-key"], "algorithm_config": {"rps": 0.001, "burst": 3}},
                {"name": "post", "limit_keys": [], "match": {"method": "POST"}, "algorithm_config": {"rps": 1, "burst": 99}},
            ],
        },
        {
            "id": "next",
            "mode": "shadow",
            "rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 0.001, "burst": 2}}],
        },
    ]
}


def of_key(key):
    return {"path": "/v1/x", "headers": {"x-api-key": key}}


def throttle(server, key, times):
    """So many commands in one pipeline, each answered by five integers."""
    arguments = ["CL.THROTTLE", key, "1", "1", "3600"]
    command = f"*{len(arguments)}\r\n" + "".join(f"${len(part)}\r\n{part}\r\n" for part in arguments)
    with socket.create_connection(("127.0.0.1", server.ports["resp"]), timeout=60) as connection:
        connection.sendall(command.encode() * times)
        received = b""
        while received.count(b"\r\n") < 6 * times:
            received += connection.recv(65536)


def samples(server, family):
    """By the values of labels, in the order of their names."""
    _, text = server.admin("/metrics")
    families = {one.name: one for one in text_string_to_metric_families(text)}
    return {
        (sample.name.removeprefix(family), *(value for _, value in sorted(sample.labels.items()))): sample.value
        for sample in families[family].samples
    }


class Metrics(unittest.TestCase):
    def test_they_count_what_the_doors_decided(self):
        with Server(RULES) as server:
            self.assertEqual([server.check(of_key("a")) for _ in range(4)], [200, 200, 200, 429])
            throttle(server, "k", 5)
            decisions = samples(server, "sluice_decisions")
            self.assertEqual(decisions["_total", "enforce", "allowed", "api", "per-key"], 3)
            self.assertEqual(decisions["_total", "enforce", "rejected", "api", "per-key"], 1)
            self.assertEqual(decisions["_total", "enforce", "allowed", "api", "post"], 0)
            self.assertEqual(decisions["_total", "shadow", "allowed", "next", "all"], 2)
            self.assertEqual(decisions["_total", "shadow", "rejected", "next", "all"], 2)
            self.assertEqual(samples(server, "sluice_named_decisions"), {("_total", "allowed"): 2, ("_total", "rejected"): 3})
            handling = samples(server, "sluice_handling_seconds")
            self.assertEqual((handling["_count", "http"], handling["_count", "resp"]), (4, 5))
            self.assertGreater(handling["_sum", "http"], 0)
            self.assertLess(handling["_sum", "http"], 10)
            self.assertEqual(handling["_bucket", "resp", "+Inf"], 5)

    def test_they_tell_of_store_rules_connections_and_program(self):
        with Server(RULES) as server:
            server.check(of_key("a"))
            self.assertGreaterEqual(samples(server, "sluice_store_keys")[("",)], 2)
            self.assertGreater(samples(server, "sluice_store_bytes")[("",)], 0)
            self.assertEqual(samples(server, "sluice_store_evicted"), {("_total",): 0})
            self.assertEqual(samples(server, "sluice_rules_current"), {("",): 1})
            self.assertGreater(samples(server, "sluice_rules_loaded_timestamp_seconds")[("",)], 1.5e9)
            self.assertGreaterEqual(samples(server, "sluice_connections_open")[("", "admin")], 1)
            version = run("version").stdout.split()[1]
            self.assertIn(version, next(iter(samples(server, "sluice_build_info"))))
            self.assertEqual(json.loads(server.admin("/admin/v1/build")[1])["version"], version)

    def test_no_family_stands_twice_and_none_holds_a_key(self):
        with Server(RULES) as server:
            server.check(of_key("a-key-of-a-client"))
            _, text = server.admin("/metrics")
            # As OpenMetrics names them: a counter without its _total.
            names = [line.split()[2].removesuffix("_total") for line in text.splitlines() if line.startswith("# TYPE")]
            self.assertEqual(len(names), len(set(names)))
            self.assertNotIn("a-key-of-a-client", text)


class Probes(unittest.TestCase):
    def test_a_bad_file_keeps_the_last_good_rules_and_is_told_everywhere(self):
        with Server(RULES) as server:
            self.assertEqual(server.admin("/livez"), (200, "ok\n"))
            self.assertEqual(json.loads(server.admin("/readyz")[1])["status"], "ready")
            server.write_rules('{"policies": [{"id": "api", "rules": 7}]}')
            server.until(lambda: json.loads(server.admin("/readyz")[1])["status"] == "degraded")
            status, text = server.admin("/readyz")
            self.assertEqual(status, 200)
            faults = json.loads(text)["checks"]["rules"]["faults"]
            self.assertRegex(faults[0], r"rules\.json:1.*rules must be a list")
            self.assertEqual(samples(server, "sluice_rules_current"), {("",): 0})
            self.assertEqual(
                samples(server, "sluice_rules_reloads"), {("_total", "loaded"): 1, ("_total", "refused"): 1}
            )
            self.assertEqual([server.check(of_key("a")) for _ in range(4)], [200, 200, 200, 429])
            server.until(lambda: any("rules must be a list" in line for line in server.log))
            server.write_rules(RULES)
            server.until(lambda: json.loads(server.admin("/readyz")[1])["status"] == "ready")
            self.assertEqual(samples(server, "sluice_rules_current"), {("",): 1})

    def test_a_server_that_is_about_to_stop_is_not_ready(self):
        with Server(RULES) as server:
            # A request that is not whole keeps the server from stopping at once.
            with socket.create_connection(("127.0.0.1", server.ports["http"]), timeout=60) as waiting:
                with socket.create_connection(("127.0.0.1", server.ports["admin"]), timeout=60) as admin:
                    waiting.sendall(b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
                    admin.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertIn(b"200 OK", admin.recv(65536))
                    server.until(lambda: samples(server, "sluice_connections_open")[("", "http")] == 1)
                    server.process.send_signal(signal.SIGTERM)
                    server.until(lambda: any('"stopping"' in line for line in server.log))
                    admin.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    answer = admin.recv(65536)
                    self.assertIn(b"503 Service Unavailable", answer)
                    self.assertIn(b"about to stop", answer)


class Keys(unittest.TestCase):
    def top(self, server, by):
        return {key["key"]: key["count"] for key in json.loads(server.admin(f"/admin/v1/top?by={by}")[1])["keys"]}

    def test_the_hottest_and_most_rejected_keys_have_names(self):
        with Server(RULES) as server:
            for _ in range(5):
                server.check(of_key("loud"))
            server.check(of_key("quiet"))
            throttle(server, "job", 7)
            self.assertEqual(self.top(server, "requests"), {"job": 7, "api|per-key|loud": 5, "api|per-key|quiet": 1})
            self.assertEqual(self.top(server, "rejections"), {"job": 5, "api|per-key|loud": 2})


class Explain(unittest.TestCase):
    def test_it_says_what_the_command_line_says(self):
        requests = [
            of_key("a"),
            {"method": "POST", **of_key("b")},
            {"path": "/other"},
            {"path": "/v1", "ip": "203.0.113.7"},
        ]
        with Server(RULES) as server:
            for request in requests:
                ours = json.loads(server.admin("/admin/v1/explain", method="POST", body=request)[1])
                theirs = json.loads(
                    run("check", "--rules", str(server.rules), "--request", json.dumps(request), "--explain", "--json").stdout
                )
                self.assertEqual(ours["explain"], theirs["explain"])
                # The command line takes, and here nothing is taken.
                for decision, taken in ((ours["decision"], 0), (theirs["decision"], 1)):
                    for bucket in decision["buckets"] + decision.get("shadow", []):
                        bucket["remaining"] += taken
                        del bucket["reset_after_ms"]
                    if decision["remaining"] is not None:
                        decision["remaining"] += taken
                    del decision["reset_after_ms"]
                self.assertEqual(ours["decision"], theirs["decision"])


class Changes(unittest.TestCase):
    BUCKET = "/admin/v1/buckets/api%7Cper-key%7Ca"

    def test_a_reset_needs_the_token_and_lets_the_key_pass_again(self):
        with Server(RULES, SLUICE_ADMIN_TOKEN="secret") as server:
            self.assertEqual([server.check(of_key("a")) for _ in range(4)], [200, 200, 200, 429])
            self.assertLess(json.loads(server.admin(self.BUCKET)[1])["buckets"][0]["remaining"], 1)
            for token in (None, "wrong", "secret2"):
                self.assertEqual(server.admin(self.BUCKET, method="DELETE", token=token)[0], 401)
            self.assertEqual(server.check(of_key("a")), 429)
            self.assertEqual(server.admin(self.BUCKET, method="DELETE", token="secret")[0], 200)
            self.assertEqual(server.check(of_key("a")), 200)

    def test_without_a_token_nothing_can_be_changed(self):
        with Server(RULES) as server:
            status, text = server.admin(self.BUCKET, method="DELETE", token="anything")
            self.assertEqual(status, 403)
            self.assertIn("set admin.token", text)

    def test_beyond_loopback_all_but_the_probes_needs_the_token(self):
        with Server(RULES, admin="0.0.0.0:0", SLUICE_ADMIN_TOKEN="secret") as server:
            self.assertEqual(server.admin("/metrics")[0], 401)
            self.assertEqual(server.admin("/metrics", token="secret")[0], 200)
            self.assertEqual(server.admin("/readyz"), (200, '{"status":"ready"}'))


if __name__ == "__main__":
    unittest.main()
