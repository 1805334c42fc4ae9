"""A fleet beside the usual script: Redis and two servers that share it, on loopback.

What is fair. The usual way: so many connections of an application, each of which calls the script once for every
decision. Ours: as many connections to the two servers, which ask Redis on their behalf. Neither sends more at once on a
connection than the other does. Redis has one core for itself, for it is what a fleet shares and cannot have more of;
all else is on the other. So the figure is how many decisions a second of Redis's CPU gives. Rates are told beside it:
here the servers have no machines of their own, and take their CPU from the load generators. Of a key that is already
rejected Redis is not asked; its core is idle then, and the servers have both.
"""

import contextlib
import functools
import json
import time

import loads
import subjects
from figures import COST, RATE, Figure

# Nothing is refused and no bucket is full again, as in one_server.py.
THROTTLE = ["CL.THROTTLE", "key:__rand_int__", "1000000", "1", "60"]
SCRIPT = ["0.01", "1000000"]
REFUSED = ["CL.THROTTLE", "refused", "0", "1", "1000000"]
SCRIPT_REFUSED = ["0.000001", "1"]
SERVERS = 2
SMALL_RATE, SMALL_BURST = 100, 200
# Leases by demand begin when there has been some: keys that are hot have been so for a while.
WARM_UP_SECONDS = 3


def policy(name, keys, lease, rate, burst):
    limit = {"rps": rate, "burst": burst}
    rule = {"name": name, "limit_keys": keys, "lease": lease, "on_store_failure": "deny", "algorithm_config": limit}
    return {"id": name, "selector": {"pathPrefix": f"/{name}"}, "rules": [rule]}


# Limits far above what comes, but for the small one.
RULES = {"policies": [
    policy("auto", ["header:x-api-key"], "auto", 100_000, 1_000_000),
    policy("fixed", ["header:x-api-key"], {"tokens": 20, "ttl_ms": 2000}, 100_000, 1_000_000),
    policy("small", [], "auto", SMALL_RATE, SMALL_BURST),
]}


def per_redis_second(name, benchmark, beside, at_least):
    return Figure(name, benchmark, "per_redis_second", "/s", beside=beside, beside_name="usual script", compare=RATE,
                  at_least=at_least)


def rate(name, benchmark, beside, at_least=None):
    return Figure(name, benchmark, "per_second", "/s", beside=beside, beside_name="usual script", compare=RATE,
                  at_least=at_least)


def servers_cpu(benchmark):
    return Figure("CPU of both servers for one", benchmark, "servers_cpu_us", "us", beside=benchmark,
                  beside_field="redis_cpu_us", beside_name="and of Redis")


GROUPS = (
    (per_redis_second("fleet, exact: decisions for a second of Redis", "fleet/exact", "script/exact", 1.5),
     rate("the rate, all on two cores", "fleet/exact", "script/exact"),
     Figure("decisions in one call of Redis", "fleet/exact", "per_call", ""), servers_cpu("fleet/exact")),
    (per_redis_second("fleet, leases by demand: for a second of Redis", "fleet/auto", "script/hot", 10),
     rate("the rate, all on two cores", "fleet/auto", "script/hot"),
     Figure("decisions for one call of Redis", "fleet/auto", "per_call", ""), servers_cpu("fleet/auto"),
     per_redis_second("fleet, leases of 20: for a second of Redis", "fleet/fixed", "script/hot", 10),
     rate("the rate, all on two cores", "fleet/fixed", "script/hot"),
     Figure("decisions for one call of Redis", "fleet/fixed", "per_call", ""), servers_cpu("fleet/fixed"),
     Figure("admitted of a small bucket, leased", "fleet/cap", "admitted", "", beside="fleet/cap",
            beside_field="granted", beside_name="bucket grants", compare=RATE, at_most=1)),
    (rate("fleet, a key already rejected, 64 at once", "fleet/refused/64", "script/refused/64", 20),
     rate("the same, one at a time", "fleet/refused/1", "script/refused/1"),
     Figure("CPU of all for one", "fleet/refused/1", "cpu_us", "us", beside="script/refused/1",
            beside_name="usual script", compare=COST)),
)


