"""examples/proxies/nginx.conf, run by nginx. While Sluice is away, requests pass."""

import unittest

from proxy import Contract


class Nginx(Contract, unittest.TestCase):
    files = ("nginx.conf",)
    command = ("nginx", "-e", "stderr", "-p", "{folder}", "-c", "{folder}/nginx.conf", "-g", "daemon off;")
    arguments = ("--http-decision-status", "403")
    while_away = 200


if __name__ == "__main__":
    unittest.main()
