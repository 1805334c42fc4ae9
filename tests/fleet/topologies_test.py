"""What the other tests rest on: several Redis servers together elect new masters, move slots, and leave nothing."""

from concurrent.futures import ThreadPoolExecutor
import logging
import threading
import unittest
import unittest.mock

import redis
from redis.cluster import RedisCluster

from redis_cluster import ClusterOfSix
from sentinel_trio import SentinelTrio
from server import PATIENCE


class Topologies(unittest.TestCase):
    def setUp(self):
        # That a client is sent elsewhere is what is wanted here, not worth a line.
        self.enterContext(unittest.mock.patch.object(logging.getLogger("redis.cluster"), "disabled", True))

    def must_be_gone(self, *servers):
        self.assertFalse([server for server in servers if server.process.is_running() or server.folder.exists()])

    def test_sentinels_make_another_server_the_master_and_the_old_one_follows_it(self):
        with SentinelTrio() as trio:
            trio.master.ask("SET", "k", "1")
            trio.master.ask("WAIT", 2, 5000)
            old = trio.kill_master()
            new = trio.wait_for_new_master(old)
            self.assertIsNot(new, old)
            self.assertEqual(new.ask("GET", "k"), "1")
            trio.come_back(old)
            with self.assertRaises(redis.exceptions.ReadOnlyError):
                old.ask("SET", "k", "2")
        self.must_be_gone(*trio.nodes, *trio.sentinels)

    def test_a_cluster_replaces_a_master_and_moves_a_slot_while_it_is_used(self):
        with ClusterOfSix() as cluster:
            slot = cluster.slot("k")
            old = cluster.kill_master_of(slot)
            new = cluster.wait_for_new_master_of(slot, old)
            self.assertIsNot(new, old)
            cluster.come_back(old)
            target = next(node for node in cluster.masters() if node is not new)
            self.assertEqual(self.increments_during(cluster, "k", lambda: cluster.migrate(slot, target)),
                             int(target.ask("GET", "k")))
            self.assertIs(cluster.owner(slot), target)
        self.must_be_gone(*cluster.nodes)

    def increments_during(self, cluster, key, act):
        """How many a client did meanwhile, that follows MOVED and ASK."""
        is_over, begun = threading.Event(), threading.Event()

        def increment():
            with RedisCluster("127.0.0.1", cluster.nodes[0].port) as client:
                while not is_over.is_set():
                    done = client.incr(key)
                    begun.set()
                return done
        with ThreadPoolExecutor(1) as pool:
            client = pool.submit(increment)
            try:
                self.assertTrue(begun.wait(PATIENCE))
                act()
            finally:
                is_over.set()
            return client.result()


if __name__ == "__main__":
    unittest.main()
