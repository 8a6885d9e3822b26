"""What deploy/local-kafka says to wrong arguments; needs neither Java nor a network."""

import subprocess
import tempfile
import unittest
from pathlib import Path

LOCAL_KAFKA = Path(__file__).parents[2] / "deploy" / "local-kafka"


def run(*arguments):
    return subprocess.run([LOCAL_KAFKA, *arguments], capture_output=True, text=True, timeout=30, check=False)


class Arguments(unittest.TestCase):
    def misuse(self, words, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(words, done.stderr)

    def test_misuse_is_named_and_exits_2(self):
        self.misuse("--nodes is 1 or 3, not '2'", "start", "--nodes", "2")
        self.misuse("--port is a number", "start", "--port", "many")
        self.misuse("--port is a number", "start", "--port", "70000")
        self.misuse("--dir wants a value", "status", "--dir")
        self.misuse("--set wants KEY=VALUE", "start", "--set", "novalue")
        self.misuse("unknown command 'begin'", "begin")
        self.misuse("unknown argument '--fast'", "start", "--fast")

    def test_help_names_every_command(self):
        done = run("help")
        self.assertEqual(done.returncode, 0)
        for command in ("start", "stop", "status", "kill", "pause", "resume", "start-node", "stop-node"):
            self.assertIn(command, done.stdout)

    def test_a_folder_without_a_cluster_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["status"], ["kill"], ["kill", "1"], ["pause", "1"], ["address"]):
                done = run(*arguments, "--dir", folder)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("no cluster in", done.stderr)


if __name__ == "__main__":
    unittest.main()
