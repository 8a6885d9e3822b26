"""The table of mutants (README.md says what its members mean): reading it, checking it against the sources, and
following texts that have moved to another file."""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Where a text is looked for that is not in its file any more.
PRODUCT = ("topics", "state", "consumer", "producer")
MEMBERS = {"name", "breaks", "file", "text", "becomes", "also", "rules", "seed", "test", "may_crash", "may_hang",
           "foreign_trims", "recreate_topics"}


@dataclass
class Edit:
    file: str
    text: str
    becomes: str

    def pattern(self):
        """Runs of white space count as one, so that formatting moves no mutant."""
        return re.compile(r"\s+".join(re.escape(word) for word in self.text.split()))

    def places(self, source):
        return [match.span() for match in self.pattern().finditer(source)]


@dataclass
class Mutant:
    table: Path
    name: str
    breaks: str
    edits: list
    rules: list = field(default_factory=list)
    seed: int | None = None
    test: str | None = None
    may_crash: bool = False
    may_hang: bool = False
    foreign_trims: bool = False
    recreate_topics: bool = False

    def files(self):
        return list(dict.fromkeys(edit.file for edit in self.edits))

    def applied(self, root=ROOT):
        """The changed sources by file. Every text must be there once, before and between the edits."""
        sources = {file: (root / file).read_text() for file in self.files()}
        for edit in self.edits:
            spans = edit.places(sources[edit.file])
            if len(spans) != 1:
                raise ValueError(f"{self.name}: its text is {len(spans)} times in {edit.file}: {edit.text}")
            (begin, end), source = spans[0], sources[edit.file]
            sources[edit.file] = source[:begin] + edit.becomes + source[end:]
        return sources


def rule_names(root=ROOT):
    """The names of the simulation's rules, as the program prints them."""
    source = (root / "tests/simulation/rules.cc").read_text()
    listed = source[source.index("kNames"):source.index("};", source.index("kNames"))]
    return re.findall(r'"([^"]+)"', listed)


def read_groups(folder=HERE):
    return tomllib.loads((folder / "groups.toml").read_text())["groups"]


def read_tables(folder=HERE):
    """Every mutant, in the order of the files and of their lines."""
    groups = read_groups(folder)
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        for row in tomllib.loads(path.read_text()).get("mutant", []):
            if unknown := set(row) - MEMBERS:
                raise ValueError(f"{path.name}: {row.get('name')}: unknown members {sorted(unknown)}")
            first = Edit(row.pop("file"), row.pop("text"), row.pop("becomes"))
            more = [Edit(edit.get("file", first.file), edit["text"], edit["becomes"]) for edit in row.pop("also", [])]
            rules = [rule for name in row.pop("rules", []) for rule in groups.get(name, [name])]
            mutants.append(Mutant(table=path, edits=[first, *more], rules=rules, **row))
    return mutants


def faults(mutants, root=ROOT):
    """What is wrong with the table, a line each."""
    found, known, names = [], set(rule_names(root)), set()
    for mutant in mutants:
        if mutant.name in names:
            found.append(f"{mutant.name}: two mutants have this name")
        names.add(mutant.name)
        found += [f"{mutant.name}: there is no rule \"{rule}\"" for rule in mutant.rules if rule not in known]
        if not mutant.rules and not mutant.test:
            found.append(f"{mutant.name}: neither a rule nor a test is to catch it")
        if mutant.rules and mutant.seed is None:
            found.append(f"{mutant.name}: it has rules and no seed; `run.py --find --only {mutant.name}` finds one")
        for file in mutant.files():
            if not (root / file).is_file():
                found.append(f"{mutant.name}: {file} is not there; `run.py --relocate` looks for its text elsewhere")
                break
        else:
            try:
                changed = mutant.applied(root)
                if all(text == (root / file).read_text() for file, text in changed.items()):
                    found.append(f"{mutant.name}: it changes nothing")
            except ValueError as fault:
                found.append(str(fault))
    return found


def product_sources(root=ROOT):
    for folder in PRODUCT:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield path.relative_to(root).as_posix()


def relocate(mutants, root=ROOT):
    """Writes the new paths of texts that are in exactly one other file into the tables. Returns what it did, and what
    it could not find."""
    sources = {file: (root / file).read_text() for file in product_sources(root)}
    done, lost = [], []
    for mutant in mutants:
        for number, edit in enumerate(mutant.edits):
            here = root / edit.file
            if here.is_file() and len(edit.places(here.read_text())) == 1:
                continue
            found = [file for file, source in sources.items() for _ in edit.places(source)]
            if len(found) != 1:
                lost.append(f"{mutant.name}: its text is {len(found)} times in the product: {edit.text}")
                continue
            write_path(mutant, number, found[0])
            done.append(f"{mutant.name}: {edit.file} -> {found[0]}")
            edit.file = found[0]
    return done, lost


def block_of(lines, name):
    """The lines of a mutant in its table: the first one, and the one behind the last."""
    first = next(i for i, line in enumerate(lines) if line == f'name = "{name}"')
    last = next((i for i in range(first, len(lines)) if lines[i] == "[[mutant]]"), len(lines))
    return first, last


def write_path(mutant, number, path):
    lines = mutant.table.read_text().splitlines()
    first, last = block_of(lines, mutant.name)
    starts = [first] + [i for i in range(first, last) if lines[i] == "[[mutant.also]]"]
    end = starts[number + 1] if number + 1 < len(starts) else last
    own = [i for i in range(starts[number], end) if lines[i].startswith("file = ")]
    # Edits that name no file are in the mutant's own, which stays where it is for them.
    if number == 0:
        for later in range(len(mutant.edits) - 1, 0, -1):
            begin = starts[later]
            stop = starts[later + 1] if later + 1 < len(starts) else last
            if not any(lines[i].startswith("file = ") for i in range(begin, stop)):
                lines.insert(begin + 1, f'file = "{mutant.edits[later].file}"')
    if own:
        lines[own[0]] = f'file = "{path}"'
    else:
        lines.insert(starts[number] + 1, f'file = "{path}"')
    mutant.table.write_text("\n".join(lines) + "\n")


def write_seed(mutant, seed):
    lines = mutant.table.read_text().splitlines()
    first, last = block_of(lines, mutant.name)
    own = [i for i in range(first, last) if lines[i].startswith("seed = ")]
    if own:
        lines[own[0]] = f"seed = {seed}"
    else:
        at = next((i for i in range(first, last) if lines[i].startswith("rules = ")), first)
        lines.insert(at + 1, f"seed = {seed}")
    mutant.table.write_text("\n".join(lines) + "\n")
