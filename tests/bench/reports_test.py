"""Each benchmark of the program runs with tiny sizes on the Kafka at PENSTOCK_KAFKA and prints one report."""

import json
import os
import subprocess
import unittest

PROGRAM = os.environ["PENSTOCK"]
MEMBERS = {"bench", "value", "unit", "raw", "ratio", "min_ratio", "max_ratio", "settings"}


def report_of(test, name, *options):
    brokers = os.environ.get("PENSTOCK_KAFKA")
    test.assertTrue(brokers, "set PENSTOCK_KAFKA=host:port, or run deploy/with-kafka ctest")
    command = [PROGRAM, "--brokers", brokers, "bench", name, "--partitions", "2", "--rounds", "1", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    test.assertEqual(done.returncode, 0, done.stderr)
    lines = done.stdout.splitlines()
    test.assertEqual(len(lines), 1, done.stdout)
    return json.loads(lines[0])


class Reports(unittest.TestCase):
    def check(self, name, unit, *options, more=(), besides=(), above_zero=True):
        report = report_of(self, name, *options)
        self.assertEqual(set(report), MEMBERS | set(more) | set(besides))
        self.assertEqual(report["bench"], name)
        self.assertEqual(report["unit"], unit)
        for member in (MEMBERS - {"bench", "unit", "settings"}) | set(more):
            self.assertIsInstance(report[member], (int, float), member)
        if above_zero:
            self.assertGreater(report["value"], 0)
            self.assertGreater(report["raw"], 0)
        self.assertLessEqual(report["min_ratio"], report["ratio"])
        self.assertLessEqual(report["ratio"], report["max_ratio"])
        self.assertEqual(report["settings"]["partitions"], 2)
        self.assertEqual(report["settings"]["rounds"], 1)

    def test_quick(self):
        self.check("quick", "jobs/s", "--jobs", "200", "--accounts", "10")

    def test_events(self):
        self.check("events", "us/job", "--jobs", "200", "--accounts", "10", more=("all_events_ratio",))

    def test_latency(self):
        # A consumer may have the record before its producer is told that it is acknowledged.
        self.check("latency", "ms", "--jobs", "100", "--accounts", "10",
                   more=("p99_ms", "raw_p99_ms", "over_p50_ms", "over_p99_ms"), above_zero=False)

    def test_busy(self):
        self.check("busy", "jobs/s", "--jobs", "200", "--accounts", "10")

    def test_slots(self):
        self.check("slots", "jobs/s", "--jobs", "4000", "--seconds", "1")

    def test_parked(self):
        self.check("parked", "cpu percent", "--jobs", "5000", "--accounts", "50", "--seconds", "2")

    def test_noisy(self):
        self.check("noisy", "s", "--jobs", "100", "--accounts", "5")

    def test_due(self):
        self.check("due", "s", "--jobs", "200", "--accounts", "10", more=("early", "checked_for_early"))

    def test_retries(self):
        self.check("retries", "s", "--jobs", "200", "--accounts", "10", more=("fresh_p99_ms", "quiet_fresh_p99_ms"))

    def test_produce(self):
        self.check("produce", "jobs/s", "--jobs", "500", "--accounts", "10")

    def test_kept(self):
        self.check("kept", "jobs/s", "--jobs", "200", "--accounts", "10", "--rows", "20")

    def test_accounts(self):
        self.check("accounts", "ns/job", "--jobs", "200", "--accounts", "150")

    def test_scheduled(self):
        self.check("scheduled", "bytes", "--jobs", "200", "--accounts", "10", "--seconds", "3",
                   more=("bytes_until_done", "due_jobs_per_second", "admitted_jobs_per_second", "early",
                         "checked_for_early"))

    def test_restore(self):
        self.check("restore", "bytes/s", "--jobs", "200", "--accounts", "10", more=("cold_start_s", "warm_restart_s"))

    def test_takeover(self):
        self.check("takeover", "ms of the longest pass", "--accounts", "3000")

    def test_failover(self):
        self.check("failover", "ms", "--state-mb", "1",
                   more=("handover_p50_ms", "handover_max_ms", "in_place_max_s", "machine_max_s",
                         "machine_standby_max_s"),
                   besides=("sizes",))

    def test_idle(self):
        self.check("idle", "bytes", "--seconds", "1", more=("cpu_percent", "raw_cpu_percent", "ready_s"))


class Usage(unittest.TestCase):
    def test_without_brokers_it_is_wrong_usage_and_says_so(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
        done = subprocess.run([PROGRAM, "bench", "quick"], capture_output=True, text=True, timeout=30, check=False,
                              env=environment, cwd="/")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--brokers", done.stderr)


if __name__ == "__main__":
    unittest.main()
