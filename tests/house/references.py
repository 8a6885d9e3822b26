"""Finds references to what is not in the repository: paths in comments, documents and CMake files, links and their
anchors, and chapters of documents (docs/limits.md, "Shared limits")."""

import re
from pathlib import PurePosixPath

LINE_COMMENT = re.compile(r"//.*")
HASH_COMMENT = re.compile(r"(?:^|\s)#(?!!).*")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
PATH = re.compile(r"(?<![\w./@:$}~%*<>=-])(?:\.\./)*[\w.-]+(?:/[\w.*-]+)+/?")
FILE_NAME = re.compile(r"(?<![\w./@:$}~%*<>-])[a-z][\w-]*\.(?:h|cc|md)(?![\w/*(-]|\.\w)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CHAPTER = re.compile(r'((?:docs/)?[\w/-]+\.md), "([^"]+)"')
SECTION = re.compile(r"\b(SPEC|DESIGN)(?:\.md)? (?:section|§)\s?(\d+)")
VARIABLE = re.compile(r"\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR|CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}/")
# Files of others that are named.
OTHERS = {"rapidcheck.h", "xxhash.h"}


def spoken(name, text):
    """What a file says to its readers, as (line number, text): all of a document, the comments of a source."""
    if name.endswith((".md", ".txt", ".cmake")):
        yield from enumerate(text.splitlines(), 1)
        return
    comment = LINE_COMMENT if name.endswith((".h", ".cc", ".java", ".go")) else HASH_COMMENT
    for number, line in enumerate(text.splitlines(), 1):
        found = comment.search(line)
        if found:
            yield number, found.group()
    if name.endswith(".py"):
        for found in DOCSTRING.finditer(text):
            first = text.count("\n", 0, found.start()) + 1
            yield from enumerate(found.group(1).splitlines(), first)


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


class References:
    """`files`: every file of the repository by its path, with its text."""

    def __init__(self, files):
        self.files = files
        self.folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
        self.tops = {name.split("/")[0] for name in files if "/" in name}
        self.names = {name.split("/")[-1] for name in files} | OTHERS

    def exists(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(PurePosixPath(name).match(path) for name in self.files)
        return (path in self.files or path in self.folders or "include/" + path in self.files or
                any(path + end in self.files for end in (".h", ".cc")))

    def resolves(self, name, path):
        """Whether a path that stands in file `name` leads somewhere: from the root, or from the file's folder."""
        folder = PurePosixPath(name).parent
        parts = []
        for part in (folder / path).parts:
            if part == "..":
                if not parts:
                    return False
                parts.pop()
            elif part != ".":
                parts.append(part)
        return self.exists(path) or self.exists("/".join(parts))

    def bad_paths(self, name, line):
        line = LINK.sub("]", VARIABLE.sub("", line))  # a link's target is looked at by bad_links
        for found in PATH.finditer(line):
            path = found.group().rstrip(".-")
            first = path.split("/")[0]
            is_ours = (first in self.tops or first == ".." or (first == "penstock" and path.endswith(".h")) or
                       f"{PurePosixPath(name).parent}/{first}" in self.folders)
            if name.endswith(("CMakeLists.txt", ".cmake")) and "." not in path:
                continue  # a test's name
            if is_ours and not self.resolves(name, path):
                yield path
        for found in FILE_NAME.finditer(line):
            if found.group() not in self.names:
                yield found.group()

    def bad_links(self, name, line):
        for target in LINK.findall(line):
            path, _, anchor = target.partition("#")
            if "://" in target or path.startswith(("mailto:", "/")):
                continue
            document = str(PurePosixPath(name).parent / path) if path else name
            document = re.sub(r"(^|/)(?!\.\./)[^/]+/\.\./", r"\1", document)
            text = self.files.get(document)
            if path and not self.resolves(name, path):
                yield target
            elif anchor and text is not None:
                headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
                if anchor not in map(slug, headings):
                    yield target

    def bad_sections(self, text):
        for document, number in SECTION.findall(text):
            named = self.files.get(f"{document}.md") or self.files.get(f"docs/{document}.md") or ""
            if not re.search(rf"^#+ {number}\b", named, re.MULTILINE):
                yield f"{document} section {number}"

    def bad_chapters(self, text):
        """A chapter begins with a heading, or with bold words and a full stop."""
        for document, chapter in CHAPTER.findall(text):
            named = self.files.get(document, "").replace("`", "")
            chapters = re.findall(r"^(?:#+ |- |\d+\. )*(?:\*\*)?([^*\n]*?)(?:\.?\*\*.*)?$", named, re.MULTILINE)
            if chapter.replace("`", "") not in chapters:
                yield f'{document}, "{chapter}"'

    def dangling(self):
        """Every one of them, as (file, line, what it names)."""
        for name, text in sorted(self.files.items()):
            lines = list(spoken(name, text))
            for number, line in lines:
                for what in self.bad_paths(name, line):
                    yield name, number, what
                for what in self.bad_links(name, line) if name.endswith(".md") else ():
                    yield name, number, what
            joined = "\n".join(line for _, line in lines)  # a reference may go on in the next line
            joined = re.sub(r"\n\s*(?://|#)?\s*", " ", joined)
            for what in [*self.bad_sections(joined), *self.bad_chapters(joined)]:
                yield name, 0, what
