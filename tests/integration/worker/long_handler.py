"""An exec handler that goes through rows, a checkpoint or an iteration for each, and notes what it was given.

One line a start, a row and an end, each written by one call to a file of this process alone.
"""

import json
import os
import sys
import time

OUT = os.open(f"{sys.argv[1]}/{os.getpid()}-{time.monotonic_ns()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def note(what, request, row):
    line = {"what": what, "at": time.monotonic(), "pid": os.getpid(), "id": request["id"], "row": row,
            "attempt": request["attempt"], "token": request["token"]}
    os.write(OUT, (json.dumps(line) + "\n").encode())


def answer(request, **members):
    print(json.dumps({"token": request["token"], **members}), flush=True)


def run(request):
    args = request["args"]
    first = request["cursor"] or 0
    note("start", request, first)
    for row in range(first, args["rows"]):
        time.sleep(args["seconds"])
        note("row", request, row)
        if row + 1 == args["rows"]:
            break
        if args["each"] == "next":
            note("next", request, row + 1)
            return answer(request, next=row + 1)
        answer(request, checkpoint=row + 1)
    note("end", request, args["rows"])
    answer(request, ok=True)


for text in sys.stdin:
    run(json.loads(text))
