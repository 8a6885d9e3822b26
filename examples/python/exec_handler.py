"""A handler over exec: a worker starts it, writes a request a line, and reads an answer a line.

Standard output belongs to the answers; what is to be logged goes to standard error. The worker ends the
process by closing its standard input, and kills it when an attempt takes longer than the policy's timeout.
"""

import json
import sys


def work(job, tell):
    """One attempt: its answer, without the token."""
    order = job["args"].get("order")
    if order is None:
        return {"discard": "args has no order"}
    done = job["cursor"] or 0
    for step in range(done, 3):
        # ... a piece of the work; a crash or a retry goes on from the last checkpoint ...
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
