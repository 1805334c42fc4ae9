"""The rules of the comparison: a hundred, of which three apply to a request (address, API key, everybody)."""

import json

# So large that nothing is refused, so slow that no bucket is full again.
LIMIT = {"rps": 0.1, "burst": 100_000_000}


# Everybody is refused but once.
TIGHT = {"rps": 1e-6, "burst": 1}


def rule(name, keys, limit=None):
    return {"name": name, "limit_keys": keys, "algorithm_config": limit or LIMIT}


def text(per_key=None):
    policies = [{"id": "api", "selector": {"pathPrefix": "/v1"},
                 "rules": [rule("address", ["ip:address"]), rule("key", ["header:x-api-key"], per_key),
                           rule("everybody", [])]}]
    policies += [{"id": f"service-{i}", "selector": {"pathPrefix": f"/service/{i}"}, "rules": [rule("user", ["attr:user_id"])]}
                 for i in range(97)]
    return json.dumps({"policies": policies})
