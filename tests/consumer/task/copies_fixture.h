// A task whose replays read what it was given before, as a loop would show it.
#pragma once

#include <nlohmann/json.hpp>

#include "consumer/control/control.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {

struct Copying : Tasking {
  Control control;
  std::map<std::string, ReplayRecord> records;
  std::vector<Time> timestamps;

  // With an empty queue.
  void begin_again() {
    store = MemoryStore();
    input.clear();
    control = {};
    host.starts.clear();
    epoch = 0;
    seq = 0;
    make();
  }
  void set(const std::string& name, const ReplayRecord& record) {
    records[name] = record;
    ASSERT_TRUE(control.apply(replay_key({"mail", name}), to_json_text(record)));
    task->set_control(&control, now());
  }
  // A replay of everything that was fed so far.
  ReplayRecord replay_all(const std::string& terms = "{}") {
    ReplayRecord record;
    record.terms = *parse_replay_terms(nlohmann::json::parse(terms));
    for (int i = 0; i < queue.partitions; ++i)
      record.ranges.push_back({Offset{0}, Offset{static_cast<std::int64_t>(input.size())}});
    record.started_at = record.at = now().wall;
    record.started_by = record.by = "me";
    return record;
  }
  void start_replay(const std::string& name = "r", const std::string& terms = "{}") {
    if (!task) make();
    set(name, replay_all(terms));
  }
  void change(const std::string& name, ReplayState state) {
    ReplayRecord record = records[name];
    if (record.state == ReplayState::kPaused && state == ReplayState::kRunning) ++record.resumes;
    record.state = state;
    set(name, record);
  }
  // Shows the replay what it wants, until it wants nothing more.
  void read_on(std::size_t most = 1'000'000) {
    while (most > 0) {
      const auto sources = task->copies().sources();
      if (sources.empty()) return;
      const Copies::Source& source = sources.front();
      const auto at = static_cast<std::size_t>(source.from.value);
      if (at >= input.size()) return;
      std::vector<HeaderView> headers;
      for (const Header& header : input[at].headers) headers.push_back(view_of(header));
      LogRecord record{source.from, base(), {}, {}, headers};
      if (input[at].key) record.key = *input[at].key;
      if (input[at].value) record.value = *input[at].value;
      task->advance(now());  // another step
      if (task->replay(source.of, {&record, 1}, now()) == 0) return;
      --most;
    }
  }
  void restart_with_replays() {
    host.starts.clear();
    host.stops.clear();
    make();
    task->set_control(&control, now());
    feed();
  }
  // Replays 30 jobs of which every copy dies; how many do before the replay pauses itself.
  int die_until_paused() {
    TypePolicy policy;
    policy.retry.attempts = 1;
    types.add("t", policy);
    for (int i = 0; i < 30; ++i) job("acme", "j" + std::to_string(i));
    (void)run_all();
    start_replay("r", R"({"max_dead":"20%"})");
    read_on();
    int died = 0;
    for (std::string id = start(1); !id.empty(); id = start(1), ++died)
      end(id, RetryLater{"no", {}});
    return died;
  }
  [[nodiscard]] const ReplayRow& row(const std::string& name = "r") {
    return task->replays().find(name)->row();
  }
  [[nodiscard]] std::int64_t left_out(LeftOut reason, const std::string& name = "r") {
    return row(name).counts.left_out[static_cast<std::size_t>(reason)];
  }
  // Starts and ends everything, and returns the ids in the order of their starts.
  std::string run_all() {
    std::string all;
    for (std::string id = start(1); !id.empty(); id = start(1)) {
      all += (all.empty() ? "" : " ") + id;
      end(id);
    }
    return all;
  }
};

}  // namespace penstock
