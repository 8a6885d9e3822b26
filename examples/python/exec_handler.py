"""An exec handler: the worker starts it, writes one request per line, and reads one answer per line.

Standard output is only for answers; log to standard error instead. The worker ends the process by closing
its standard input, and kills it when an attempt takes longer than the policy's timeout.
"""

import json
import sys


def work(job, tell):
    """Runs one attempt and returns its answer, without the token."""
    order = job["args"].get("order")
    if order is None:
        return {"discard": "args has no order"}
    done = job["cursor"] or 0
    for step in range(done, 3):
        # ... do a part of the work; after a crash or a retry, the job continues from the last checkpoint ...
        tell({"checkpoint": step + 1})
    print(f"done {job['account']} {job['id']} attempt {job['attempt']}", file=sys.stderr)
    return {"ok": True}


def main():
    for line in sys.stdin:
        job = json.loads(line)

        def tell(answer, token=job["token"]):
            print(json.dumps({"token": token} | answer), flush=True)

        try:
            tell(work(job, tell))
        except Exception as error:
            tell({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
