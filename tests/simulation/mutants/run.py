#!/usr/bin/env python3
"""Runs mutants of the product and says which tests catch them: those of the tables, or random ones."""

import argparse
import collections
import hashlib
import itertools
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import random_mutants
import table
from build import PROGRAMS, Build, BrokenMutant
from random_trial import RandomTrial
from verdict import Trial

MOST_SEEDS = 4000
# A slice has less time: where a change has made a known seed another run, more are tried than nearly all need.
SLICE_SEEDS = 1500


def slice_of(mutants, commit):
    """All of them, in an order that follows from the commit."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{commit} {mutant.name}".encode()).digest())


def report(verdicts, mutants, ran_out, started):
    """The failures once more, and what is known by rule, as one line of JSON at the end."""
    failed = [verdict for verdict in verdicts if verdict.fault]
    by_rule = {}
    for verdict in verdicts:
        if verdict.by and not verdict.fault:
            by_rule[verdict.by] = by_rule.get(verdict.by, 0) + 1
    if failed:
        print("\n== Not caught, or for another reason")
        for verdict in failed:
            print(verdict.line())
    print(json.dumps({"mutants": len(mutants), "ran": len(verdicts), "caught": len(verdicts) - len(failed),
                      "time_was_over": ran_out, "seconds": round(time.monotonic() - started),
                      "by_rule": dict(sorted(by_rule.items()))}))
    return 1 if failed else 0


def run_table(given, build, mutants, started):
    deadline = started + 60 * given.minutes if given.minutes else None
    seeds = given.seeds or (SLICE_SEEDS if given.slice else MOST_SEEDS)
    verdicts, ran_out = [], False

    def one(mutant):
        nonlocal ran_out
        if deadline and time.monotonic() > deadline:
            ran_out = True
            return
        # Any change of the simulation may make another rule the first that notices a mutant. A slice is to show that
        # the tests still catch it; the names in the tables are for the runs of all.
        trial = Trial(build, mutant, build.folder / "mutated", seeds, find=given.find, any_rule=bool(given.slice))
        verdict = trial.run()
        verdicts.append(verdict)
        print(verdict.line(), flush=True)
        if given.find and not verdict.fault and verdict.seed is not None:
            table.write_seed(mutant, verdict.seed)

    chosen = slice_of(mutants, given.slice) if given.slice else mutants
    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(one, chosen))
    return report(verdicts, mutants, ran_out, started)


def run_random(given, build):
    """As many as compile. Whether any survives is for a person to judge: many a change is none."""
    drawn = random_mutants.draw(given.seed)
    results = []
    with ThreadPoolExecutor(given.jobs) as pool:
        while len(results) < given.random:
            batch = list(itertools.islice(drawn, given.random - len(results)))
            if not batch:
                break
            for result in pool.map(lambda mutant: RandomTrial(build, mutant, build.folder / "mutated").run(), batch):
                if result:
                    results.append(result)
                    print(f"{len(results)}. {result.line()}", flush=True)
    survivors = [result for result in results if not result.by_tests and not result.by_rule]
    for result in survivors:
        print(f"\n== Survives: {result.mutant.breaks}\n{result.mutant.diff()}")
    print(json.dumps({"mutants": len(results), "seed": given.seed,
                      "by_unit_tests": sum(bool(result.by_tests) for result in results),
                      "by_simulation": sum(bool(result.by_rule) for result in results),
                      "by_simulation_alone": sum(bool(result.by_rule and not result.by_tests) for result in results),
                      "survive": len(survivors)}))
    return 0


def chosen_by_name(mutants, names):
    known = {mutant.name: mutant for mutant in mutants}
    if missing := [name for name in names if name not in known]:
        raise SystemExit(f"no mutant is called {', '.join(missing)}")
    return [known[name] for name in names]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="only whether the tables fit the sources")
    what.add_argument("--summary", action="store_true", help="how many there are by the rule that may catch them")
    what.add_argument("--relocate", action="store_true", help="write the paths of texts that are in another file now")
    what.add_argument("--build", action="store_true", help="only the healthy programs, which takes a while")
    what.add_argument("--all", action="store_true", help="every mutant of the tables")
    what.add_argument("--only", nargs="+", metavar="NAME", help="these")
    what.add_argument("--slice", metavar="HASH", help="as many as --minutes allow, in an order that follows from HASH")
    what.add_argument("--random", type=int, metavar="COUNT", help="so many that are in no table")
    parser.add_argument("--seed", type=int, default=1, help="what --random draws follows from it")
    parser.add_argument("--minutes", type=float, help="begin no further mutant after that time")
    parser.add_argument("--seeds", type=int, help="of the simulation, at most, where the known one catches nothing")
    parser.add_argument("--by", choices=["simulation"], help="only those that it catches; nothing else is built")
    parser.add_argument("--find", action="store_true", help="search from seed 1, and write what is found into the tables")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    return parser.parse_args()


def main():
    given, started = arguments(), time.monotonic()
    mutants = table.read_tables()
    if given.relocate:
        done, lost = table.relocate(mutants)
        print("\n".join(done + lost))
        return 1 if lost else 0
    if given.summary:
        by_rule = collections.Counter(rule for mutant in mutants for rule in mutant.rules or ["a unit test"])
        print(json.dumps({"mutants": len(mutants), "by_rule": dict(sorted(by_rule.items()))}))
        return 0
    if given.only:
        mutants = chosen_by_name(mutants, given.only)
    found = [fault for fault in table.faults(mutants) if not (given.find and "--find" in fault)]
    if found or given.check:
        print("\n".join(found) or f"{len(mutants)} mutants fit the sources")
        return 1 if found else 0
    if given.by:
        mutants = [mutant for mutant in mutants if not mutant.test]
    build = Build()
    build.prepare(["simulation_test"] if given.by else list(PROGRAMS), given.jobs)
    if given.build:
        return 0
    if given.random:
        return run_random(given, build)
    return run_table(given, build, mutants, time.monotonic())


if __name__ == "__main__":
    sys.exit(main())
