"""The include rules of the house, as tables, and the check that the sources keep to them.

    python3 tests/house/layers.py [ROOT]    prints every violation; exit status 1 when there is one

What is added to a table is a decision about the design, so it comes with the change that needs it.
"""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

# Each folder and the folders that it sees besides itself. Public headers (include/penstock) are "penstock". Where a
# large folder is divided into rooms (subfolders), each room has an entry of its own.
TOPICS = ["topics/values", "topics", "topics/json", "topics/record"]
STATE = ["state/rows", "state/store", "state/log", "state/owner"]
# The rooms of the core, in the order of what they see.
CONSUMER = ["consumer/policy", "consumer/replay", "consumer/job", "consumer/control", "consumer/store", "consumer/schedule/lines",
            "consumer/schedule",
            "consumer/limits", "consumer/unique", "consumer/gates", "consumer/copies", "consumer/bulk", "consumer/task/core",
            "consumer/task/outcome", "consumer/task/query", "consumer/task"]
LOG_KINDS = ["topics/kafka", "topics/embedded", "topics/simulated"]
# The rooms of the simulated cluster, in the order of what they see.
SIMULATED = ["topics/simulated/world", "topics/simulated/network", "topics/simulated/brokers",
             "topics/simulated/session"]
HANDLERS = ["consumer/handlers/io", "consumer/handlers/protocol", "consumer/handlers/process"]
LAYERS = {
    "penstock": [],
    # What travels.
    "topics/values": [],
    "topics": ["topics/values"],
    "topics/json": ["topics/values"],
    "topics/record": ["topics/values", "topics/json", "topics"],
    "topics/kafka/client": ["topics/values", "topics"],
    "topics/kafka/session": ["topics/values", "topics", "topics/kafka/client"],
    "topics/kafka/produce": ["topics/values", "topics", "topics/kafka/client"],
    "topics/kafka": ["topics/values", "topics", "topics/kafka/client", "topics/kafka/session"],
    "topics/embedded/disk": ["topics/values", "topics"],
    "topics/embedded/group": ["topics/values", "topics", "topics/embedded/disk"],
    "topics/embedded": ["topics/values", "topics", "topics/embedded/disk", "topics/embedded/group"],
    "topics/simulated/world": ["topics/values"],
    "topics/simulated/network": ["topics/values", "topics/simulated/world"],
    "topics/simulated/brokers": ["topics/values", "topics", *SIMULATED[:2]],
    "topics/simulated/session": ["topics/values", "topics", *SIMULATED[:3]],
    "topics/simulated": ["topics/values", "topics", *SIMULATED],
    "producer": ["penstock", *TOPICS, "topics/kafka/produce"],
    # What a partition remembers.
    "state/rows": TOPICS,
    "state/store": [*TOPICS, "state/rows"],
    "state/store/rocks": [*TOPICS, "state/rows", "state/store"],
    "state/log": [*TOPICS, "state/rows", "state/store"],
    "state/owner": [*TOPICS, *STATE[:3]],
    # What a partition decides.
    "consumer/policy": [*TOPICS, *STATE],
    "consumer/replay": [*TOPICS, *STATE, "consumer/policy"],
    "consumer/job": [*TOPICS, *STATE, "consumer/policy", "consumer/replay"],
    "consumer/control": [*TOPICS, *STATE, "consumer/policy", "consumer/replay"],
    "consumer/config": [*TOPICS, "consumer/policy", "consumer/job", "consumer/control"],
    "consumer/store": [*TOPICS, *STATE, "consumer/policy", "consumer/job"],
    "consumer/schedule/lines": [*TOPICS, *STATE, "consumer/policy", "consumer/job", "consumer/store"],
    "consumer/schedule": [*TOPICS, *STATE, "consumer/policy", "consumer/job", "consumer/store",
                          "consumer/schedule/lines"],
    "consumer/limits": [*TOPICS, *STATE, *CONSUMER[:7]],
    "consumer/unique": [*TOPICS, *STATE, *CONSUMER[:7]],
    "consumer/gates": [*TOPICS, *STATE, *CONSUMER[:7]],
    "consumer/copies": [*TOPICS, *STATE, *CONSUMER[:7]],
    "consumer/bulk": [*TOPICS, *STATE, *CONSUMER[:4]],
    "consumer/task/core": [*TOPICS, *STATE, *CONSUMER[:12]],
    "consumer/task/outcome": [*TOPICS, *STATE, *CONSUMER[:13]],
    "consumer/task/query": [*TOPICS, *STATE, *CONSUMER[:13]],
    "consumer/task": [*TOPICS, *STATE, *CONSUMER[:15]],
    "consumer/slots": [*TOPICS, *STATE, "consumer/schedule/lines", "consumer/schedule", "consumer/limits", "consumer/task/core"],
    "consumer/loop/replay": [*TOPICS, *STATE, *CONSUMER],
    "consumer/loop/watch": [*TOPICS, *STATE, *CONSUMER],
    "consumer/loop/tenure": [*TOPICS, *STATE, *CONSUMER, "consumer/slots", "consumer/loop/replay", "consumer/loop/watch"],
    "consumer/loop/standby": [*TOPICS, *STATE, *CONSUMER, "consumer/loop/tenure"],
    "consumer/loop/partitions": [*TOPICS, *STATE, *CONSUMER, "consumer/slots", "consumer/loop/tenure",
                                 "consumer/loop/standby"],
    "consumer/loop": [*TOPICS, *STATE, *CONSUMER, "consumer/slots", "consumer/loop/tenure",
                      "consumer/loop/standby", "consumer/loop/partitions"],
    # What runs the jobs.
    "consumer/handlers/io": [*TOPICS, "consumer/job"],
    "consumer/handlers/protocol": ["penstock", *TOPICS, "consumer/policy", "consumer/job"],
    "consumer/handlers/process": [*TOPICS, "consumer/config", "consumer/handlers/io"],
    "consumer/handlers/exec": [*TOPICS, "consumer/policy", "consumer/job", *HANDLERS],
    "consumer/handlers/http": [*TOPICS, "consumer/policy", "consumer/job", "consumer/config", *HANDLERS[:2]],
    "consumer/handlers/native": ["penstock", *TOPICS, "consumer/policy", "consumer/job", *HANDLERS[:2]],
    "consumer/handlers": [*TOPICS, "consumer/policy", "consumer/job", *HANDLERS, "consumer/handlers/exec",
                          "consumer/handlers/http", "consumer/handlers/native"],
    "consumer/worker/in_place": [*TOPICS, *STATE, "consumer/handlers/io"],
    "consumer/worker": ["penstock", *TOPICS, *STATE, "state/store/rocks", *CONSUMER, "consumer/config", "consumer/loop/tenure",
                        "consumer/loop/standby", "consumer/loop/partitions", "consumer/loop", *HANDLERS, "consumer/handlers/http", "consumer/handlers", "consumer/worker/in_place"],
    # What operators do, written to the control topic and read from it.
    "consumer/operate": [*TOPICS, *STATE, *CONSUMER, "consumer/worker"],
    # HTTP itself, which knows nothing of jobs; of the handlers it takes the poller and the descriptors.
    "api/http": [*TOPICS, "consumer/handlers/io"],
    # What the interface asks of the worker, and what it makes of the answers.
    "api/source": ["penstock", *TOPICS, *STATE, *CONSUMER, "consumer/loop/watch", "consumer/loop", "consumer/worker"],
    "api/request": [*TOPICS, "consumer/policy", "api/http", "api/source"],
    # What is in a dead topic, and sending it back; from here and from the command line.
    "api/dead": [*TOPICS, "state/log", "consumer/job"],
    # The table of the routes, and what is made of it.
    "api/route": [*TOPICS, "api/http", "api/source", "api/request"],
    "api/openapi": [*TOPICS, "api/request", "api/route"],
    "api/page": [*TOPICS, "api/request", "api/route"],
    # Sending jobs and commands.
    "api/gateway": ["penstock", *TOPICS, *STATE, *CONSUMER, "consumer/loop/watch", "producer", "api/http", "api/source", "api/request"],
    "api/live": [*TOPICS, *CONSUMER, "api/source", "api/request"],
    "api/routes": ["penstock", *TOPICS, *CONSUMER, "consumer/config", "consumer/operate", "producer", "api/http",
                   "api/source", "api/request", "api/route", "api/openapi", "api/page", "api/dead", "api/live", "api/gateway"],
    # Who may ask what, and the server over all of it.
    "api/server": ["penstock", *TOPICS, "consumer/config", "api/http", "api/source", "api/live", "api/request", "api/route", "api/page", "api/routes"],
    "api": [*TOPICS, "consumer/worker", "consumer/config", "api/http", "api/source", "api/request", "api/gateway", "api/routes", "api/server"],
    # penstock::Worker, the public class: a whole worker on Kafka.
    "api/worker": ["penstock", *TOPICS, "topics/kafka", "consumer/config", "consumer/handlers", "consumer/worker/in_place",
                   "consumer/worker", "api/server", "api"],
    # Measuring.
    "bench/raw": [*TOPICS, *LOG_KINDS],
    "bench/rig": ["penstock", *TOPICS, *LOG_KINDS, "producer", *STATE, "state/store/rocks", *CONSUMER, "consumer/loop", "consumer/worker",
                  "bench/raw"],
    "bench/speed": ["penstock", *TOPICS, "topics/kafka", "producer", *CONSUMER, "consumer/loop", "consumer/worker",
                    "bench/raw", "bench/rig"],
    "bench/flow": ["penstock", *TOPICS, "producer", *CONSUMER, "consumer/loop", "bench/raw", "bench/rig"],
    "bench/rows": ["penstock", *TOPICS, "producer", *CONSUMER, "consumer/loop", "bench/raw", "bench/rig"],
    "bench/failover": ["penstock", *TOPICS, "producer", *CONSUMER, "bench/raw", "bench/rig"],
    "bench": [*TOPICS, "topics/kafka", "bench/raw", "bench/rig", "bench/speed", "bench/flow", "bench/rows", "bench/failover"],
    # The program.
    "cli/program": ["penstock", *TOPICS, "topics/kafka", *CONSUMER, "consumer/config", "consumer/worker/in_place",
                    "bench/rig"],
    # Asking workers over HTTP.
    "cli/remote": [*TOPICS, "consumer/config", "api/server", "cli/program"],
    "cli/produce": ["penstock", *TOPICS, "topics/kafka", "topics/embedded", "producer", "consumer/config",
                    "cli/program", "cli/remote"],
    "cli/enqueue": ["penstock", *TOPICS, "producer", "consumer/policy", "api/request", "cli/program", "cli/remote",
                    "cli/produce"],
    "cli/jobs": [*TOPICS, "consumer/config", "consumer/policy", "cli/program", "cli/remote"],
    "cli/dead": ["penstock", *TOPICS, "consumer/config", "consumer/policy", *HANDLERS, "consumer/handlers/exec", "producer",
                 "api/dead", "cli/program", "cli/remote", "cli/jobs"],
    "cli/replay": [*TOPICS, *STATE, *CONSUMER, "consumer/config", "consumer/worker/in_place", "consumer/worker", "consumer/operate", "cli/program",
                   "cli/remote", "cli/jobs"],
    "cli/control": [*TOPICS, "consumer/config", "consumer/control", "consumer/worker", "cli/program", "cli/remote", "cli/jobs"],
    "cli/topics": [*TOPICS, "cli/program", "cli/remote"],
    # Queues, accounts and workers at a glance.
    "cli/overview": [*TOPICS, "consumer/config", "cli/program", "cli/remote"],
    "cli/top": [*TOPICS, "consumer/config", "cli/program", "cli/remote", "cli/overview"],
    # What is wrong with a config, and with what it leads to.
    "cli/check": [*TOPICS, "consumer/config", "consumer/policy", "cli/program"],
    "cli/doctor": [*TOPICS, "topics/kafka/client", "topics/kafka", "state/store", "consumer/config", "consumer/policy", "consumer/worker/in_place",
                   "api/server", "cli/program", "cli/remote"],
    # Completions and the manual page, of the tree of commands itself.
    "cli/reference": [*TOPICS, "cli/program"],
    "cli/work": ["penstock", *TOPICS, "topics/embedded", "consumer/worker/in_place", "consumer/worker", "api", "api/gateway", "api/server", "cli/program",
                 "cli/produce", "cli/enqueue"],
    "cli/demo": ["penstock", *TOPICS, "consumer/policy", "consumer/handlers/native", "consumer/loop",
                 "consumer/worker/in_place", "consumer/worker", "cli/program", "cli/produce", "cli/work"],
    "cli": ["penstock", *TOPICS, "bench/rig", "cli/program", "cli/produce", "cli/enqueue", "cli/jobs", "cli/dead", "cli/replay",
            "cli/control", "cli/topics", "cli/overview", "cli/top", "cli/check", "cli/doctor", "cli/reference", "cli/work", "cli/demo"],
    "examples": ["penstock"],
}

