"""A Redis that three Sentinels watch: a master, two replicas, and who takes over when the master dies."""

import contextlib

import redis

from redis_server import RedisServer
from server import PATIENCE, until

NAME = "fleet"
# A master that is silent for so long is taken for dead. It must be more than a Sentinel takes to reach a new master, a
# second or so: else it takes that one for dead too, and has two masters at once for a while.
DOWN_AFTER_MS = 2000
FAILOVER_TIMEOUT_MS = 5000
QUORUM = 2
# An election without a winner is held again after two time-outs, and a Sentinel that did not run for two seconds does
# nothing for thirty.
FAILOVER_PATIENCE = 90


class Sentinel(RedisServer):
    def __init__(self, master):
        super().__init__()
        self.master = master

    def lines(self):
        return [f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder}", f"unixsocket {self.socket}",
                f"sentinel monitor {NAME} 127.0.0.1 {self.master.port} {QUORUM}",
                f"sentinel down-after-milliseconds {NAME} {DOWN_AFTER_MS}",
                f"sentinel failover-timeout {NAME} {FAILOVER_TIMEOUT_MS}", f"sentinel parallel-syncs {NAME} 2"]

    def arguments(self):
        return ["--sentinel"]

    def keeps_its_file(self):
        """It writes what it has learnt into it."""
        return True

    def master_port(self):
        return int(self.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)[1])

    def is_settled(self):
        """It knows all others, and has ended its failover."""
        words = self.ask("SENTINEL", "MASTER", NAME)
        known = dict(zip(words[::2], words[1::2]))
        return (int(known["num-slaves"]) == 2 and int(known["num-other-sentinels"]) == 2
                and "failover_in_progress" not in known["flags"].split(","))


class SentinelTrio:
    """As a context manager: all are started, know each other, and are gone afterwards."""

    def __init__(self, **settings):
        self.settings = settings
        self.nodes = []
        self.sentinels = []
        self._all = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as started:
            master = started.enter_context(RedisServer(**self.settings))
            replicas = [started.enter_context(RedisServer(replicaof=f"127.0.0.1 {master.port}", **self.settings))
                        for _ in range(2)]
            self.nodes = [master, *replicas]
            until(lambda: all(is_in_step(replica) for replica in replicas), "the replicas")
            self.sentinels = [started.enter_context(Sentinel(master)) for _ in range(3)]
            self.wait_until_settled()
            self._all = started.pop_all()
        return self

    def __exit__(self, *_):
        self._all.close()

    @property
    def url(self):
        return f"redis+sentinel://{','.join(sentinel.address for sentinel in self.sentinels)}/{NAME}"

    @property
    def master(self):
        """Whom most Sentinels name."""
        named = [sentinel.master_port() for sentinel in self.sentinels]
        return self._node(max(named, key=named.count))

    def _node(self, port):
        return next(node for node in self.nodes if node.port == port)

    def kill_master(self):
        """The server that was killed."""
        master = self.master
        master.kill9()
        return master

    def wait_for_new_master(self, old):
        """Until every Sentinel names the same other one, and it takes writes."""
        def found():
            named = {sentinel.master_port() for sentinel in self.sentinels}
            return len(named) == 1 and old.port not in named and takes_writes(self._node(*named))
        try:
            until(found, "a new master", FAILOVER_PATIENCE)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *(sentinel.log() for sentinel in self.sentinels)])) from error
        return self.master

    def wait_until_settled(self):
        """A Sentinel names a new master before its failover has ended. If that one dies meanwhile, the failover never
        ends, and should the others then agree on the master of before, it names the dead one for ever."""
        until(lambda: all(sentinel.is_settled() for sentinel in self.sentinels), "the Sentinels to settle",
              FAILOVER_PATIENCE)

    def come_back(self, node, as_master=False):
        """A server that was killed starts again, and in the end follows the master of now. If it takes itself for the
        master still, the Sentinels wait some 10 s before they correct it."""
        node.settings.pop("replicaof", None)
        if not as_master:
            node.settings["replicaof"] = f"127.0.0.1 {self.master.port}"
        node.start()
        until(lambda: is_in_step(node), "the old master to follow the new one", 2 * PATIENCE)
        self.wait_until_settled()


def is_in_step(node):
    known = replication(node)
    return known.get("role") == "slave" and known.get("master_link_status") == "up"


def takes_writes(node):
    return replication(node).get("role") == "master"


def replication(node):
    """Nothing while a Sentinel cuts its connections, which it does when it gives a server another role; it has it write
    that down too, and a busy disk takes its time."""
    try:
        return node.info("replication")
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
        return {}
