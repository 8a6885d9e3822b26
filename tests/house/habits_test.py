"""House style, as far as a program can see it: lengths, names, and what tests must not do."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ["include", "topics", "producer", "state", "consumer", "api", "cli", "bench", "examples", "tests"]
MAX_LINES = 500
VAGUE_NAME = re.compile(r"(^|_)(utils?|common|managers?|helpers?)($|_|\.)")
# The words are put together here so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\s*\(")
# Mutants are in tables beside the tests (tests/simulation/mutants), never in the product.
BUG_SWITCH = re.compile(r"\bplanted\s*\(|PENSTOCK_PLANTED")
SKIPPED = re.compile(r"\bGTEST_SKIP\b|\bDISABLED_")


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".py", ".sh"):
                yield path.relative_to(ROOT)


def found(pattern, paths):
    for path in paths:
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()}"


def cpp_tests():
    return [path for path in sources() if path.parts[0] == "tests" and path.suffix in (".h", ".cc")]


class Habits(unittest.TestCase):
    def test_no_file_is_longer_than_the_hard_cut(self):
        lengths = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in sources()}
        self.assertEqual([f"{p}: {n} lines" for p, n in lengths.items() if n > MAX_LINES], [])

    def test_names_say_what_a_thing_is(self):
        self.assertEqual([str(path) for path in sources() if any(map(VAGUE_NAME.search, path.parts))], [])

    def test_nothing_is_left_for_later(self):
        self.assertEqual(list(found(UNFINISHED, sources())), [])

    def test_tests_wait_for_conditions_and_never_sleep(self):
        self.assertEqual(list(found(SLEEP, cpp_tests())), [])

    def test_no_bug_can_be_switched_on_in_the_product(self):
        product = [path for path in sources() if path.parts[0] != "tests"]
        self.assertEqual(list(found(BUG_SWITCH, product)), [])

    def test_no_test_is_skipped(self):
        self.assertEqual(list(found(SKIPPED, cpp_tests())), [])


if __name__ == "__main__":
    unittest.main()