# Folders below one of the above that belong to it (cli/main is part of cli) need no entry of their own.

# The only homes of outside libraries; tests may use any. In bench/ librdkafka is the raw figure's.
HOMES = {
    r"librdkafka/": ["topics/kafka*", "bench/raw", "bench"],
    r"rocksdb/": ["state/store", "state/store/rocks", "state/rows", "topics/embedded", "topics/embedded/disk"],
    r"curl/": ["consumer/handlers/http"],
    r"httplib\.h": ["cli/remote"],
    r"prometheus/": ["api/routes"],
    r"CLI/": ["cli", "cli/*"],
    r"simdjson\.h": ["topics/json", "topics/record"],
    r"spdlog/": ["consumer/config", "consumer/loop", "consumer/worker", "consumer/handlers*", "api*", "cli*", "bench*"],
}

# The pure core: no way to a clock, a thread, chance, a file or a log. A RocksDB WriteBatch is bytes in memory, a value
# like others.
CORE = [*CONSUMER, "consumer/slots"]
IMPURE = (r"thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|random|fstream|"
          r"iostream|filesystem|ctime|time\.h|unistd\.h|fcntl\.h|signal\.h|poll\.h|sys/.*|"
          r"spdlog/.*|librdkafka/.*|rocksdb/(?!write_batch\.h|slice\.h).*|curl/.*|httplib\.h|prometheus/.*")
