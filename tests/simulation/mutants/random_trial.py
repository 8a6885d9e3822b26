"""What becomes of a random mutant: first the unit tests of what it is in, then the seeds of the simulation."""

import shutil
from dataclasses import dataclass, field

from build import BrokenMutant
from verdict import failed_tests, search

FEW_SEEDS, MANY_SEEDS = 200, 2000


@dataclass
class RandomResult:
    mutant: object
    by_tests: list = field(default_factory=list)
    by_rule: str | None = None
    seed: int | None = None

    def line(self):
        caught = []
        if self.by_tests:
            more = f" and {len(self.by_tests) - 1} more" if len(self.by_tests) > 1 else ""
            caught.append(f"unit tests ({self.by_tests[0]}{more})")
        if self.by_rule:
            caught.append(f"simulation ({self.by_rule} at seed {self.seed})")
        return f"{self.mutant.name}, {self.mutant.breaks}: " + (" and ".join(caught) or "SURVIVES")


class RandomTrial:
    def __init__(self, build, mutant, folder):
        self.build, self.mutant = build, mutant
        self.into = folder / mutant.name.replace("/", "_").replace(":", "_")

    def run(self):
        """Nothing where it is no program."""
        try:
            shutil.rmtree(self.into, ignore_errors=True)
            return self.tried()
        except BrokenMutant:
            return None
        finally:
            shutil.rmtree(self.into, ignore_errors=True)

    def tried(self):
        result, sources = RandomResult(self.mutant), self.mutant.applied()
        programs = ["state_test", "consumer_test"] if self.mutant.edits[0].file.startswith("state/") else ["consumer_test"]
        for name in programs:
            if not result.by_tests:
                result.by_tests = failed_tests(self.build.program(name, sources, self.into), "*")
        program = self.build.program("simulation_test", sources, self.into)
        # What the unit tests have caught is put to the simulation as well, for comparison, but not for long.
        found = search(program, self.mutant, 1, FEW_SEEDS if result.by_tests else MANY_SEEDS)
        if found:
            result.seed, result.by_rule, _ = found
        return result
