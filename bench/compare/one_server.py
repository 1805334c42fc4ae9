"""One server beside Redis, nginx and a bare loop.

What is compared runs at the same time and has load by turns: one that has none costs nothing. Each server has a folder
of its own, and the CPU of all its threads is counted.
"""

import contextlib
import dataclasses
import statistics

import loads
import refusals
import rules
import subjects
from figures import COST, RATE, Figure

# So large that nothing is refused, so slow that no bucket is full again: a full one would be forgotten, and not measured.
THROTTLE = ["CL.THROTTLE", "key:__rand_int__", "1000000", "1", "60"]
GET = ["GET", "key:__rand_int__"]
# Of a round, by depth; each turn has its share.
REQUESTS = {1: 200_000, 16: 1_000_000, 64: 2_000_000}


def cpu(name, benchmark, beside, beside_name, **target):
    return Figure(name, benchmark, "cpu_us", "us", beside=beside, beside_name=beside_name, compare=COST, **target)


def rate(name, benchmark, beside, beside_name, at_least=None):
    return Figure(name, benchmark, "per_second", "/s", beside=beside, beside_name=beside_name, compare=RATE, at_least=at_least)


GROUPS = (
    (cpu("CPU of CL.THROTTLE, 64 at once", "throttle/64", "get/64", "redis GET", at_most=1.2, aim=0.25),
     cpu("the same, beside a script", "throttle/64", "evalsha/64", "redis EVALSHA", at_most=0.1),
     cpu("the same, beside a bare loop", "throttle/64", "bare/64", "bare loop"),
     cpu("CPU of CL.THROTTLE, 16 at once", "throttle/16", "get/16", "redis GET")),
    (rate("CL.THROTTLE, one at a time", "throttle/1", "get/1", "redis GET", at_least=1),
     cpu("CPU of it", "throttle/1", "bare/1", "bare loop", at_most=1.15),
     cpu("the same, beside Redis", "throttle/1", "get/1", "redis GET"),
     rate("a bare loop, one at a time", "bare/1", "get/1", "redis GET")),
    (rate("/v1/decision, three rules", "decision", "nginx", "nginx return 200", at_least=0.7),
     cpu("CPU of it", "decision", "nginx", "nginx return 200"),
     rate("/v1/check, JSON body", "check", "nginx", "nginx return 200", at_least=0.5),
     cpu("CPU of it", "check", "nginx", "nginx return 200")),
    (rate("two loops, /v1/decision", "decision/two_loops", "decision/one_loop", "one loop"),
     cpu("CPU of it", "decision/two_loops", "decision/one_loop", "one loop", at_most=1.25)),
    (rate("CL.THROTTLE refused and recorded, 64 at once", "recorded/64", "refused/64", "not recorded", at_least=0.9),
     cpu("CPU of it, the writer's too", "recorded/64", "refused/64", "not recorded", at_most=1.1),
     rate("/v1/decision refused and recorded", "recorded/http", "refused/http", "not recorded", at_least=0.9),
     cpu("CPU of it, the writer's too", "recorded/http", "refused/http", "not recorded", at_most=1.1)),
    (Figure("p99 at half load", "decision/half", "p99_us", "us", beside="nginx/half", beside_name="nginx", compare=COST, at_most=3),
     Figure("start to ready", "start", "ready_ms", "ms", at_most=100)),
)


class OneServer:
    def __init__(self, options, folder, turns):
        self.options, self.folder, self.turns = options, folder, turns
        self.steps = 21 * options.turns + 1
        self.seconds = max(1, options.seconds // options.turns)
        self.rules = folder / "rules.json"
        self.rules.write_text(rules.text())
        self.refusals = refusals.Refusals(self)

    def round(self):
        for part in (self.commands, self.requests, self.loops, self.refusals.part):
            with contextlib.ExitStack() as stack:
                part(stack.enter_context)
        self.turns.take(1, {"start": self.start})

    def place(self, name):
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    def sluice(self, name, **more):
        return subjects.sluice(self.options.programs, self.place(name), **more)

    def count(self, depth):
        return int(REQUESTS[depth] * self.options.scale)

    def share(self, depth):
        return self.count(depth) // self.options.turns

    def fill(self, subject, command):
        """With what a load needs to be there; not measured."""
        process, port = subject
        loads.resp(process.pid, port, 64, self.count(16), command)

    def resp(self, subject, depth, command, count=None):
        process, port = subject
        count = max(loads.CLIENTS * depth, count or self.share(depth))
        return lambda: dataclasses.asdict(loads.resp(process.pid, port, depth, count, command))

    def http(self, process, url, script=None, **more):
        return lambda: dataclasses.asdict(loads.http(process.pid, url, self.seconds, script, **more))

    def commands(self, enter):
        redis = enter(subjects.redis(self.place("redis")))
        # Of its own: the keys of the script would be in the way of GET.
        script_redis = enter(subjects.redis(self.place("script_redis")))
        bare = enter(subjects.bare_loop(self.options.programs))
        process, ports = enter(self.sluice("sluice"))
        sluice = process, ports["resp"]
        self.fill(redis, ["SET", "key:__rand_int__", "0"])
        for depth in REQUESTS:
            measures = {f"get/{depth}": self.resp(redis, depth, GET), f"throttle/{depth}": self.resp(sluice, depth, THROTTLE),
                        f"bare/{depth}": self.resp(bare, depth, THROTTLE)}
            if depth == 64:
                # Fewer, for each takes as long as some ten of the others.
                measures["evalsha/64"] = self.resp(script_redis, 64, self.script_on(script_redis), self.share(1))
            self.turns.take(self.options.turns, measures)

    def script_on(self, redis):
        process, port = redis
        script = (subjects.HERE / "token_bucket.lua").read_text()
        sha, _ = loads.run(["redis-cli", "-p", str(port), "SCRIPT", "LOAD", script], process.pid)
        return ["EVALSHA", sha.strip(), "1", "bucket:__rand_int__", "0.01", "1000000"]

    def requests(self, enter):
        nginx, port = enter(subjects.nginx(self.place("nginx")))
        sluice, ports = enter(self.sluice("sluice", rules=self.rules))
        urls = [f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{ports['http']}/v1/decision"]
        self.turns.take(self.options.turns, {
            "decision": self.http(sluice, urls[1], loads.DECISION), "nginx": self.http(nginx, urls[0]),
            "check": self.http(sluice, f"http://127.0.0.1:{ports['http']}/v1/check", loads.CHECK)})
        self.turns.take(self.options.turns, {"nginx/half": self.half_load("nginx", nginx, urls[0]),
                                             "decision/half": self.half_load("decision", sluice, urls[1])})

    def half_load(self, name, process, url):
        per_second = statistics.median(self.turns.samples[name]["per_second"][-self.options.turns:]) / 2
        return lambda: {"p99_us": loads.p99(loads.latencies_us(process.pid, url, per_second, self.seconds, self.folder))}

    def loops(self, enter):
        """On this machine's two cores the load generator shares them: so the CPU time is what counts."""
        measures = {}
        for name, count in (("one_loop", 1), ("two_loops", 2)):
            process, ports = enter(self.sluice(name, loops=count, rules=self.rules))
            measures[f"decision/{name}"] = self.http(process, f"http://127.0.0.1:{ports['http']}/v1/decision", loads.DECISION,
                                                     cores=subjects.BOTH_CORES, threads=2)
        self.turns.take(self.options.turns, measures)

    def start(self):
        return {"ready_ms": subjects.seconds_to_ready(self.options.programs, self.place("sluice"), self.rules) * 1000}