IMPURE_CALL = r"\b(?:system|steady|high_resolution)_clock::now\b|\b(?:rand|time|getenv)\("

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
SUFFIXES = (".h", ".cc")


class House:
    """The sources under a root: each file with what it includes."""

    def __init__(self, root):
        self.root = Path(root)
        self.text = {}
        for top in sorted({layer.split("/")[0] for layer in LAYERS} - {"penstock"}) + ["include/penstock"]:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES:
                    name = str(path.relative_to(self.root)).removeprefix("include/")
                    self.text[name] = path.read_text(encoding="utf-8")
        self.includes = {name: [a or b for a, b in INCLUDE.findall(text)] for name, text in self.text.items()}
        self.reaches = {}

    def outside(self, name):
        """The included names that are no file of the house."""
        return [included for included in self.includes[name] if included not in self.text]

    def inside(self, name):
        return [included for included in self.includes[name] if included in self.text]

    def impure_way(self, name, seen=None):
        """How the file comes to the outside world: a list of names from it to an impure header, or None."""
        seen = set() if seen is None else seen
        seen.add(name)
        for included in self.outside(name):
            if re.fullmatch(IMPURE, included):
                return [name, f"<{included}>"]
        for included in self.inside(name):
            if included not in seen:
                way = self.impure_way(included, seen)
                if way:
                    return [name] + way
        return None


