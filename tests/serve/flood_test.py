"""Many clients at one key, over both doors at once: exactly the capacity is admitted."""

from concurrent.futures import ThreadPoolExecutor
import unittest

from server import serving
from wire import check, command, connect, http_request, HttpReader, RespReader

CAPACITY = 5000
CLIENTS = 16
EACH = 1000
AT_ONCE = 50


def over_http(port):
    with connect(port) as connection:
        reader = HttpReader(connection)
        admitted = 0
        for _ in range(EACH // AT_ONCE):
            connection.sendall(http_request("POST", "/v1/check", check("flood", 1e-6, CAPACITY)) * AT_ONCE)
            admitted += sum(reader.response().status == 200 for _ in range(AT_ONCE))
        return admitted


def over_resp(port):
    with connect(port) as connection:
        reader = RespReader(connection)
        admitted = 0
        for _ in range(EACH // AT_ONCE):
            connection.sendall(command("CL.THROTTLE", "flood", CAPACITY - 1, 1, 1_000_000) * AT_ONCE)
            admitted += sum(reader.reply()[0] == 0 for _ in range(AT_ONCE))
        return admitted


class Flood(unittest.TestCase):
    def test_exactly_the_capacity_is_admitted(self):
        with serving("--loops", "4") as server, ThreadPoolExecutor(CLIENTS) as pool:
            http = [pool.submit(over_http, server.http) for _ in range(CLIENTS // 2)]
            resp = [pool.submit(over_resp, server.resp) for _ in range(CLIENTS // 2)]
            by_door = [sum(client.result() for client in clients) for clients in (http, resp)]
            self.assertEqual(sum(by_door), CAPACITY, by_door)
            self.assertGreater(min(by_door), 0, by_door)


if __name__ == "__main__":
    unittest.main()
