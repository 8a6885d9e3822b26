"""Random mutants of the core, for an estimate of what the tests miss: conditions negated, statements and early returns
deleted, numbers off by one, arguments swapped. What is drawn follows from a seed."""

import difflib
import random
import re

from table import ROOT, Edit, Mutant

FOLDERS = ("consumer/task", "consumer/schedule", "consumer/store", "consumer/job", "consumer/limits", "consumer/gates",
           "consumer/unique", "consumer/bulk", "consumer/slots", "consumer/loop", "consumer/control", "consumer/policy",
           "state/log", "state/rows", "state/store")
# They talk to the operating system, or print.
EXCEPT = re.compile(r"rocks_|duration\.cc|task/query/")
DECLARES = re.compile(r"^(const|auto|static|thread_local|using|return|if|for|while|switch|case|default|break|continue|else|do"
                      r"|struct|class|namespace|template|throw|goto|public|private|typedef|PENSTOCK_CHECK|std::\w+)\b")


class RandomMutant(Mutant):
    """A line of a file, numbered from 0, that becomes another."""

    def __init__(self, kind, file, number, becomes):
        super().__init__(table=None, name=f"{file}:{number + 1}", breaks=kind, edits=[Edit(file, "", becomes)])
        self.number = number

    def applied(self, root=ROOT):
        edit, = self.edits
        lines = (root / edit.file).read_text().splitlines()
        lines[self.number] = edit.becomes
        return {edit.file: "\n".join(lines) + "\n"}

    def diff(self, root=ROOT):
        (file, changed), = self.applied(root).items()
        before = (root / file).read_text().splitlines()
        return "\n".join(difflib.unified_diff(before, changed.splitlines(), file, file, n=2, lineterm=""))


def condition_of(line):
    """The span of the condition of an `if` or `while` that ends on its line."""
    found = re.match(r"\s*(?:\} else )?(?:if|while) \(", line)
    if not found:
        return None
    depth, begin = 1, found.end()
    for at in range(begin, len(line)):
        if line[at] == ";" and depth == 1:
            begin = at + 1
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            inner = line[begin:at]
            return None if re.match(r"\s*(const |auto )", inner) else (begin, at)
    return None


def code_of(line):
    """Without strings and comments, which keep their places as blanks."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: '"' + " " * (len(text.group()) - 2) + '"', line)
    return re.sub(r"//.*", lambda text: " " * len(text.group()), line)


def negated(line, code):
    if span := condition_of(code):
        begin, end = span
        yield line[:begin] + "!(" + line[begin:end].strip() + ")" + line[end:]
    for old, new in ((" && ", " || "), (" || ", " && "), (" == ", " != "), (" != ", " == ")):
        for found in re.finditer(re.escape(old), code):
            yield line[:found.start()] + new + line[found.end():]
    for found in re.finditer(r"\b(true|false)\b", code):
        yield line[:found.start()] + {"true": "false", "false": "true"}[found.group()] + line[found.end():]


def deleted(line, code):
    body = code.strip()
    if body.endswith(";") and body.count("(") == body.count(")") and not DECLARES.match(body) and \
            re.match(r"(\+\+|--)?[\w.:>\-\[\]*]+\s*(=|\+=|-=|\||\(|;)", body):
        yield re.match(r"\s*", line).group() + ";"


def off_by_one(line, code):
    swaps = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " + 1": " + 2", " - 1": " - 2"}
    for old, new in swaps.items():
        for found in re.finditer(re.escape(old) + r"(?!\d)", code):
            yield line[:found.start()] + new + line[found.end():]


def swapped(line, code):
    for found in re.finditer(r"(?<!std::min)(?<!std::max)(?<=[\w>])\(([\w.\->]+(?:\([\w.\->]*\))?), ([\w.\->]+(?:\([\w.\->]*\))?)\)", code):
        if found.group(1) != found.group(2):
            begin, end = found.span(1)[0], found.span(2)[1]
            yield line[:begin] + line[slice(*found.span(2))] + ", " + line[slice(*found.span(1))] + line[end:]


def without_return(line, code):
    if re.match(r"\s+if \(.*\) return\b.*;\s*$", code) or re.match(r"\s+(return|continue|break);\s*$", code):
        yield re.match(r"\s*", line).group() + ";"


KINDS = {"negated condition": negated, "deleted statement": deleted, "off by one": off_by_one,
         "swapped arguments": swapped, "deleted early return": without_return}


def sites():
    """All that can be drawn, by kind."""
    found = {kind: [] for kind in KINDS}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cc")):
            file = path.relative_to(ROOT).as_posix()
            if EXCEPT.search(file):
                continue
            for number, line in enumerate(path.read_text().splitlines()):
                code = code_of(line)
                if not line.startswith(" ") or "PENSTOCK_CHECK" in line:
                    continue
                for kind, changes in KINDS.items():
                    found[kind] += [RandomMutant(kind, file, number, text) for text in changes(line, code)]
    return found


def draw(seed):
    """Without end, and none twice."""
    chance, left = random.Random(seed), sites()
    while any(left.values()):
        kind = chance.choice([kind for kind in KINDS if left[kind]])
        yield left[kind].pop(chance.randrange(len(left[kind])))
