"""What deploy/local-kafka says to wrong arguments; needs neither Java nor a network."""

import shutil
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
        self.misuse("--nodes must be 1 or 3, not '2'", "start", "--nodes", "2")
        self.misuse("--port must be a number", "start", "--port", "many")
        self.misuse("--port must be a number", "start", "--port", "70000")
        self.misuse("--dir needs a value", "status", "--dir")
        self.misuse("--set needs KEY=VALUE", "start", "--set", "novalue")
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


class Tools(unittest.TestCase):
    """A machine on which only `make demo` has run has neither kcat nor Java."""

    def start_without_kcat(self, folder, installer):
        deploy = Path(folder) / "deploy"
        shutil.copytree(LOCAL_KAFKA.parent, deploy)
        (deploy / "dependencies").write_text("#!/bin/bash\n" + installer)
        commands = Path(folder) / "commands"
        commands.mkdir()
        for tool in ("env", "bash", "dirname", "mkdir", "cat", "flock", "sed", "grep", "cp", "chmod"):
            (commands / tool).symlink_to(shutil.which(tool))
        for tool in ("java", "mvn"):
            (commands / tool).write_text("#!/bin/bash\nexit 7\n")
            (commands / tool).chmod(0o755)
        return subprocess.run([deploy / "local-kafka", "start", "--dir", Path(folder) / "cluster"],
                              env={"PATH": str(commands), "HERE": folder}, capture_output=True, text=True, timeout=30,
                              check=False)

    def test_start_installs_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.start_without_kcat(folder, 'echo "$*" >"$HERE/asked"; cp "$HERE/commands/mvn" "$HERE/commands/kcat"\n')
            self.assertEqual((Path(folder) / "asked").read_text(), "kafka\n", done.stderr)
            self.assertIn("kcat missing: installing", done.stderr)
            self.assertNotIn("still missing", done.stderr)

    def test_start_says_what_could_not_be_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.start_without_kcat(folder, "exit 1\n")
            self.assertEqual(done.returncode, 1)
            self.assertIn("could not install kcat", done.stderr)


if __name__ == "__main__":
    unittest.main()
