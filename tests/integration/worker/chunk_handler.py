"""An exec handler for a bulk's chunks: an item is how many seconds it takes, where that is a fraction; notes each attempt."""

import json
import os
import sys
import time

OUT = os.open(f"{sys.argv[1]}/{os.getpid()}-{time.monotonic_ns()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

for text in sys.stdin:
    request = json.loads(text)
    items = request["args"].get("items", [])
    line = {"type": request["type"], "id": request["id"], "items": items, "args": request["args"]}
    os.write(OUT, (json.dumps(line) + "\n").encode())
    time.sleep(sum(item for item in items if isinstance(item, float)))
    print(json.dumps({"token": request["token"], "ok": True}), flush=True)
