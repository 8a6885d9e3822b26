"""What becomes of a mutant: the runs of the simulation and the unit tests that are to catch it."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass

from build import BrokenMutant

SEARCH_SECONDS = 900
TEST_SECONDS = 150


@dataclass
class Verdict:
    mutant: object
    by: str | None = None  # the rule, or "unit tests"; None: nothing catches it
    seed: int | None = None
    says: str = ""  # what the rule says, or the names of the tests
    fault: str = ""  # why this is no proof of the tests
    note: str = ""

    def line(self):
        what = f"FAILED: {self.fault}" if self.fault else f"caught by {self.by}"
        where = f" at seed {self.seed}" if self.seed is not None else ""
        return f"{self.mutant.name}: {what}{where}" + (f" ({self.note})" if self.note else "")


def output_of(command, seconds):
    """Its standard output and exit status; None when its time was over."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                               start_new_session=True)
    try:
        text, _ = process.communicate(timeout=seconds)
        return text, process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
        process.wait()
        return None


def search(program, mutant, first, seeds, seconds=SEARCH_SECONDS):
    """The first seed that breaks a rule: (seed, rule, text), or None."""
    options = [option for option, wanted in [("--foreign-trims", mutant.foreign_trims),
                                             ("--recreate-topics", mutant.recreate_topics)] if wanted]
    ran = output_of([str(program), "--search", str(first), "--seeds", str(seeds), *options], seconds)
    if ran is None:
        return first, "hung", f"hung: {seeds} seeds have not ended in {seconds} s"
    word, _, rest = ran[0].strip().partition(" ")
    if word == "broken":
        seed, _, text = rest.partition(" ")
        return int(seed), text.split(":")[0], text
    if word != "kept":
        raise BrokenMutant(f"the simulation has failed: {ran[0].strip()[-500:]}, exit status {ran[1]}")
    return None


def may_catch(mutant, rule):
    return rule in mutant.rules or (rule == "crashed" and mutant.may_crash) or (rule == "hung" and mutant.may_hang)


def failed_tests(program, pattern, seconds=TEST_SECONDS):
    """The names of the tests that fail; an empty list: none does. A crash or a hang counts for the test that ran."""
    ran = output_of([str(program), f"--gtest_filter={pattern}"], seconds)
    if ran is None:
        return ["(its time was over)"]
    text, status = ran
    failed = list(dict.fromkeys(re.findall(r"^\[  FAILED  \] (\w+(?:/\w+)*\.\w+(?:/\w+)*)", text, re.M)))
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    if not begun:
        raise BrokenMutant(f"no test is called {pattern}")
    if status < 0:
        failed.append(begun[-1])
    return failed or (["(exit status %d)" % status] if status else [])


class Trial:
    """One mutant of the table. With `any_rule`, one that the table does not name is a note and no fault."""

    def __init__(self, build, mutant, folder, seeds, find=False, any_rule=False):
        self.build, self.mutant, self.seeds, self.find, self.any_rule = build, mutant, seeds, find, any_rule
        self.into = folder / mutant.name

    def run(self):
        try:
            shutil.rmtree(self.into, ignore_errors=True)
            return self.by_test() if self.mutant.test else self.by_rule()
        except BrokenMutant as fault:
            return Verdict(self.mutant, fault=str(fault))
        finally:
            shutil.rmtree(self.into, ignore_errors=True)

    def by_test(self):
        name, _, pattern = self.mutant.test.partition(" ")
        program = self.build.program(name, self.mutant.applied(), self.into)
        failed = failed_tests(program, pattern)
        if not failed:
            return Verdict(self.mutant, fault=f"{pattern} passes")
        return Verdict(self.mutant, by="unit tests", says=" ".join(failed))

    def by_rule(self):
        program = self.build.program("simulation_test", self.mutant.applied(), self.into)
        known = self.mutant.seed
        found = search(program, self.mutant, known, 1) if known is not None and not self.find else None
        if found:
            return self.judged(found)
        return self.searched(program)

    def judged(self, found):
        seed, rule, text = found
        if may_catch(self.mutant, rule):
            return Verdict(self.mutant, rule, seed, text)
        if self.any_rule:
            return Verdict(self.mutant, rule, seed, text, note="a rule that its table does not name")
        return Verdict(self.mutant, rule, seed, text, fault=f"what is noticed is something else: {text}")

    def searched(self, program):
        """Where a change has made the known seed another run, the search begins anew."""
        first, other = 1, None
        while first <= self.seeds:
            found = search(program, self.mutant, first, self.seeds + 1 - first)
            if not found:
                break
            verdict = self.judged(found)
            if not verdict.fault or not self.find:
                if not verdict.fault:
                    moved = f"its seed is now {verdict.seed}, it was {self.mutant.seed}"
                    verdict.note = "; ".join(filter(None, [verdict.note, moved]))
                return verdict
            other = other or verdict
            first = found[0] + 1
        return other or Verdict(self.mutant, fault=f"nothing catches it in {self.seeds} seeds")
