"""The measures of the house, with their limits (`make house`).

    python3 tests/house/house.py [ROOT]    prints each measure and what is beyond its limit; exit status 1 when
                                           something is that ALLOWED does not name

Classes are read from headers and sources by cpp_classes.py. A class's fields are its own member variables that are
not static, its functions all that it declares, private and static ones included; neither constructors, destructors
and operators count, nor the members of nested types, which count for themselves. Plain data (options, a row, a
message) is a `struct` with nothing private and at most one function for every four fields: it is listed, and may be
as large as what it describes.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import comment_shape  # noqa: E402
import cpp_classes  # noqa: E402
import layers  # noqa: E402
import references  # noqa: E402

MAX_FIELDS, MAX_FUNCTIONS = 20, 40
MAX_FILES = 24  # directly in a folder of the product
MAX_LINES = 500
LARGEST = 10
PRODUCT = ["include", *sorted({layer.split("/")[0] for layer in layers.LAYERS} - {"penstock", "examples"})]
SOURCES = (".h", ".cc", ".py", ".sh")
MUTANTS = "tests/simulation/mutants"
# Tests of these checks name what is not there, on purpose.
PLANTED = ("tests/house/",)

# What is beyond a limit today, with its numbers. An entry may only shrink, and one that is no longer needed must go.
ALLOWED = {
    "classes": {},
    "folders": {},
    "homes": {},
    "dangling references": {
    },
    "folded comments": {
    },
}


class Tree:
    """The files under a root that are the repository's, with their texts."""

    def __init__(self, root):
        self.root = Path(root)
        self.files = {name: self.read(name) for name in self.names()}
        self.sources = {name: text for name, text in self.files.items() if name.endswith((".h", ".cc"))}
        self.cpp = {name: cpp_classes.read(text, name) for name, text in self.sources.items()}

    def names(self):
        if (self.root / ".git").exists() and shutil.which("git"):
            listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                    cwd=self.root, capture_output=True)
            names = [name for name in listed.stdout.decode().split("\0") if (self.root / name).is_file()]
            if listed.returncode == 0:
                return sorted(names)
        found = []
        for folder, folders, files in os.walk(self.root):
            at = Path(folder).relative_to(self.root)
            folders[:] = [name for name in folders if name[0] != "." and (at.parts or name != "build")]
            found += [(at / name).as_posix() for name in files]
        return sorted(found)

    def read(self, name):
        try:
            return (self.root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return ""


# Each check returns what to print, and what is beyond the limit: (what it is, its numbers, what to say).


def check_classes(tree):
    classes = [one for source in tree.cpp.values() for one in source.classes]

    def size(one):
        return len(one.fields), len(one.functions)

    def shown(one):
        kind = ", data" if is_data(one) else ""
        return f"{len(one.fields):4} fields {len(one.functions):4} functions  {one.name} ({one.file}{kind})"

    def is_data(one):
        return one.is_data()

    large = sorted(classes, key=lambda one: max(len(one.fields) / MAX_FIELDS, len(one.functions) / MAX_FUNCTIONS))
    lines = [f"{len(classes)} classes, of which {sum(map(is_data, classes))} are data; the largest:"]
    lines += [shown(one) for one in reversed(large[-LARGEST:])]
    beyond = [(f"{one.file}: {one.name}", size(one), f"{one.name} in {one.file} has {len(one.fields)} fields and "
               f"{len(one.functions)} functions")
              for one in classes
              if not is_data(one) and (len(one.fields) > MAX_FIELDS or len(one.functions) > MAX_FUNCTIONS)]
    return lines, beyond


def check_folders(tree):
    folders = Counter(str(Path(name).parent.as_posix()) for name in tree.files if "/" in name)
    lines = [f"{count:4} files in {folder}" for folder, count in folders.most_common(LARGEST)]
    beyond = [(folder, count, f"{folder} holds {count} files") for folder, count in sorted(folders.items())
              if folder.split("/")[0] in PRODUCT and count > MAX_FILES]
    return lines, beyond


def check_cycles(tree):
    groups = layers.pair_cycles(layers.House(tree.root))
    return [f"{len(groups)} groups"], [
        (", ".join(group), len(group), f"{', '.join(group)} include each other") for group in groups]


def check_homes(tree):
    """Every `X::f(` in foo.cc is of a class that foo.h or foo.cc declares; a class of the public headers, which have no
    sources beside them, has one source that implements it."""
    namespaces = set().union(*(source.namespaces for source in tree.cpp.values()))
    declared = {name: {one.name for one in source.classes} for name, source in tree.cpp.items()}
    public = set().union(*(names for name, names in declared.items() if name.startswith("include/")))
    homes, foreign, definitions = {}, Counter(), 0
    for name, source in sorted(tree.cpp.items()):
        own = declared[name] | declared.get(name[:-3] + ".h", set())
        for owner, _ in source.definitions if name.endswith(".cc") else ():
            definitions += 1
            parts = owner.split("::")
            while len(parts) > 1 and parts[0] in namespaces:
                parts.pop(0)
            if parts[0] in namespaces or any("::".join(parts[:end]) in own for end in range(1, len(parts) + 1)):
                continue
            if parts[0] not in public or homes.setdefault(parts[0], name) != name:
                foreign[name, parts[0]] += 1
    return [f"{definitions} functions of classes are defined outside them"], [
        (f"{name}: {owner}", count, f"{name} implements {count} functions of {owner}, which it does not declare")
        for (name, owner), count in sorted(foreign.items())]


def check_references(tree):
    found = Counter()
    beyond = []
    dangling = {}
    for name, number, what in references.References(tree.files).dangling():
        if not name.startswith(PLANTED):
            found[name] += 1
            dangling.setdefault(name, []).append(what)
    for name, count in sorted(found.items()):
        beyond.append((name, count, f"{name} names what is not there: {', '.join(dangling[name])}"))
    return [f"{len(tree.files)} files read"], beyond


def check_lengths(tree):
    lengths = {name: text.count("\n") for name, text in tree.files.items() if name.endswith(SOURCES)}
    longest = sorted(lengths.items(), key=lambda item: -item[1])
    return [f"{count:4} lines in {name}" for name, count in longest[:3]], [
        (name, count, f"{name} has {count} lines") for name, count in longest if count > MAX_LINES]


def check_comments(tree):
    beyond = []
    for name, text in sorted(tree.sources.items()):
        folded = comment_shape.folded(text)
        if folded:
            said = "; ".join(f"line {number}: {what}" for number, what in folded)
            beyond.append((name, len(folded), f"{name}: {said}"))
    return [f"{len(tree.sources)} sources read"], beyond


def mutant_rules(table):
    """The rules that a table of mutants names, in whatever depth it has its mutants."""
    for key, value in table.items():
        if key in ("rules", "by"):
            yield from [value] if isinstance(value, str) else value
        elif isinstance(value, dict):
            yield from mutant_rules(value)
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict):
                    yield from mutant_rules(part)


