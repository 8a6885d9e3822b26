"""Finds comments whose tables, lists or grammars a re-flow has folded into running text.

A row, an item and a rule begin their own lines:

    //   key := 'a' name          a rule; where it goes on, the next line is indented deeper
    //        | 'b' number        an alternative
    //  - an item, whose other lines are
    //    indented deeper than its dash
"""

import re

COLUMNS = 100
COMMENT = re.compile(r"^\s*//( *)(.*?)\s*$")
ITEM = re.compile(r"- \S")
RULE = re.compile(r"[\w<>{}\"'*?-]+(?:,? [\w<>{}-]+){0,3}(?: \([^)]*\))? *:= ")
RULE_OF_ONE_WORD = re.compile(r"\S+ *:= ")
FOLDED_ITEM = re.compile(r"[;:.,] - [a-z`]")


class Line:
    """One line of a block of comments."""

    def __init__(self, number, found, length):
        self.number, self.indent, self.text, self.length = number, len(found.group(1)), found.group(2), length

    def is_item(self):
        return bool(ITEM.match(self.text))

    def is_row(self):
        """A row of a table or a rule of a grammar: with columns, or with the signs of one."""
        return bool(RULE.match(self.text) or re.match(r"[|{]", self.text) or re.search(r"\S {2,}\S", self.text))

    def is_remainder(self):
        """What a row that was cut may go on with: no row itself, and no line of code."""
        is_text = re.match(r"[a-z0-9(\"`]", self.text) and not self.text.endswith(";")
        return bool(is_text) and not self.is_row()

    def is_full(self, following):
        """Whether the first word of the following line found no room on this one."""
        return self.length + 1 + len(following.text.split()[0]) > COLUMNS


def blocks(text):
    """The runs of lines that are comments and nothing else."""
    block = []
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.match(line)
        if found:
            block.append(Line(number, found, len(line)))
        elif block:
            yield block
            block = []
    if block:
        yield block


def folded_rules(block):
    """Rules that stand behind other text; columns (two spaces and more) may hold one each."""
    for before, line in zip([None, *block], block):
        cells = re.split(r" {2,}(?! *:=)", line.text)
        if any(":= " in cell and not RULE.match(cell) for cell in cells):
            yield line.number, "a rule (:=) stands behind other text"
        elif RULE.match(line.text) and not RULE_OF_ONE_WORD.match(line.text) and before and before.is_full(line):
            yield line.number, "a rule (:=) stands behind other text"
        elif any(len(re.findall(r" := ", cell)) > 1 for cell in cells):
            yield line.number, "two rules (:=) stand in one line"


def folded_alternatives(block):
    columns = {line.indent for line in block if line.text.startswith("| ")}
    for line in block:
        starts_well = line.text.startswith("|") or RULE.match(line.text)
        if line.indent in columns and not starts_well and re.search(r" \|(?: |$)", line.text):
            yield line.number, "an alternative (|) stands behind other text"


def folded_items(block):
    dash = None
    for line in block:
        if line.is_item():
            dash = line.indent
            if FOLDED_ITEM.search(line.text):
                yield line.number, "an item (-) stands behind other text"
        elif not line.text or dash is None or line.indent < dash:
            dash = None
        elif line.indent == dash:
            yield line.number, "an item goes on without being indented"
        elif FOLDED_ITEM.search(line.text):
            yield line.number, "an item (-) stands behind other text"


def folded_rows(block):
    """Lines that were rows, and were cut where the column limit fell."""
    for line, following in zip(block, block[1:]):
        cut = line.indent > 2 and line.indent == following.indent and line.is_row() and following.is_remainder()
        if cut and line.is_full(following):
            yield following.number, "a row goes on without being indented"


def folded(text):
    """Every folded line, as (line number, what is wrong)."""
    found = {}
    for block in blocks(text):
        for check in (folded_rules, folded_alternatives, folded_items, folded_rows):
            for number, what in check(block):
                found.setdefault(number, what)
    return sorted(found.items())
