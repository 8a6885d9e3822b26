"""A document as a shell script: what `run_docs.py` runs.

In a Markdown file,
  ```sh blocks       are run, in their order, by one bash in one folder that looks like a checkout;
  ```console blocks  are for illustration only and carry the reason, `<!-- not run: REASON -->`, above them;
  other blocks       are text without commands, and are written to a file when `<!-- file: NAME -->` stands above them.
`<!-- wait: COMMAND -->` between them waits until the command succeeds; `<!-- fails: STATUS -->` above an sh
block says that its last command is to fail with that status. A comment belongs to the block that follows it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)\s*$")
NOTE = re.compile(r"^<!-- (file|not run|fails|wait): (.+?) -->$")
COMMAND = re.compile(r"^(penstock |make |deploy/|cmake |kcat |curl )", re.MULTILINE)
WAIT_SECONDS = 60


def all_documents():
    return [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *sorted(CHECKOUT.glob("docs/**/*.md")),
            *sorted(CHECKOUT.glob("examples/*/README.md"))]


@dataclass
class Document:
    path: str
    fitted: Callable[[str], str]
    steps: list = field(default_factory=list)  # lines of bash
    faults: list = field(default_factory=list)
    commands: int = 0


def read(path: Path, name: str, fitted) -> Document:
    """`fitted` is given each command and each file's text, and replaces what must be."""
    document = Document(name, fitted)
    notes, block, kind, began = {}, None, "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if block is not None:
            if line == "```":
                add_block(document, kind, block, notes, began)
                notes, block = {}, None
            else:
                block.append(line)
        elif fence:
            block, kind, began = [], fence[1], number
        elif note := NOTE.match(line):
            if note[1] == "wait":
                document.steps.append(f"documents_wait {number} {quoted(fitted(note[2]))}")
            else:
                notes[note[1]] = note[2]
        elif line.strip():
            notes = {}
    if block is not None:
        document.faults.append(f"{name}:{began}: the block does not end")
    return document


def add_block(document, kind, block, notes, line):
    text = document.fitted("\n".join(block))
    if kind == "console" and "not run" not in notes:
        document.faults.append(f"{document.path}:{line}: a console block without <!-- not run: REASON -->")
    elif kind not in ("sh", "console") and "file" not in notes and COMMAND.search(text):
        document.faults.append(f"{document.path}:{line}: a command in a block that is neither sh nor console")
    elif kind == "sh" and "fails" in notes:
        document.commands += 1
        document.steps.append(f"documents_fails {line} {int(notes['fails'])} {quoted(text)}")
    elif kind == "sh":
        document.commands += 1
        document.steps.append(f"echo '-- {document.path}:{line}'\n{text}")
    elif "file" in notes:
        document.steps.append(f"printf '%s\\n' {quoted(text)} >{quoted(notes['file'])}")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


PRELUDE = f"""set -euo pipefail
documents_wait() {{
  local until=$((SECONDS + {WAIT_SECONDS}))
  until (eval "$2") >/dev/null 2>&1; do
    if [ $SECONDS -ge $until ]; then
      echo "line $1: waited {WAIT_SECONDS} s in vain for: $2"
      (eval "$2")
      return 1
    fi
    sleep 0.2
  done
}}
documents_fails() {{
  echo "-- line $1"
  local status=0
  (eval "$3") || status=$?
  [ $status -eq "$2" ] || {{ echo "line $1: exit status $status, expected $2"; return 1; }}
}}
"""


def script(document: Document) -> str:
    return PRELUDE + "\n".join(document.steps) + "\n"
