"""The sources keep to the include rules, and each rule catches a violation planted in a folder of its own."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import layers  # noqa: E402


def found_in(files):
    """What the check says about a tree of these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return layers.violations(root)


class Layers(unittest.TestCase):
    def caught(self, files, words):
        found = found_in(files)
        self.assertTrue(any(words in line for line in found), found)

    def passes(self, files):
        self.assertEqual(found_in(files), [])

    def test_sources_keep_to_the_rules(self):
        self.assertEqual(layers.violations(Path(__file__).parents[2]), [])

    def test_sources_are_seen_at_all(self):
        self.assertGreater(len(layers.House(Path(__file__).parents[2]).text), 5)

    def test_table_has_no_cycle(self):
        placed = set()
        while len(placed) < len(layers.LAYERS):
            free = {name for name, sees in layers.LAYERS.items() if name not in placed and placed.issuperset(sees)}
            self.assertTrue(free, set(layers.LAYERS) - placed)
            placed |= free

    def test_a_lower_layer_does_not_see_a_higher_one(self):
        self.caught({"state/store/view.h": '#include "consumer/task/core/core.h"', "consumer/task/core/core.h": ""},
                    "state/store/ does not see consumer/task/")
        self.caught({"topics/log.h": '#include "topics/kafka/log.h"', "topics/kafka/log.h": ""},
                    "topics/ does not see topics/kafka/")
        self.caught({"producer/queue.cc": '#  include "state/store/view.h"', "state/store/view.h": ""},
                    "producer/ does not see state/store/")

    def test_a_room_does_not_see_a_later_one(self):
        self.caught({"consumer/schedule/queue.h": '#include "consumer/task/task.h"', "consumer/task/task.h": ""},
                    "consumer/schedule/ does not see consumer/task/")

    def test_implementations_of_the_log_do_not_see_each_other(self):
        self.caught({"topics/embedded/log.cc": '#include "topics/simulated/log.h"', "topics/simulated/log.h": ""},
                    "topics/embedded/ does not see topics/simulated/")

    def test_a_higher_layer_sees_the_lower_ones(self):
        self.passes({"cli/remote/worker_client.cc": '#include "api/server/server.h"',
                     "api/server/server.h": '#include "consumer/config/config.h"',
                     "consumer/task/task.h": '#include "state/store/view.h"',
                     "state/store/view.h": '#include "topics/log.h"', "topics/log.h": ""})

    def test_a_library_stays_in_its_home(self):
        for folder, header in {"producer": "librdkafka/rdkafka.h", "consumer/handlers": "rocksdb/db.h",
                               "topics": "rocksdb/db.h", "cli": "curl/curl.h", "consumer/task": "httplib.h",
                               "state/log": "simdjson.h", "topics/embedded": "spdlog/spdlog.h"}.items():
            self.caught({f"{folder}/planted.cc": f"#include <{header}>"}, "whose home is")
        self.passes({"topics/kafka/log.cc": "#include <librdkafka/rdkafka.h>",
                     "cli/remote/client.cc": "#include <httplib.h>",
                     "consumer/handlers/http/http.cc": "#include <curl/curl.h>"})

    def test_a_public_header_shows_no_library_but_nlohmann(self):
        self.caught({"include/penstock/worker.h": "#include <librdkafka/rdkafka.h>"}, "a public header includes")
        self.caught({"include/penstock/worker.h": '#include "topics/log.h"', "topics/log.h": ""},
                    "penstock/ does not see topics/")
        self.passes({"include/penstock/worker.h": "#include <nlohmann/json.hpp>"})

    def test_the_core_includes_no_edge(self):
        self.caught({"consumer/task/core/core.h": '#include "consumer/loop/loop.h"', "consumer/loop/loop.h": ""},
                    "consumer/task/core/ does not see consumer/loop/")
        self.passes({"consumer/loop/loop.h": '#include "consumer/task/core/core.h"\n#include <thread>',
                     "consumer/task/core/core.h": ""})

    def test_the_core_has_no_way_to_the_world(self):
        self.caught({"consumer/task/core/core.cc": "#include <thread>"}, "comes to the outside world")
        self.caught({"consumer/task/core/core.cc": '#include "state/store/store.h"',
                     "state/store/store.h": "#include <rocksdb/db.h>"},
                    "consumer/task/core/core.cc -> state/store/store.h -> <rocksdb/db.h>")
        self.caught({"consumer/task/core/core.cc": "auto now = std::chrono::steady_clock::now();"}, "steady_clock::now")

    def test_nouns_do_not_include_each_other(self):
        self.caught({"topics/a.h": '#include "topics/b.h"', "topics/b.h": '#include "topics/a.h"'}, "cycle: ")
        self.caught({"topics/a.h": '#include "topics/b.h"', "topics/b.cc": '#include "topics/a.h"', "topics/b.h": ""},
                    "cycle: topics/a, topics/b")
        self.passes({"topics/a.h": '#include "topics/b.h"', "topics/b.cc": '#include "topics/b.h"', "topics/b.h": ""})

    def test_a_new_folder_needs_a_place(self):
        self.caught({"queue/queue.cc": ""}, "has no place in LAYERS")


if __name__ == "__main__":
    unittest.main()
