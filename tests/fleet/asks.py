"""What a client of a fleet asks, over either door, and how it reads what it is told."""

import json

from wire import command, http_request, HttpReader, ReplyError, RespReader

# Slower than this a bucket need not be: no test sees a token of it come back.
SLOW = 1e-9
KEY = "hot"


def rule(rate, burst, name="shared", keys=("attr:user_id",), **fields):
    return {"name": name, "limit_keys": list(keys), "algorithm": "token_bucket",
            "algorithm_config": {"tokens_per_second": rate, "burst": burst}, **fields}


def rules(*given):
    return {"policies": [{"id": "fleet", "rules": list(given)}]}


class HttpAsk:
    """A request to the HTTP door; `read` tells whether it passed, and whether the store was asked for that."""

    door = "http"
    reader = HttpReader

    def __init__(self, body, path="/v1/check"):
        self.bytes = http_request("POST", path, body)

    @staticmethod
    def read(reader):
        response = reader.response()
        if response.status not in (200, 429, 503):
            raise AssertionError(f"{response.status}: {response.body.decode()}")
        said = json.loads(response.body)
        if "allowed" not in said:
            raise AssertionError(f"no decision: {said}")
        return said["allowed"], said.get("degraded", False)


def by_rules(user=KEY, path="/v1/check", cost=1, **attributes):
    return HttpAsk({"request": {"attributes": {"user_id": user, **attributes}}, "cost": cost}, path)


def by_key(rate, burst, key=KEY, path="/v1/check"):
    return HttpAsk({"key": key, "rate": rate, "burst": burst}, path)


class Throttle:
    """CL.THROTTLE, whose answer has no room for more than the decision."""

    door = "resp"
    reader = RespReader

    def __init__(self, rate, burst, key=KEY):
        self.bytes = command("CL.THROTTLE", key, burst - 1, rate, 1)

    @staticmethod
    def read(reader):
        reply = reader.reply()
        if isinstance(reply, ReplyError):
            raise AssertionError(str(reply))
        return reply[0] == 0, False