def layer_of(name):
    """The deepest folder of the table that the file lies in."""
    parts = name.split("/")[:-1]
    while parts and "/".join(parts) not in LAYERS:
        parts.pop()
    return "/".join(parts)


def layer_violations(house):
    for name in house.text:
        own = layer_of(name)
        for included in house.inside(name):
            other = layer_of(included)
            if other != own and other not in LAYERS[own]:
                yield f"{name}: includes {included}, but {own}/ does not see {other}/"
        for included in house.outside(name):
            for pattern, homes in HOMES.items():
                if re.match(pattern, included) and not any(fnmatch(own, home) for home in homes):
                    yield f"{name}: includes <{included}>, whose home is {' and '.join(homes)} alone"
            if own == "penstock" and "/" in included and not included.startswith("nlohmann/"):
                yield f"{name}: a public header includes <{included}>"


def is_core(name):
    return layer_of(name) in CORE


def core_violations(house):
    for name in filter(is_core, house.text):
        way = house.impure_way(name)
        if way:
            yield f"{name}: the core comes to the outside world: {' -> '.join(way)}"
        call = re.search(IMPURE_CALL, house.text[name])
        if call:
            yield f"{name}: the core calls {call.group()}; time and chance are arguments"


def pair_cycles(house):
    """Groups of nouns (a .h and its .cc count as one) that include each other, directly or by way of others."""
    sees = {}
    for name in house.text:
        noun = name.rsplit(".", 1)[0]
        others = sees.setdefault(noun, set())
        others.update(other.rsplit(".", 1)[0] for other in house.inside(name))
        others.discard(noun)
    order, low, stack, groups = {}, {}, [], []

    def visit(noun):  # Tarjan's strongly connected components
        order[noun] = low[noun] = len(order)
        stack.append(noun)
        for other in sorted(sees[noun]):
            if other not in order:
                visit(other)
            if other in stack:
                low[noun] = min(low[noun], low[other])
        if low[noun] == order[noun]:
            group = stack[stack.index(noun):]
            del stack[stack.index(noun):]
            if len(group) > 1:
                groups.append(sorted(group))

    for noun in sorted(sees):
        if noun not in order:
            visit(noun)
    return groups


def cycle_violations(house):
    for group in pair_cycles(house):
        yield f"cycle: {', '.join(group)} include each other"


def place_violations(root):
    """Sources in a folder that the table does not know."""
    for path in sorted(Path(root).glob("*/**/*")):
        top = path.relative_to(root).parts[0]
        known = layer_of(str(path.relative_to(root))) or top in ("include", "tests", "build") or top.startswith(".")
        if path.suffix in SUFFIXES and not known:
            yield f"{path.relative_to(root)}: {top}/ has no place in LAYERS of tests/house/layers.py"


def violations(root):
    house = House(root)
    return [*layer_violations(house), *core_violations(house), *cycle_violations(house), *place_violations(root)]


if __name__ == "__main__":
    FOUND = violations(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    print("\n".join(FOUND))
    sys.exit(bool(FOUND))
