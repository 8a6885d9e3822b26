"""Programs with a mutant in them: compiles the changed sources alone, and links them in place of the healthy ones.

The checker of the simulation reads what the product has written with the product's own code. Where that code is changed
it gets a healthy copy under other names: a mutant must not make the checker blind."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from table import ROOT

BUILD = ROOT / "build/mutants"
PROGRAMS = {"simulation_test": "tests/simulation/simulation_test", "consumer_test": "tests/consumer_test",
            "state_test": "tests/state_test", "consumer_worker_test": "tests/consumer_worker_test",
            "consumer_handlers_test": "tests/consumer_handlers_test"}
# Of the simulation's own sources: those that run the product. All others judge it.
RUNS_PRODUCT = ("campaign", "campaign_test", "gap_checks", "main", "pool_checks", "simulated_disk",
                "simulated_executor", "simulated_worker", "simulation", "settings", "traffic", "worker_types")
COMPILE_SECONDS = 600


class BrokenMutant(Exception):
    """The mutant is no program: it does not compile, or does not link."""


def run(command, seconds=COMPILE_SECONDS, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=seconds, check=False, **options)


class Build:
    def __init__(self, folder=BUILD):
        self.folder = folder
        self.sources, self.commands, self.links, self.needs = {}, {}, {}, {}  # by object; by program; by source

    def prepare(self, programs, jobs):
        """Configures the build where that has not been done, and builds the healthy programs."""
        if not (self.folder / "build.ninja").exists():
            options = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={found}" for found in [shutil.which("ccache")] if found]
            options += ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold"] if shutil.which("mold") else []
            done = run(["cmake", "--preset", "mutants", *options], cwd=ROOT)
            if done.returncode:
                raise SystemExit(done.stdout)
        done = subprocess.run(["ninja", "-C", str(self.folder), f"-j{jobs}", *programs], check=False)
        if done.returncode:
            raise SystemExit("the healthy programs cannot be built")
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            file = Path(entry["file"])
            if file.is_relative_to(ROOT):
                command = shlex.split(entry["command"])
                output = command[command.index("-o") + 1]
                self.sources[output] = file.relative_to(ROOT).as_posix()
                self.commands[output] = command
        for program in programs:
            self.links[program] = self.read_link(program)
        self.read_needs()

    def read_link(self, program):
        lines = run(["ninja", "-C", str(self.folder), "-t", "commands", "-s", PROGRAMS[program]]).stdout.splitlines()
        step = next(part for part in lines[-1].split(" && ") if " -o " in part)
        return shlex.split(step)

    def read_needs(self):
        """The objects that are compiled from each source or header."""
        listed = run(["ninja", "-C", str(self.folder), "-t", "deps"]).stdout
        for block in listed.split("\n\n"):
            lines = block.splitlines()
            if not lines:
                continue
            output = lines[0].split(":")[0]
            for line in lines[1:]:
                path = os.path.normpath(self.folder / line.strip())
                if path.startswith(str(ROOT) + "/"):
                    self.needs.setdefault(path[len(str(ROOT)) + 1:], []).append(output)

    def objects(self, program, files):
        """The objects of the program's, and of the core's libraries, that these files are in."""
        link = self.links[program]
        libraries = [re.sub(r"^lib|\.a$", "", Path(word).name) for word in link if word.endswith(".a")]
        folders = tuple(f"CMakeFiles/{name}.dir/" for name in libraries)
        found = {output for file in files for output in self.needs.get(file, [])}
        return sorted(output for output in found if output in link or output.startswith(folders))

    def compile(self, output, overlay, into):
        """One object again, with what the overlay has instead of the sources."""
        source = self.sources[output]
        target = into / output.replace("/", "_")
        words, skip = [], False
        for word in self.commands[output]:
            if skip or word == "-Werror" or re.match(r"-W[a-z]", word) and not word.startswith("-Wl"):
                skip = False
                continue
            if word == "-o":
                skip = True
                continue
            if Path(word) == ROOT / source and (overlay / source).exists():
                word = str(overlay / source)
            words.append(word)
        # The overlay's headers come before all others.
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words[first:first] = [f"-I{overlay}"]
        done = run([*words, "-w", "-o", str(target)], cwd=self.folder)
        if done.returncode:
            raise BrokenMutant("does not compile:\n" + done.stdout[-3000:])
        return target

    def program(self, name, sources, into):
        """Links a program with the changed sources, which are given as text by their paths."""
        overlay = into / "sources"
        for path, text in sources.items():
            (overlay / path).parent.mkdir(parents=True, exist_ok=True)
            if not (overlay / path).exists() or (overlay / path).read_text() != text:
                (overlay / path).write_text(text)
        changed = {output: self.made(output, overlay, into) for output in self.objects(name, sources)}
        if not changed:
            raise BrokenMutant(f"is in no object of {name}")
        objects, libraries, head = [], [], []
        words = iter(self.links[name])
        for word in words:
            if word == "-o":
                next(words)
            elif word.endswith(".o"):
                objects.append(word)
            elif word.endswith((".a", ".so")) or re.search(r"\.so(\.\d+)*$", word) or word.startswith(("-l", "-Wl,")):
                libraries.append(word)
            else:
                head.append(word)
        own = [str(changed.get(word, word)) for word in objects]
        mutated = [str(path) for output, path in changed.items() if output not in objects]
        judges = self.judges(objects, changed, into) if name == "simulation_test" else []
        judged = {word for word, _ in judges}
        own = [new for word, new in zip(objects, own) if word not in judged]
        copies = [str(new) for _, new in judges]
        target = into / name
        done = run([*head, "-o", str(target), *mutated, *own, *copies, *libraries], cwd=self.folder)
        if done.returncode:
            raise BrokenMutant("does not link:\n" + done.stdout[-3000:])
        return target

    def made(self, output, overlay, into):
        into.mkdir(parents=True, exist_ok=True)
        target = into / output.replace("/", "_")
        return target if target.exists() else self.compile(output, overlay, into)

    def judges(self, objects, changed, into):
        """Copies of the checker's objects that call healthy copies of what has changed: (object, copy), the healthy
        copies under None."""
        def judges(source):
            return source.startswith("tests/simulation/") and Path(source).stem not in RUNS_PRODUCT

        judging = [word for word in objects if judges(self.sources[word])]
        healthy = [output for output in changed if not self.sources[output].startswith("tests/")]
        names = {symbol for output in healthy for symbol in self.symbols(output, defined=True)}
        calling = [word for word in judging if names & self.symbols(word, defined=False)]
        if not calling:
            return []
        renames = into / "renames"
        renames.write_text("".join(f"{name} healthy_{name}\n" for name in sorted(names)))
        copies = []
        for word in [*calling, *healthy]:
            copy = into / ("judge_" + word.replace("/", "_"))
            done = run(["objcopy", f"--redefine-syms={renames}", word, str(copy)], cwd=self.folder)
            if done.returncode:
                raise BrokenMutant("has no healthy copy: " + done.stdout)
            copies.append((word if word in calling else None, copy))
        return copies

    def symbols(self, output, defined):
        """The names of an object's own functions and data, or of those that it calls."""
        listed = run(["nm", "--format=posix", output], cwd=self.folder).stdout
        kinds = "TDBR" if defined else "U"
        return {line.split()[0] for line in listed.splitlines() if len(line.split()) > 1 and line.split()[1] in kinds}
