"""Reads the classes of C++ sources that clang-format keeps regular: each with its fields and functions, and which
file defines whose member functions.

It is no compiler: it goes by brackets, semicolons and spaces. It relies on clang-format (Google style), which puts no
space before a template's `<` and a member's `{`, and one before a comparison's `<` and a body's `{`.
"""

import re
from dataclasses import dataclass, field

STRIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                      r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
NO_DECLARATION = re.compile(r"(using|typedef|friend|static_assert|public|private|protected)\b")
ACCESS = re.compile(r"(?:public|private|protected)\s*:(?!:)")
TYPE = re.compile(r"(?:typedef\s+)?(class|struct|union|enum(?:\s+(?:class|struct))?)\b\s*([\w:]*)")
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)|extern\s*\"\"")
QUALIFIED = re.compile(r"((?:[A-Za-z_]\w*::)+)(~?[A-Za-z_]\w*|operator\b[^(]*)$")


@dataclass
class CppClass:
    name: str  # with the classes that it is nested in
    file: str
    keyword: str
    fields: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    has_private: bool = False

    def is_data(self):
        """A struct with nothing private and at most one function for every four fields: options, a row, a message."""
        return self.keyword == "struct" and not self.has_private and 4 * len(self.functions) <= len(self.fields)


@dataclass
class Source:
    classes: list = field(default_factory=list)
    namespaces: set = field(default_factory=set)
    definitions: list = field(default_factory=list)  # (class as written, function) of every X::f( defined outside X


def strip(text):
    """Without comments, literals and preprocessor lines; their line ends stay."""
    def blank(found):
        lines = "\n" * found.group().count("\n")
        return lines if found.group().lstrip()[0] in "/#" else '""' + lines
    return STRIPPED.sub(blank, text)


def closing(text, at):
    """Where the bracket at `at` is closed."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for i in range(at, len(text)):
        if text[i] in pairs:
            depth += 1
        elif text[i] in pairs.values():
            depth -= 1
            if depth == 0:
                return i
    return len(text) - 1


def template_end(text, at):
    """Where the template's `<` at `at` is closed; `at` when it is no template's."""
    depth, i = 0, at
    while i < len(text):
        c = text[i]
        if c in "([{":
            i = closing(text, i)
        elif c == "<" and (text[i - 1].isalnum() or text[i - 1] == "_" or text[:i].endswith("template ")):
            depth += 1
        elif c == ">" and text[i - 1] not in "- ":
            depth -= 1
            if depth == 0:
                return i
        elif c in ";}":
            return at
        i += 1
    return at


def statements(text):
    """The declarations of a body, each as (head, body): the head without what is between its template and attribute
    brackets, the body None where there is none."""
    head, i = "", 0
    while i < len(text):
        c = text[i]
        rest = ACCESS.match(text, i) if not head.strip() else None
        if rest:
            yield rest.group().rstrip(": \n"), None
            head, i = "", rest.end()
            continue
        if c == ";":
            yield " ".join(head.split()), None
            head = ""
        elif c == "<" and template_end(text, i) != i:
            i = template_end(text, i)
        elif c == "[" and text.startswith("[[", i):
            i = closing(text, i)
        elif c in "([":
            end = closing(text, i)
            head += c + text[i + 1:end] + text[end:end + 1]
            i = end
        elif c == "{":
            end = closing(text, i)
            words = " ".join(head.split())
            declares_value = re.search(r"(?<![=!<>])=(?!=)", without_parentheses(words)) and "operator" not in words
            is_type = TYPE.match(without_template(words)) and "(" not in words
            if text[i - 1] in " \n" and not declares_value:
                yield words, text[i + 1:end]
                head = ""
                if is_type:  # what stands between its end and the semicolon are its objects
                    after = text.find(";", end)
                    objects = text[end + 1:after].strip()
                    if objects:
                        yield "its " + objects, None
                    end = after
            else:
                head += "{}"
            i = end
        else:
            head += c
        i += 1


def without_parentheses(text):
    out, i = "", 0
    while i < len(text):
        if text[i] == "(":
            i = closing(text, i)
            out += "()"
        else:
            out += text[i]
        i += 1
    return out


def without_template(head):
    return re.sub(r"^(?:template\s*(?:requires\b.*?\)\s*)?)+", "", head)


def is_function(head):
    """Whether a declaration without its template brackets is a function's."""
    if re.search(r"\boperator\b", head):
        return True
    head = re.sub(r"\b(?:decltype|alignas|explicit|noexcept)\s*\((?:[^()]|\([^()]*\))*\)", "", head)
    first = re.search(r"[(={]", head)
    return bool(first) and first.group() == "(" and head[first.end():first.end() + 1] != "*"


def names_of_fields(head):
    """`Type a = 1, b{2}, c[3]` -> a, b, c."""
    pointer = re.search(r"\(\*(\w+)\)\(", head)
    if pointer:
        return [pointer.group(1)]
    head = re.sub(r"\{\}", "", without_parentheses(head))
    parts = [part.split("=")[0].split(":")[0].strip() if "::" not in part else part.split("=")[0].strip()
             for part in head.split(",")]
    return [re.sub(r"\[.*", "", part).split()[-1].lstrip("*&") for part in parts if part]


def read_members(of, body, source, file):
    for head, inner in statements(body):
        head = without_template(head)
        if head in ("private", "protected"):
            of.has_private = True
        if not head or (NO_DECLARATION.match(head) and inner is None):
            continue
        nested = TYPE.match(head)
        if nested and inner is not None and "(" not in head:
            if not nested.group(1).startswith("enum"):
                read_class(nested, inner, f"{of.name}::{nested.group(2)}", source, file)
            continue
        if nested and re.fullmatch(r"(?:class|struct|enum(?: class)?|union) [\w:]+(?: : [\w:]+)?", head):
            continue  # declared here, defined elsewhere
        if is_function(head):
            name = re.split(r"\(", head)[0].split()[-1].lstrip("*&") if "operator" not in head else "operator"
            if name.lstrip("~") not in (of.name.split("::")[-1], "operator"):
                of.functions.append(name)
        elif not re.match(r"(?:inline )?(?:static|constexpr)\b", head):
            of.fields += names_of_fields(head)


def read_class(found, body, name, source, file):
    made = CppClass(name, file, found.group(1))
    made.has_private = found.group(1) == "class"
    source.classes.append(made)
    read_members(made, body, source, file)


def read_namespace(body, source, file):
    for head, inner in statements(body):
        head = without_template(head)
        space = NAMESPACE.match(head)
        if space and inner is not None:
            source.namespaces.update(part for part in (space.group(1) or "").split("::") if part)
            read_namespace(inner, source, file)
            continue
        found = TYPE.match(head)
        if found and inner is not None and "(" not in head:
            if not found.group(1).startswith("enum"):
                read_class(found, inner, found.group(2), source, file)
            continue
        definition = QUALIFIED.search(re.split(r"\s*\(", head, maxsplit=1)[0]) if "(" in head else None
        if definition and (inner is not None or re.search(r"= default$", head)):
            source.definitions.append((definition.group(1)[:-2], definition.group(2)))


def read(text, file):
    source = Source()
    read_namespace(strip(text), source, file)
    return source
