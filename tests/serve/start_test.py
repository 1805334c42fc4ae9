"""A server that cannot start says why in one clear line, and what to do; its exit code says whose fault it is."""

import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

from server import environment, refusing, serving, SLUICE

QUIET = ("--http", "127.0.0.1:0", "--resp", "off", "--admin", "off", "--log-format", "json")


def own_lines(text):
    """Without the log's own lines, which are objects here."""
    return [line for line in text.splitlines() if not line.startswith("{")]


class Start(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, code, *arguments, variables=None):
        result = refusing(*arguments, variables=variables)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return own_lines(result.stderr)

    def test_rules_with_faults_are_exit_2_and_all_faults_are_told(self):
        rules = self.folder / "rules.json"
        rules.write_text('{"rules": [\n{"name": "a", "limit_keys": ["x"], "algorithm_config": {"rps": 0, "burst": 0}}]}')
        lines = self.refused(2, *QUIET, "--rules", str(rules))
        faults = [line for line in lines if line.startswith(f"{rules}:2:")]
        self.assertEqual(len(faults), 3, lines)
        self.assertEqual(lines[-2:], ["sluice serve: no rules to serve", f"  hint: 'sluice rules lint {rules}' checks them"])

    def test_rules_that_are_not_there_are_exit_2(self):
        lines = self.refused(2, *QUIET, "--rules", str(self.folder / "none.json"))
        self.assertEqual(lines[0], f"{self.folder}/none.json: the file cannot be read: No such file or directory")

    def test_a_port_that_another_program_has_is_told(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            address = "127.0.0.1:%d" % other.getsockname()[1]
            for listen in (("--http", address, "--resp", "off"), ("--http", "off", "--resp", address)):
                lines = self.refused(1, *listen, "--admin", "off", "--log-format", "json")
                self.assertEqual(lines, [f"sluice serve: cannot listen on {address}: another program listens there; "
                                         "stop it, or choose another address"])

    def test_a_second_server_does_not_share_the_port_of_the_first(self):
        with serving() as first:
            address = f"127.0.0.1:{first.http}"
            lines = self.refused(1, "--http", address, "--resp", "off", "--admin", "off", "--log-format", "json")
            self.assertIn(f"cannot listen on {address}: another program listens there", lines[0])

    def test_an_address_that_this_machine_lacks_is_told(self):
        lines = self.refused(1, "--http", "192.0.2.1:0", "--resp", "off", "--admin", "off", "--log-format", "json")
        self.assertEqual(lines, ["sluice serve: cannot listen on 192.0.2.1:0: this machine does not have that address"])

    def test_a_socket_file_where_there_is_no_folder_is_told(self):
        path = self.folder / "none" / "s"
        lines = self.refused(1, "--http", f"unix:{path}", "--resp", "off", "--admin", "off", "--log-format", "json")
        self.assertEqual(lines, [f"sluice serve: cannot listen on unix:{path}: No such file or directory"])

    def test_a_file_that_is_no_socket_is_left_alone(self):
        path = self.folder / "precious"
        path.write_text("data")
        self.refused(1, "--http", f"unix:{path}", "--resp", "off", "--admin", "off", "--log-format", "json")
        self.assertEqual(path.read_text(), "data")

    def test_a_low_port_without_the_right_to_it_is_told(self):
        if int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) == 0:
            return  # as in some containers: nobody needs a right to them here
        without = ["setpriv", "--bounding-set=-net_bind_service"] if os.geteuid() == 0 else []
        command = [*without, SLUICE, "serve", "--http", "127.0.0.1:1", "--resp", "off", "--admin", "off", "--log-format", "json"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=environment(), timeout=20)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(own_lines(result.stderr),
                         ["sluice serve: cannot listen on 127.0.0.1:1: ports below 1024 need the capability "
                          "CAP_NET_BIND_SERVICE; choose a higher one"])

    def test_bad_settings_are_exit_2_all_told_with_where_they_stand(self):
        config = self.folder / "sluice.yaml"
        config.write_text("http:\n  lisen: 127.0.0.1:0\n")
        lines = self.refused(2, "--config", str(config), "--loops", "many", variables={"SLUICE_RESP_LISTEN": "nowhere"})
        text = "\n".join(lines)
        self.assertIn(f"{config}:2:", text)
        self.assertIn("did you mean 'http.listen'?", text)
        self.assertIn("--loops", text)
        self.assertIn("SLUICE_RESP_LISTEN", text)
        self.assertEqual(lines[-2], "sluice serve: nothing is served until that is mended")

    def test_an_unreadable_certificate_is_told_with_its_path(self):
        none = self.folder / "none.pem"
        lines = self.refused(2, *QUIET, "--http-tls", "--tls-certificate", str(none), "--tls-key", str(none))
        self.assertEqual(lines, [f"sluice serve: cannot read the certificate {none}: No such file or directory"])
        junk = self.folder / "junk.pem"
        junk.write_text("junk")
        lines = self.refused(2, *QUIET, "--http-tls", "--tls-certificate", str(junk), "--tls-key", str(junk))
        self.assertEqual(lines, [f"sluice serve: cannot use the certificate {junk}: no start line; it must be PEM"])

    def test_a_token_on_the_command_line_is_refused(self):
        lines = self.refused(2, *QUIET, "--http-token", "secret")
        self.assertIn("--http-token", lines[0])


if __name__ == "__main__":
    unittest.main()