def check_mutants(tree):
    rules, lines = Counter(), []
    for path in sorted((tree.root / MUTANTS).glob("*.toml")):
        rules.update(mutant_rules(tomllib.loads(path.read_text(encoding="utf-8"))))
    lines += [f"{count:4} mutants caught by {rule}" for rule, count in sorted(rules.items())]
    program = tree.root / MUTANTS / "run.py"
    if not program.exists():
        return lines or ["none yet"], []
    run = subprocess.run([sys.executable, program, "--summary"], cwd=tree.root, capture_output=True, text=True,
                         timeout=60)
    lines += (run.stdout + run.stderr).splitlines()
    return lines, [(MUTANTS, run.returncode, f"{MUTANTS}/run.py --summary fails")] if run.returncode else []


CHECKS = {
    "classes": (f"at most {MAX_FIELDS} fields and {MAX_FUNCTIONS} functions", check_classes),
    "folders": (f"at most {MAX_FILES} files directly in one of the product's", check_folders),
    "cycles": ("no nouns (.h and .cc) that include each other", check_cycles),
    "homes": ("a .cc implements no other file's class", check_homes),
    "dangling references": ("what comments, documents and CMake files name is there", check_references),
    "lengths": (f"at most {MAX_LINES} lines", check_lengths),
    "folded comments": ("rows, items and rules begin their own lines", check_comments),
    "mutants": ("by the rule that catches them", check_mutants),
}


def as_tuple(numbers):
    return numbers if isinstance(numbers, tuple) else (numbers,)


def judge(beyond, allowed):
    """What fails, and what is only noted, of what is beyond a limit."""
    fails, notes = [], []
    for what, numbers, said in beyond:
        known = allowed.get(what)
        if known is None:
            fails.append(said)
        elif any(now > then for now, then in zip(as_tuple(numbers), as_tuple(known))):
            fails.append(f"{said}; ALLOWED has {known}, which may only shrink")
        else:
            lower = f"; lower ALLOWED from {known}" if numbers != known else ""
            notes.append(f"(allowed) {said}{lower}")
    needed = {what for what, _, _ in beyond}
    fails += [f"{what} is within the limit now: remove it from ALLOWED" for what in allowed if what not in needed]
    return fails, notes


def measure(root, allowed=None):
    """Every check as (name, limit, lines to print, what fails, what is allowed)."""
    allowed = ALLOWED if allowed is None else allowed
    tree = Tree(root)
    for name, (limit, check) in CHECKS.items():
        lines, beyond = check(tree)
        yield name, limit, lines, *judge(beyond, allowed.get(name, {}))


def main(root):
    failed = 0
    for name, limit, lines, fails, notes in measure(root):
        print(f"\n{name}: {limit}")
        for line in [*lines, *notes, *(f"BEYOND: {fail}" for fail in fails)]:
            print("  " + line)
        failed += len(fails)
    print(f"\n{failed} beyond the limits" if failed else "\nall within the limits")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]))
