"""examples/proxies/nginx.conf, run by nginx. While Sluice is away, requests pass."""

import unittest

from proxy import Away, Contract


class Nginx(Contract, unittest.TestCase):
    files = ("nginx.conf",)
    command = ("nginx", "-e", "stderr", "-p", "{folder}", "-c", "{folder}/nginx.conf", "-g", "daemon off;")
    arguments = ("--http-decision-status", "403")
    while_away = 200


class NginxThatRefuses(Away, unittest.TestCase):
    """Without the line that the file speaks of."""

    files, command, arguments = Nginx.files, Nginx.command, Nginx.arguments
    edits = {"      error_page 502 504 = @unlimited;\n": ""}
    while_away = 500
    while_stuck = (500,)


if __name__ == "__main__":
    unittest.main()
