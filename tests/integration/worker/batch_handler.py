"""An exec handler for batches that does what each item's arguments ask for, and notes what it was handed.

One line a batch when it starts and one when it ends, and where it saves its cursor one for each item that is done, each
written by one call to a file of this process alone.
"""

import json
import os
import sys
import time

OUT = os.open(f"{sys.argv[1]}/{os.getpid()}-{time.monotonic_ns()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def note(what, request, only=None):
    items = [[item["id"], item["attempt"]] for item in only or request["items"]]
    line = {"what": what, "at": time.monotonic(), "account": request["account"], "token": request["token"],
            "cursor": request["cursor"], "items": items}
    os.write(OUT, (json.dumps(line) + "\n").encode())


def answer(request, **members):
    print(json.dumps({"token": request["token"], **members}), flush=True)


def go_through(request):
    """One item after the other, with the ids of those that are done as the cursor; who waits for a file saves it on and on."""
    done = list(request["cursor"] or [])
    for item in request["items"]:
        if item["id"] in done:
            continue
        while "waits_for" in item["args"] and not os.path.exists(item["args"]["waits_for"]):
            answer(request, checkpoint=done)
            answer(request, progress={"n": len(done), "total": len(request["items"])})
            time.sleep(0.02)
        note("item", request, [item])
        done.append(item["id"])
        answer(request, checkpoint=done)


def answer_of(item):
    args = item["args"]
    if item["attempt"] <= args.get("failures", 0):
        return {"id": item["id"], "error": f"failure {item['attempt']}", "retry_in": "100ms"}
    if "discard" in args:
        return {"id": item["id"], "discard": args["discard"]}
    return {"id": item["id"], "ok": True}


for text in sys.stdin:
    request = json.loads(text)
    note("start", request)
    if any(item["args"].get("saves") for item in request["items"]):
        go_through(request)
    time.sleep(max(item["args"].get("seconds", 0) for item in request["items"]))
    time.sleep(sum(item["args"].get("each", 0) for item in request["items"]))
    note("end", request)
    if any(item["args"].get("poison") for item in request["items"]):
        answer(request, error="one of them is poison")
    elif any(item["attempt"] <= item["args"].get("fails_all", 0) for item in request["items"]):
        answer(request, error="not yet")
    else:
        answer(request, items=[answer_of(item) for item in request["items"]])
