"""An exec handler that does what a job's arguments ask for, and leaves a trace of it.

One line a start, a tick and an end, each written by one call to a file of this process alone:
    [what, pid, monotonic seconds, account, id, token, attempt]
An end is written before the answer, so that what Penstock takes for ended has a line.
"""

import json
import os
import signal
import sys
import time

TICK_SECONDS = 0.005
BEAT_SECONDS = 0.05
FOLDER = sys.argv[1]
OUT = os.open(f"{FOLDER}/{os.getpid()}-{time.monotonic_ns()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def worker_pid():
    """The worker is the highest process above that has the command of the one directly above: between it and its
    handlers are forks of its own."""
    def command(pid):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()

    def parent(pid):
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])

    worker = os.getppid()
    while command(parent(worker)) == command(worker):
        worker = parent(worker)
    return worker


def note(what, request):
    line = [what, os.getpid(), time.monotonic(), request["account"], request["id"], request["token"], request["attempt"]]
    os.write(OUT, (json.dumps(line) + "\n").encode())


def answer(request, **members):
    sys.stdout.write(json.dumps({"token": request["token"], **members}) + "\n")
    sys.stdout.flush()


def work(request, seconds, saves_every=float("inf")):
    """Lasts so long, and shows every few milliseconds that it still runs; with a checkpoint so often."""
    until = time.monotonic() + seconds
    save = time.monotonic() + saves_every
    while time.monotonic() < until:
        time.sleep(TICK_SECONDS)
        note("tick", request)
        if time.monotonic() >= save:
            answer(request, checkpoint=save)
            save += saves_every


def beat(request, until):
    """Says that it is alive until the file is there."""
    while not os.path.exists(until):
        answer(request, heartbeat=True)
        time.sleep(BEAT_SECONDS)


def misbehave(request, how):
    if how == "hang":
        work(request, 3600)
    if how == "fall_silent":
        beat(request, request["args"]["beats_until"])
        work(request, 3600)
    if how == "die":
        os._exit(3)
    if how == "rubbish":
        sys.stdout.write("Traceback (most recent call last):\n\x00{{{\n")
        sys.stdout.flush()
        work(request, 3600)
    if how == "kill_worker":
        os.kill(worker_pid(), signal.SIGKILL)
        work(request, 3600)


def run(request):
    args = request["args"]
    note("start", request)
    if args.get("first_attempt") and request["attempt"] == 1:
        misbehave(request, args["first_attempt"])
    if args.get("every_attempt"):
        misbehave(request, args["every_attempt"])
    if "beats_until" in args:
        beat(request, args["beats_until"])
    while "waits_for" in args and not os.path.exists(args["waits_for"]):
        time.sleep(TICK_SECONDS)
    if args.get("seconds") and os.path.exists(args.get("long_while", "/")):
        work(request, args["seconds"], args.get("saves_every", float("inf")))
    note("end", request)
    if request["attempt"] <= args.get("failures", 0):
        return answer(request, error=f"failure {request['attempt']}", enqueue=args.get("enqueue", []))
    if "fails_while" in args and os.path.exists(args["fails_while"]):
        return answer(request, error="it is down")
    if "discard" in args:
        return answer(request, discard=args["discard"])
    return answer(request, ok=True, enqueue=args.get("enqueue", []))


for text in sys.stdin:
    run(json.loads(text))
