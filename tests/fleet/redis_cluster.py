"""A Redis Cluster of six: three masters, each with a replica. Masters are killed, slots moved while they are used."""

import contextlib
import subprocess

import redis

from processes import environment, free_port
from redis_server import RedisServer
from server import PATIENCE, until

SLOTS = 16384
NODE_TIMEOUT_MS = 1000


class Node(RedisServer):
    def __init__(self, **settings):
        super().__init__(cluster_enabled="yes", cluster_node_timeout=NODE_TIMEOUT_MS, **settings)

    def choose_ports(self):
        super().choose_ports()
        self.settings["cluster-port"] = free_port()

    @property
    def id(self):
        return self.ask("CLUSTER", "MYID")

    def is_well(self):
        """It sees all slots served. It may be down, or starting."""
        with contextlib.suppress(redis.exceptions.RedisError):
            known = dict(line.split(":") for line in self.ask("CLUSTER", "INFO").split())
            return known["cluster_state"] == "ok" and int(known["cluster_known_nodes"]) == 6
        return False

    def is_master(self):
        return self.info("replication")["role"] == "master"

    def follows(self):
        return self.info("replication").get("master_link_status") == "up"


class ClusterOfSix:
    """As a context manager: the cluster is whole, and gone afterwards."""

    def __init__(self, **settings):
        self.settings = settings
        self.nodes = []
        self._all = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as started:
            self.nodes = [started.enter_context(Node(**self.settings)) for _ in range(6)]
            self._create()
            self.wait_until_well()
            self._all = started.pop_all()
        return self

    def __exit__(self, *_):
        self._all.close()

    def _create(self):
        done = subprocess.run(["redis-cli", "--cluster", "create", *(node.address for node in self.nodes),
                               "--cluster-replicas", "1", "--cluster-yes"], capture_output=True, encoding="utf-8",
                              env=environment(), timeout=PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"no cluster:\n{done.stdout}{done.stderr}")

    @property
    def url(self):
        """Some of them are enough to find the others."""
        return f"redis+cluster://{','.join(node.address for node in self.nodes[:3])}"

    @property
    def alive(self):
        return [node for node in self.nodes if node.process.is_running()]

    def wait_until_well(self):
        """Every node that runs sees all slots served; three are masters, the others follow one."""
        until(lambda: all(node.is_well() for node in self.alive), "the cluster")
        until(lambda: len(self.masters()) == 3 and all(node.is_master() or node.follows() for node in self.alive),
              "three masters, and replicas in step")

    def masters(self):
        return [node for node in self.alive if node.is_master()]

    def owner(self, slot):
        """The master of a slot, as the nodes that run see it."""
        for first, last, (_, port, *_), *_ in self.alive[0].ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == port)
        raise AssertionError(f"nobody has slot {slot}")

    def slot(self, key):
        return int(self.alive[0].ask("CLUSTER", "KEYSLOT", key))

    def keys(self):
        """Of all masters."""
        return sorted(key for node in self.masters() for key in node.ask("KEYS", "*"))

    def kill_master_of(self, slot):
        owner = self.owner(slot)
        owner.kill9()
        return owner

    def wait_for_new_master_of(self, slot, old):
        """Until all that run agree that another one serves it."""
        until(lambda: all(node.is_well() for node in self.alive) and self.owner(slot) is not old, "a new master")
        return self.owner(slot)

    def come_back(self, node):
        node.start()
        self.wait_until_well()

    def begin_migration(self, slot, target):
        """From here on the owner says ASK for keys of the slot that it does not have."""
        source = self.owner(slot)
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        return source

    def move_keys(self, slot, source, target):
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 10):
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)

    def end_migration(self, slot, target):
        """The new owner first, as the Redis documentation has it: so nobody is sent in circles."""
        for node in [target, *(other for other in self.masters() if other is not target)]:
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)
        until(lambda: all(self.sees(node, slot, target) for node in self.alive), "all to know the slot's new owner")

    def migrate(self, slot, target):
        source = self.begin_migration(slot, target)
        self.move_keys(slot, source, target)
        self.end_migration(slot, target)

    def sees(self, node, slot, owner):
        return any(first <= slot <= last and port == owner.port
                   for first, last, (_, port, *_), *_ in node.ask("CLUSTER", "SLOTS"))