class Fleet:
    def __init__(self, options, folder, turns):
        self.options, self.folder, self.turns = options, folder, turns
        self.steps = 6 * options.turns + 4
        self.script = (subjects.HERE / "usual_bucket.lua").read_text()
        self.rules = folder / "fleet.json"
        self.rules.write_text(json.dumps(RULES))

    def round(self):
        with subjects.redis(self.folder) as (self.redis, self.redis_port):
            load = ["redis-cli", "-p", str(self.redis_port), "SCRIPT", "LOAD", self.script]
            self.sha = loads.run_together([load])[0].strip()
            with self.servers_on(subjects.LOAD_CORES):
                self.exact()
                self.leases()
                self.turns.take(1, {"fleet/cap": self.cap})
            with self.servers_on(subjects.BOTH_CORES):
                for depth in (64, 1):
                    self.refused(depth)

    @contextlib.contextmanager
    def servers_on(self, cores):
        with contextlib.ExitStack() as stack:
            self.servers = [stack.enter_context(self.server(i, cores)) for i in range(SERVERS)]
            for process, ports in self.servers:
                subjects.wait_for_metric(process, ports["admin"], "sluice_store_up", 1)
            yield

    def server(self, number, cores):
        """A busy machine must not bring about time-outs: what is decided without Redis is not what is measured."""
        folder = self.folder / f"server_{number}"
        folder.mkdir(exist_ok=True)
        more = ["--store", f"redis://127.0.0.1:{self.redis_port}", "--redis-timeout", "1s"]
        return subjects.sluice(self.options.programs, folder, rules=self.rules, more=more, cores=cores)

    def ports(self, door):
        return [ports[door] for _, ports in self.servers]

    def by_script(self, keys, limit):
        """The time is that of the beginning: a load generator cannot tell it, and to Redis it makes no difference."""
        return ["EVALSHA", self.sha, "1", keys, *limit, f"{time.time():.3f}", "1"]

    def measure(self, load):
        """`load` returns (how many, how many a second)."""
        redis, servers, calls = self.redis_seconds(), self.server_seconds(), self.calls()
        count, per_second = load()
        # Where Redis is not asked it may have done nothing at all.
        redis, servers = max(1e-9, self.redis_seconds() - redis), self.server_seconds() - servers
        # The servers ask Redis now and then for other reasons too.
        calls = max(1, self.calls() - calls)
        return {"per_second": per_second, "per_redis_second": count / redis, "per_call": count / calls,
                "redis_cpu_us": redis / count * 1e6, "servers_cpu_us": servers / count * 1e6,
                "cpu_us": (redis + servers) / count * 1e6}

    def by_turns(self, count, of_benchmarks):
        self.turns.take(count, {name: functools.partial(self.measure, load) for name, load in of_benchmarks.items()})

    def redis_seconds(self):
        return subjects.cpu_seconds(self.redis.pid)

    def server_seconds(self):
        return sum(subjects.cpu_seconds(process.pid) for process, _ in self.servers)

    def metric(self, name):
        return sum(subjects.metric(port, name) for port in self.ports("admin"))

    def calls(self):
        return self.metric('sluice_redis_commands_total{outcome="answered"}')

    def resp(self, ports, command, times, depth=1, keys=loads.KEYS, cores=subjects.LOAD_CORES):
        count = max(loads.CLIENTS * depth, int(times * 100_000 * self.options.scale))
        return lambda: loads.resp_together(ports, depth, count, command, keys, cores)

    def exact(self):
        script, times = self.by_script("bucket:__rand_int__", SCRIPT), 1 / self.options.turns
        self.by_turns(self.options.turns, {
            "script/exact": self.resp([self.redis_port] * SERVERS, script, times),
            "fleet/exact": self.resp(self.ports("resp"), THROTTLE, times)})

    def leases(self):
        """On a thousand keys, all of them in use all the while: so one long turn, not several with pauses."""
        script = self.by_script("hot:__rand_int__", SCRIPT)
        by_script = self.resp([self.redis_port] * SERVERS, script, 1, keys=loads.HTTP_KEYS)
        self.turns.take(1, {"fleet/auto": self.leased_by_demand, "script/hot": functools.partial(self.measure, by_script),
                            "fleet/fixed": functools.partial(self.measure, lambda: self.admitted("/fixed"))})

    def leased_by_demand(self):
        self.decisions("/auto", min(WARM_UP_SECONDS, self.options.seconds))
        return self.measure(lambda: self.admitted("/auto"))

    def admitted(self, path):
        told = self.decisions(path, self.options.seconds)
        if told.passed < told.total:
            raise subjects.SubjectError(f"the servers refused {told.total - told.passed} of {told.total} requests")
        return told.total, told.per_second

    def decisions(self, path, seconds):
        urls = [f"http://127.0.0.1:{port}/v1/decision" for port in self.ports("http")]
        return loads.http_together(urls, seconds, subjects.HERE / "hot_keys.lua", path)

    def cap(self):
        """One small bucket, full when it begins: what the servers count as allowed, beside what it can have given."""
        start = time.monotonic()
        self.decisions("/small", self.options.seconds)
        granted = SMALL_BURST + SMALL_RATE * (time.monotonic() - start)
        admitted = self.metric('sluice_decisions_total{policy="small",rule="small",mode="enforce",outcome="allowed"}')
        if not 0 < admitted <= granted:
            raise subjects.SubjectError(f"the servers admitted {admitted:.0f} of at most {granted:.0f}")
        return {"admitted": admitted, "granted": granted}

    def refused(self, depth):
        script, times = self.by_script("refused", SCRIPT_REFUSED), (20 if depth > 1 else 2) / self.options.turns
        by_fleet = self.resp(self.ports("resp"), REFUSED, times, depth, cores=subjects.BOTH_CORES)
        by_script = self.resp([self.redis_port] * SERVERS, script, 1 / self.options.turns, depth)
        self.by_turns(self.options.turns, {f"script/refused/{depth}": by_script, f"fleet/refused/{depth}": by_fleet})
