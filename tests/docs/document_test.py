"""The rules of a document's blocks, each broken once."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import document


def as_it_is(text):
    return text


class Blocks(unittest.TestCase):
    def read(self, text, fitted=as_it_is):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.md"
            path.write_text(text, encoding="utf-8")
            return document.read(path, "a.md", fitted)

    def run_of(self, text, fitted=as_it_is):
        with tempfile.TemporaryDirectory() as folder:
            script = document.script(self.read(text, fitted))
            return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)

    def test_blocks_run_in_one_shell_and_in_their_order(self):
        done = self.run_of("```sh\nx=1\n```\ntext\n```sh\necho \"x is $x\"\n```\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("x is 1", done.stdout)

    def test_a_command_that_fails_fails_the_document(self):
        done = self.run_of("```sh\nfalse\n```\n```sh\necho reached\n```\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("reached", done.stdout)

    def test_a_failure_that_is_announced_must_come_with_its_status(self):
        self.assertEqual(self.run_of("<!-- fails: 2 -->\n```sh\n(exit 2)\n```\n").returncode, 0)
        self.assertNotEqual(self.run_of("<!-- fails: 2 -->\n```sh\n(exit 1)\n```\n").returncode, 0)
        self.assertNotEqual(self.run_of("<!-- fails: 2 -->\n```sh\ntrue\n```\n").returncode, 0)

    def test_a_file_block_is_written_as_it_stands_and_is_no_command(self):
        text = "it's $HOME `x`\n\\n %s"
        done = self.run_of(f"<!-- file: f -->\n```text\n{text}\n```\n\n```sh\ncat f\n```\n")
        self.assertIn(text, done.stdout)
        self.assertEqual(self.read("<!-- file: f -->\n```text\nx\n```\n").commands, 0)

    def test_a_comment_belongs_to_the_block_behind_it_alone(self):
        self.assertEqual(self.read("<!-- not run: why -->\n```console\n$ x\n```\n").faults, [])
        self.assertEqual(len(self.read("<!-- not run: why -->\ntext\n\n```console\n$ x\n```\n").faults), 1)
        self.assertEqual(len(self.read("<!-- not run: a -->\n```console\n$ x\n```\n```console\n$ y\n```\n").faults), 1)

    def test_a_console_block_needs_a_reason(self):
        self.assertEqual(self.read("```console\n$ x\n```\n").faults,
                         ["a.md:1: a console block without <!-- not run: REASON -->"])

    def test_a_command_stands_in_a_block_that_says_whether_it_runs(self):
        fault = ["a.md:1: a command in a block that is neither sh nor console"]
        for command in ("penstock limits list", "make test", "deploy/local-kafka start", "cmake -B build", "kcat -L", "curl -s :1"):
            self.assertEqual(self.read(f"```\ntext\n{command}\n```\n").faults, fault)
            self.assertEqual(self.read(f"```bash\n{command}\n```\n").faults, fault)
            self.assertEqual(self.read(f"```sh\n{command}\n```\n").faults, [])
            self.assertEqual(self.read(f"<!-- file: f -->\n```\n{command}\n```\n").faults, [])
        self.assertEqual(self.read("```\n penstock work\npenstock.mail\n```\n").faults, [])

    def test_the_documents_have_no_faults(self):
        for path in document.all_documents():
            with self.subTest(str(path)):
                self.assertEqual(document.read(path, path.name, as_it_is).faults, [])

    def test_a_block_that_does_not_end_is_a_fault(self):
        self.assertEqual(self.read("```sh\ntrue\n").faults, ["a.md:1: the block does not end"])

    def test_a_wait_goes_on_when_its_command_succeeds(self):
        done = self.run_of("```sh\n(touch f) &\n```\n<!-- wait: [ -e f ] -->\n```sh\necho there\n```\n")
        self.assertIn("there", done.stdout)

    def test_commands_files_and_waits_are_fitted(self):
        done = self.run_of("<!-- file: here -->\n```text\nhere\n```\n```sh\ncat here\n```\n",
                           lambda text: text.replace("here", "there"))
        self.assertNotEqual(done.returncode, 0)  # a file's name stays: it is not what the reader would type
        done = self.run_of("<!-- file: f -->\n```text\nhere\n```\n<!-- wait: grep -q here f -->\n```sh\ncat f\necho here\n```\n",
                           lambda text: text.replace("here", "there"))
        self.assertEqual(done.stdout.count("there"), 2)


if __name__ == "__main__":
    unittest.main()
