"""The include rules of the house, as tables, and the check that the sources keep to them.

    python3 tests/house/layers.py [ROOT]    prints every violation; exit status 1 when there is one

What is added to a table is a decision about the design, so it comes with the change that needs it.
"""

import re
import sys
from pathlib import Path

# Each folder and the folders that it sees besides itself. Public headers (include/penstock) are "penstock".
LAYERS = {
    "penstock": [],
    "topics": [],
    "topics/kafka": ["topics"],
    "topics/embedded": ["topics"],
    "topics/simulated": ["topics"],
    "producer": ["penstock", "topics", "topics/kafka"],
    "state": ["topics"],
    "consumer": ["penstock", "topics", "state"],
    "consumer/handlers": ["penstock", "topics", "state", "consumer"],
    "consumer/worker": ["penstock", "topics", "state", "consumer", "consumer/handlers"],
    # HTTP itself, which knows nothing of jobs; of the handlers' folder it takes the poller and the descriptors.
    "api/http": ["topics", "consumer/handlers"],
    "api": ["penstock", "topics", "state", "consumer", "consumer/worker", "producer", "api/http"],
    # penstock::Worker, the public class: a whole worker on Kafka.
    "api/worker": ["penstock", "topics", "topics/kafka", "consumer", "consumer/handlers", "consumer/worker", "api"],
    "cli": ["penstock", "topics", "topics/kafka", "topics/embedded", "topics/simulated", "producer", "state",
            "consumer", "consumer/handlers", "consumer/worker", "api", "bench"],
    "bench": ["penstock", "topics", "topics/kafka", "topics/embedded", "topics/simulated", "producer", "state",
              "consumer", "consumer/handlers", "consumer/worker", "api"],
    "examples": ["penstock"],
}

# Folders below one of the above that belong to it (cli/main is part of cli) need no entry of their own.

# The only homes of outside libraries; tests may use any. In bench/ librdkafka is the raw figure's.
HOMES = {
    r"librdkafka/": ["topics/kafka", "bench"],
    r"rocksdb/": ["state", "topics/embedded"],
    r"curl/": ["consumer/handlers"],
    r"httplib\.h": ["cli"],
    r"prometheus/": ["api"],
    r"CLI/": ["cli"],
    r"simdjson\.h": ["topics"],
    r"spdlog/": ["consumer", "consumer/handlers", "consumer/worker", "api", "cli", "bench"],
}

# Files of consumer/ that touch the world (by stem, * as in a shell); every other one is the pure core, or what
# the core and the edges pass each other, and has no way to a clock, a thread, chance, a file or a log. A RocksDB
# WriteBatch is bytes in memory, a value like others.
EDGES = ["config*", "duration", "handler_spec", "queue_config", "loop*", "lease_watch", "mailbox", "tenure*",
         "crash_notices", "limit_table"]
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
                if re.match(pattern, included) and own not in homes:
                    yield f"{name}: includes <{included}>, whose home is {' and '.join(homes)} alone"
            if own == "penstock" and "/" in included and not included.startswith("nlohmann/"):
                yield f"{name}: a public header includes <{included}>"


def is_core(name):
    path = Path(name)
    return str(path.parent) == "consumer" and not any(path.with_suffix("").match(edge) for edge in EDGES)


def core_violations(house):
    for name in filter(is_core, house.text):
        for included in house.inside(name):
            if layer_of(included).startswith("consumer") and not is_core(included):
                yield f"{name}: the core includes {included}, which is an edge (see EDGES in tests/house/layers.py)"
        way = house.impure_way(name)
        if way:
            yield f"{name}: the core comes to the outside world: {' -> '.join(way)}"
        call = re.search(IMPURE_CALL, house.text[name])
        if call:
            yield f"{name}: the core calls {call.group()}; time and chance are arguments"


def cycle_violations(house):
    done, way = set(), []

    def visit(name):
        if name in way:
            yield "cycle: " + " -> ".join(way[way.index(name):] + [name])
        elif name not in done:
            way.append(name)
            for included in house.inside(name):
                yield from visit(included)
            way.pop()
            done.add(name)

    for name in house.text:
        yield from visit(name)


def place_violations(root):
    """Sources in a folder that the table does not know."""
    for path in sorted(Path(root).glob("*/**/*")):
        top = path.relative_to(root).parts[0]
        known = top in LAYERS or top in ("include", "tests", "build") or top.startswith(".")
        if path.suffix in SUFFIXES and not known:
            yield f"{path.relative_to(root)}: {top}/ has no place in LAYERS of tests/house/layers.py"


def violations(root):
    house = House(root)
    return [*layer_violations(house), *core_violations(house), *cycle_violations(house), *place_violations(root)]


if __name__ == "__main__":
    FOUND = violations(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    print("\n".join(FOUND))
    sys.exit(bool(FOUND))
