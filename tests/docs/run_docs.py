"""Runs every command of the documents: README.md, CONTRIBUTING.md, docs/**/*.md and examples/*/README.md.

    run_docs.py PENSTOCK BUILD-FOLDER [DOCUMENT...]

Each document is one script (document.py says how it is read) in a temporary folder that looks like a checkout:
`deploy/` and `build/release` lead to the real ones, `examples/` is a copy, and files that the commands make
are thrown away with it. `penstock` and `python3` are on the PATH. What a reader would have as his own is
replaced in commands and files:
    127.0.0.1:9092       the Kafka of PENSTOCK_KAFKA
    127.0.0.1:8080       free ports, as is 127.0.0.1:3000
    penstock.mail        the same topic under a prefix of this run, which config files get too; so is any topic after -t
What a document starts is ended with it, and its topics are deleted.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from confluent_kafka.admin import AdminClient

import document
from document import CHECKOUT, all_documents

PENSTOCK, BUILD = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
KAFKA = os.environ.get("PENSTOCK_KAFKA", "")
LIMIT_SECONDS = 240
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def chosen_documents():
    named = [Path(name).resolve() for name in sys.argv[3:]]
    return [path for path in all_documents() if not named or path in named]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Checkout:
    """The temporary folder of one document."""

    def __init__(self, folder: Path, prefix: str):
        self.folder, self.prefix = folder, prefix
        handler_port = free_port()
        self.replaced = {
            "mail_producer 127.0.0.1:9092 penstock ": f"mail_producer {KAFKA} {prefix} ",
            "127.0.0.1:9092": KAFKA,
            "127.0.0.1:8080": f"127.0.0.1:{free_port()}",
            "127.0.0.1:3000": f"127.0.0.1:{handler_port}",
            '("127.0.0.1", 3000)': f'("127.0.0.1", {handler_port})',
            "penstock.mail": f"{prefix}.mail",
            "-t penstock.": f"-t {prefix}.",
        }
        (folder / "build").mkdir()
        (folder / "build/release").symlink_to(BUILD)
        (folder / "deploy").symlink_to(CHECKOUT / "deploy")
        shutil.copytree(CHECKOUT / "examples", folder / "examples")
        for path in (folder / "examples").rglob("*"):
            if path.is_file():
                path.write_text(self.fitted(path.read_text(encoding="utf-8")), encoding="utf-8")
        programs = folder / ".programs"
        programs.mkdir()
        (programs / "penstock").symlink_to(PENSTOCK)
        (programs / "python3").symlink_to(sys.executable)

        # For commands before the document's own config, and for those that need none.
        (folder / "penstock.json").write_text(f'{{"prefix": "{prefix}"}}', encoding="utf-8")

    def fitted(self, text: str) -> str:
        for found, put in self.replaced.items():
            text = text.replace(found, put)
        if '"queues":' in text and text.lstrip().startswith("{"):  # a config file, which must stay within this run
            text = re.sub(r'^  "prefix": .*\n', "", text, flags=re.MULTILINE)
            text = text.replace("{", f'{{ "prefix": "{self.prefix}",', 1)
        return text

    def environment(self):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
        return inherited | {"PATH": f"{self.folder}/.programs:{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}


def run(script: str, checkout: Checkout):
    """Exit status and output; what the script has started is ended."""
    with tempfile.TemporaryFile("w+") as output:
        bash = subprocess.Popen(["bash", "-c", script], cwd=checkout.folder, env=checkout.environment(),
                                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = bash.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            status = f"not done within {LIMIT_SECONDS} s"
        end_group(bash.pid)
        bash.wait()
        output.seek(0)
        return status, output.read()


def group_runs(group):
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            return True
    return False


def end_group(group):
    for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
        until = time.monotonic() + patience
        while group_runs(group) and time.monotonic() < until:
            try:
                os.killpg(group, number)
            except ProcessLookupError:
                return
            wait_a_moment_for(group)


def wait_a_moment_for(group):
    """Workers that are told twice leave at once, so they are told again only after their grace."""
    until = time.monotonic() + 10
    while group_runs(group) and time.monotonic() < until:
        time.sleep(0.05)


def delete_topics(prefix):
    admin = AdminClient({"bootstrap.servers": KAFKA})
    topics = [name for name in admin.list_topics(timeout=30).topics if name.startswith(f"{prefix}.")]
    for deleted in (admin.delete_topics(topics) if topics else {}).values():
        deleted.result(timeout=30)


class Documents(unittest.TestCase):
    def test_every_command_runs_as_it_is_written(self):
        self.assertTrue(KAFKA, "PENSTOCK_KAFKA is not set; run this by deploy/with-kafka")
        for number, path in enumerate(chosen_documents()):
            with self.subTest(str(path.relative_to(CHECKOUT))):
                self.check(path, f"docs-{os.getpid()}-{number}")

    def check(self, path, prefix):
        name = str(path.relative_to(CHECKOUT))
        with tempfile.TemporaryDirectory(prefix="penstock-docs-") as folder:
            checkout = Checkout(Path(folder), prefix)
            read = document.read(path, name, checkout.fitted)
            self.assertEqual(read.faults, [])
            if not read.commands:
                return
            began = time.monotonic()
            try:
                status, output = run(document.script(read), checkout)
            finally:
                delete_topics(prefix)
        print(f"{name}: {read.commands} blocks, {time.monotonic() - began:.1f} s", flush=True)
        self.assertEqual(status, 0, f"\n{name} failed:\n{output}")

    def test_every_link_within_the_repository_leads_somewhere(self):
        for path in all_documents():
            for link, _ in LINK.findall(path.read_text(encoding="utf-8")):
                with self.subTest(document=str(path.relative_to(CHECKOUT)), link=link):
                    self.assertTrue((path.parent / link).exists())

    def test_the_command_line_document_names_every_option(self):
        text = (CHECKOUT / "docs/cli.md").read_text(encoding="utf-8")
        for command in self.commands([]):
            shown = subprocess.run([PENSTOCK, *command, "--help"], capture_output=True, text=True, check=True).stdout
            for option in re.findall(r"^  (?:-h,)?(--[a-z-]+)", shown, flags=re.MULTILINE):
                with self.subTest(command=" ".join(command), option=option):
                    self.assertTrue(option in text, "docs/cli.md does not name it")

    def commands(self, command):
        shown = subprocess.run([PENSTOCK, *command, "--help"], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^  ([a-z]+) ", shown.partition("Subcommands:")[2], flags=re.MULTILINE)
        return [command] + [deeper for name in names for deeper in self.commands([*command, name])]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
