"""ioredis, installed by npm into the build folder."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from server import environment, serving
from throttle_cases import CASES, differs, FAULTS

HERE = pathlib.Path(__file__).resolve().parent / "node"
FOLDER = pathlib.Path(os.environ["SLUICE_NODE_FOLDER"])


class Ioredis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        lock = (HERE / "package-lock.json").read_text()
        installed = FOLDER / "installed.json"
        if not installed.exists() or installed.read_text() != lock:
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(HERE / name, FOLDER / name)
            # With the caller's own surroundings: they say where packages come from.
            command = ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"]
            result = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=100)
            if result.returncode != 0:
                raise AssertionError(f"npm ci failed: {result.stderr}")
            installed.write_text(lock)
        shutil.copy(HERE / "client.js", FOLDER / "client.js")

    def talk(self, server, *batches, **options):
        work = {"options": {"host": "127.0.0.1", "port": server.resp, **options}, "batches": batches}
        result = subprocess.run(["node", "client.js"], cwd=FOLDER, input=json.dumps(work), capture_output=True, text=True,
                                env=environment(PATH=os.environ["PATH"]), timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_every_answer_of_a_sequence_is_as_expected_one_by_one_and_in_a_pipeline(self):
        commands = [["CL.THROTTLE", *map(str, arguments)] for arguments, _ in CASES]
        for pipeline in (False, True):
            with serving() as server:
                replies = self.talk(server, {"pipeline": pipeline, "commands": commands})
                self.assertEqual(len(replies), len(CASES))
                for (arguments, expected), reply in zip(CASES, replies):
                    self.assertIsNone(differs(expected, reply), arguments)

    def test_faults_are_errors_and_the_connection_goes_on(self):
        with serving() as server:
            commands = [["CL.THROTTLE", *map(str, arguments)] for arguments, _ in FAULTS]
            replies = self.talk(server, {"commands": [*commands, ["PING"]]})
            for (_, word), reply in zip(FAULTS, replies):
                self.assertIn(word, reply["error"])
            self.assertEqual(replies[-1], "PONG")

    def test_a_password_is_needed_where_one_is_set(self):
        with serving(variables={"SLUICE_RESP_TOKEN": "hunter2"}) as server:
            throttle = {"commands": [["CL.THROTTLE", "k", "4", "1", "1000000"]]}
            self.assertEqual(self.talk(server, throttle, password="hunter2")[0][:3], [0, 5, 4])
            self.assertIn("NOAUTH", self.talk(server, throttle, enableReadyCheck=False)[0]["error"])


if __name__ == "__main__":
    unittest.main()
