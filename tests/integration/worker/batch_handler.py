"""An exec handler for batches that does what each item's arguments ask for, and notes what it was handed.

One line a batch when it starts and one when it ends, each written by one call to a file of this process alone.
"""

import json
import os
import sys
import time

OUT = os.open(f"{sys.argv[1]}/{os.getpid()}-{time.monotonic_ns()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def note(what, request):
    items = [[item["id"], item["attempt"]] for item in request["items"]]
    line = {"what": what, "at": time.monotonic(), "account": request["account"], "token": request["token"],
            "cursor": request["cursor"], "items": items}
    os.write(OUT, (json.dumps(line) + "\n").encode())


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
    time.sleep(max(item["args"].get("seconds", 0) for item in request["items"]))
    time.sleep(sum(item["args"].get("each", 0) for item in request["items"]))
    note("end", request)
    if any(item["args"].get("poison") for item in request["items"]):
        answer = {"error": "one of them is poison"}
    elif any(item["attempt"] <= item["args"].get("fails_all", 0) for item in request["items"]):
        answer = {"error": "not yet"}
    else:
        answer = {"items": [answer_of(item) for item in request["items"]]}
    print(json.dumps({"token": request["token"], **answer}), flush=True)
