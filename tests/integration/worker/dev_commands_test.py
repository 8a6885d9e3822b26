"""Every operator command works on `penstock dev`, through its HTTP interface; `top` in a terminal of its own.

    dev_commands_test.py PENSTOCK      needs no Kafka
"""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

PENSTOCK = Path(sys.argv.pop(1)).resolve()
WITHIN_SECONDS = 60


def until(what, condition):
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {WITHIN_SECONDS} s: {what}"
        time.sleep(0.05)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class DevCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="penstock-dev-commands-")
        home = Path(cls.folder.name)
        cls.address = f"127.0.0.1:{free_port()}"
        cls.config = home / "penstock.json"
        cls.config.write_text(json.dumps({
            "state_dir": str(home / "state"), "http": {"listen": cls.address},
            "queues": {"mail": {"partitions": 4, "types": {
                "send": {"keep": {"succeeded": "1h"}, "limits": [{"name": "send/{account}", "slots": 5}]},
                "never": {"keep": {"dead": "1h"}, "retry": {"attempts": 1}}}}}}))
        cls.log = (home / "log").open("wb")
        cls.dev = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", PENSTOCK, "--config", cls.config, "dev", "--handler", "send=noop",
             "--handler", "never=fail:1"], stdin=subprocess.DEVNULL, stdout=cls.log, stderr=cls.log)
        until("dev is ready", lambda: "ready;" in (home / "log").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.dev.terminate()
        ended = cls.dev.wait(WITHIN_SECONDS)
        cls.log.close()
        cls.folder.cleanup()
        assert ended == 0, ended

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
        return {**clean, "TERM": "xterm"}

    def run_it(self, *arguments, status=0, stdin=""):
        done = subprocess.run([PENSTOCK, "--config", self.config, *arguments], capture_output=True, text=True,
                              input=stdin, env=self.environment(), timeout=WITHIN_SECONDS)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def json_of(self, *arguments, **more):
        return [json.loads(line) for line in self.run_it("--json", *arguments, **more).stdout.splitlines()]

    def enqueue(self, account, job, job_type="send", *more):
        self.run_it("enqueue", "--queue", "mail", "--type", job_type, "--account", account, "--id", job, *more)

    def state(self, account, job):
        shown = subprocess.run([PENSTOCK, "--config", self.config, "--json", "jobs", "show", job, "--queue", "mail",
                                "--account", account], capture_output=True, text=True, env=self.environment())
        return json.loads(shown.stdout)["state"] if shown.returncode == 0 else None

    def test_jobs_are_enqueued_and_run(self):
        self.enqueue("acme", "one")
        until("the job has run", lambda: self.state("acme", "one") == "succeeded")
        lines = "".join(json.dumps({"account": f"a{i % 7}", "type": "send", "id": f"line-{i}"}) + "\n" for i in range(500))
        done = self.run_it("enqueue", "--queue", "mail", "--from", "-", stdin=lines)
        self.assertIn("Enqueued 500 jobs to mail.", done.stderr)
        bad = self.run_it("enqueue", "--queue", "mail", "--from", "-", stdin='{"account":"a","type":"send"}\n{"x":1}\n', status=1)
        self.assertIn("line 2: ", bad.stderr)
        self.run_it("enqueue", "--queue", "nowhere", "--type", "t", "--account", "a", status=3)

    def test_every_member_of_the_record_arrives(self):
        self.enqueue("members", "full", "send", "--in", "1h", "--expires-in", "2h", "--unique-key", "k", "--meta",
                     '{"by":"test"}', "--priority", "3", "--weight", "2", "--args", '{"n":1.50}')
        self.assertEqual(self.state("members", "full"), "scheduled")
        self.run_it("enqueue", "--queue", "mail", "--type", "send", "--account", "members", "--bulk", "b", "--bulk-index",
                    "1", "--bulk-size", "2", "--id", "b/1")
        until("the chunk is in its bulk", lambda: any(
            bulk["id"] == "b" and bulk["size"] == 2 for bulk in self.json_of("bulks", "--queue", "mail")))

    def test_jobs_are_cancelled_retried_and_deleted(self):
        for job in ("c1", "c2", "c3"):
            self.enqueue("change", job, "send", "--in", "1h")
        until("they wait", lambda: self.state("change", "c3") == "scheduled")
        self.run_it("jobs", "cancel", "c1", "--queue", "mail")
        until("it is cancelled", lambda: self.state("change", "c1") is None)
        done = self.run_it("jobs", "delete", "--queue", "mail", "--account", "change")
        self.assertIn("Asked to delete 2 jobs.", done.stderr)
        until("they are deleted", lambda: self.state("change", "c3") is None)
        self.run_it("jobs", "cancel", "c1", "--queue", "mail", "--account", "change", status=3)
        self.run_it("jobs", "show", "nothing", "--queue", "mail", status=3)
        self.run_it("jobs", "cancel", "--queue", "mail", status=2)
        self.enqueue("change", "dies", "never")
        until("it is dead", lambda: self.state("change", "dies") == "dead")
        self.run_it("jobs", "retry", "dies", "--queue", "mail")

    def test_limits_and_pauses(self):
        self.assertIn("send/{account}", self.run_it("limits", "list").stdout)
        self.run_it("limits", "set", "send/limited", "0")
        self.enqueue("limited", "held")
        until("it waits for the limit", lambda: self.state("limited", "held") == "waiting")
        self.run_it("limits", "reset", "send/limited")
        until("it runs", lambda: self.state("limited", "held") == "succeeded")
        self.run_it("pause", "mail", "--account", "paused")
        self.assertIn({"queue": "mail", "account": "paused"},
                      [{name: pause[name] for name in ("queue", "account")} for pause in self.json_of("pauses")])
        self.enqueue("paused", "held")
        until("it waits for the pause", lambda: self.state("paused", "held") == "waiting")
        self.run_it("resume", "mail", "--account", "paused")
        until("it runs", lambda: self.state("paused", "held") == "succeeded")
        self.run_it("pause", "nowhere", status=3)

    def test_dead_records_and_replays(self):
        self.enqueue("dead", "d", "never")
        until("it is dead", lambda: self.state("dead", "d") == "dead")
        until("it is listed", lambda: any(
            record["id"] == "d" for record in self.json_of("dead", "list", "--queue", "mail", "--account", "dead")))
        sent, = self.json_of("dead", "resend", "--queue", "mail", "--account", "dead")
        self.assertEqual(sent["sent"], 1)
        self.enqueue("again", "r")
        until("it has run", lambda: self.state("again", "r") == "succeeded")
        counted, = self.json_of("replay", "start", "--queue", "mail", "--account", "again", "--dry-run")
        self.assertEqual(counted["copies"], 1)
        done = self.run_it("replay", "start", "--queue", "mail", "--id", "again", "--account", "again")
        self.assertIn("Started the replay", done.stderr)
        until("the copy has run", lambda: self.state("again", "replay/again/r") == "succeeded")
        self.assertIn("again", self.run_it("replay", "list").stdout)
        self.run_it("replay", "delete", "again")
        self.run_it("replay", "show", "again", status=3)

    def test_topics_need_nothing(self):
        self.assertIn("nothing to do", self.run_it("topics", "create").stderr)
        self.assertIn("mail\t4", self.run_it("topics", "describe", "mail").stdout)
        self.run_it("topics", "check", "nowhere", status=3)

    def test_overview(self):
        queue, = self.json_of("queues")
        self.assertEqual(queue["queue"], "mail")
        self.run_it("queues", "nowhere", status=3)
        self.run_it("accounts", "top", "--queue", "mail")

    def test_watch_ends_with_an_interrupt(self):
        watch = subprocess.Popen([PENSTOCK, "--config", self.config, "--json", "queues", "--watch", "0.1"],
                                 stdout=subprocess.PIPE, text=True, env=self.environment())
        for _ in range(3):
            self.assertEqual(json.loads(watch.stdout.readline())["queue"], "mail")
        watch.send_signal(signal.SIGINT)
        watch.stdout.close()
        self.assertEqual(watch.wait(WITHIN_SECONDS), 0)

    def test_an_interrupted_file_says_how_far_it_got(self):
        enqueue = subprocess.Popen([PENSTOCK, "--config", self.config, "enqueue", "--queue", "mail", "--from", "-"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
        for i in range(10):
            enqueue.stdin.write(b'{"account":"slow","type":"send","id":"s%d"}\n' % i)
        enqueue.stdin.write(b'{"account":"slow"')
        enqueue.stdin.flush()
        until("the lines have arrived", lambda: self.state("slow", "s9"))
        enqueue.send_signal(signal.SIGINT)
        self.assertEqual(enqueue.wait(WITHIN_SECONDS), 1)
        said = enqueue.stderr.read().decode()
        enqueue.stderr.close()
        with contextlib.suppress(BrokenPipeError):
            enqueue.stdin.close()
        self.assertIn("Enqueued 10 jobs to mail.", said)
        self.assertIn("stopped after line 10; every line up to it is acknowledged", said)
        self.assertIn("tail -n +11", said)

    def test_config_check_and_doctor(self):
        shown, = self.json_of("config", "check")
        self.assertEqual(shown["queues"]["mail"]["partitions"], 4)
        findings = self.json_of("doctor")
        self.assertEqual({finding["level"] for finding in findings}, {"ok"}, findings)
        self.assertTrue(any("is held: process" in finding["what"] for finding in findings), findings)

    def terminal(self, end):
        """`top` in a terminal of 80x24; what it drew, and its status. `end` ends it."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        before = termios.tcgetattr(slave)
        top = subprocess.Popen([PENSTOCK, "--config", self.config, "top"], stdin=slave, stdout=slave, stderr=slave,
                               env=self.environment(), start_new_session=True)
        drawn = b""

        def read(text):
            nonlocal drawn
            if select.select([master], [], [], 0.05)[0]:
                drawn += os.read(master, 65536)
            return text in drawn
        until("the queues are drawn", lambda: read(b"mail"))
        os.write(master, b"\t")
        until("the accounts are drawn", lambda: read(b"[2 Accounts]"))
        os.write(master, b"\x1b[D4")
        until("the workers are drawn", lambda: read(b"[4 Workers]"))
        end(top, master)
        until("top has ended", lambda: (read(b"never drawn"), top.poll() is not None)[1])
        while select.select([master], [], [], 0.2)[0]:
            drawn += os.read(master, 65536)
        after = termios.tcgetattr(slave)
        os.close(slave)
        os.close(master)
        self.assertEqual(after, before)
        return drawn.decode(), top.returncode

    def test_top_gives_the_terminal_back(self):
        def press_q(_, master):
            os.write(master, b"q")

        def terminate(top, _):
            top.terminate()
        for end in (press_q, terminate):
            drawn, status = self.terminal(end)
            self.assertEqual(status, 0)
            self.assertTrue(drawn.startswith("\x1b[?1049h"), drawn[:80])
            self.assertTrue(drawn.rstrip().endswith("\x1b[?1049l"), drawn[-80:])
            lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)
            self.assertIn("1 queue", lines)
        self.assertIn("needs a terminal", self.run_it("top", status=1).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
