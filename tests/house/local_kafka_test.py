"""A cluster of one node through its life: started, killed, paused, stopped, with what was acknowledged kept."""

import subprocess
import tempfile
import unittest
from pathlib import Path

LOCAL_KAFKA = Path(__file__).parents[2] / "deploy" / "local-kafka"


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(self.command, "stop")

    def command(self, *arguments):
        return subprocess.run([LOCAL_KAFKA, *arguments, "--dir", self.folder], capture_output=True, text=True,
                              timeout=200, check=False)

    def start(self, *arguments):
        done = self.command("start", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def tool(self, name, *arguments, text=None):
        classpath = self.command("classpath").stdout.strip()
        done = subprocess.run(["java", "-cp", classpath, f"org.apache.kafka.tools.{name}", *arguments], input=text,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def status(self):
        done = self.command("status")
        return done.returncode, done.stdout.split()[3]

    def test_a_node_keeps_its_address_and_records_through_kill_and_stop(self):
        address = self.start("--port", "0", "--set", "log.retention.ms=-1")
        self.tool("TopicCommand", "--bootstrap-server", address, "--create", "--topic", "kept")
        subprocess.run(["kcat", "-P", "-b", address, "-t", "kept", "-X", "acks=all"], input="one\ntwo\n", text=True,
                       timeout=60, check=True)
        self.assertEqual(self.status(), (0, "running"))
        self.assertEqual(self.start(), address)
        self.assertEqual(self.command("kill", "1").returncode, 0)
        self.assertEqual(self.status(), (1, "down"))
        self.assertEqual(self.command("start-node", "1").stdout.strip(), address)
        self.assertEqual(self.command("pause", "1").returncode, 0)
        self.assertEqual(self.status(), (1, "paused"))
        self.assertEqual(self.command("resume", "1").returncode, 0)
        self.assertEqual(self.command("stop").returncode, 0)
        self.assertEqual(self.status(), (1, "down"))
        self.assertEqual(self.start(), address)
        read = subprocess.run(["kcat", "-C", "-e", "-q", "-b", address, "-t", "kept", "-o", "beginning"],
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(read.stdout, "one\ntwo\n")

    def test_another_shape_than_the_folder_holds_is_refused(self):
        self.start("--port", "0")
        done = self.command("start", "--nodes", "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("contains a cluster of 1 node(s), not 3", done.stderr)


if __name__ == "__main__":
    unittest.main()
