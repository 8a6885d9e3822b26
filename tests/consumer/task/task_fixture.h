// A task over a memory store whose commits count when the test says so, with a host that writes
// down what is started. Records are kept, so that a restart takes them again from the position in
// the state.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "consumer/job/suspect.h"
#include "consumer/task/task.h"
#include "state/store/memory_store.h"
#include "topics/names.h"
#include "topics/record/own_headers.h"

namespace penstock {

struct FakeTaskHost final : TaskHost {
  struct Started {
    Token token;
    std::string id, account, args, cursor;
    int attempt;
    std::vector<AttemptItem> items;
  };
  std::vector<Started> starts;
  struct Failed {
    std::string id, error;
    int attempt, max_attempts;
    std::optional<Time> again;
  };
  std::vector<Token> stops;
  std::vector<Failed> failures;
  bool suspect_runs = false;
  std::string held;                       // why nothing may start
  std::map<std::string, Offset> notices;  // of deaths, by the job's id: where they lie
  std::map<std::string, int, std::less<>> queues;
  bool instant = false;  // every attempt is done at once

  std::optional<AttemptResult> start(const AttemptStart& start) override {
    const JobRow& row = start.job.row;
    starts.push_back(
        {start.token, row.id, row.account, start.args(), row.cursor, row.attempt, start.items()});
    return instant ? std::optional(AttemptResult{Done{}, {}}) : std::nullopt;
  }
  void ask_to_stop(const Token& token) override { stops.push_back(token); }
  void attempt_failed(const FailedAttempt& failed) override {
    failures.push_back({failed.row.id, std::string(failed.error), failed.attempt,
                        failed.max_attempts, failed.again});
  }
  std::string held_back(Now) override { return held; }
  bool may_run_suspect(const Token&) override { return !suspect_runs; }
  bool awaits_notice(const JobRow& job, Offset input_next) override {
    const auto found = notices.find(job.id);
    return found != notices.end() && found->second >= input_next;
  }
  int partitions_of(std::string_view queue) override {
    const auto found = queues.find(queue);
    return found == queues.end() ? 0 : found->second;
  }
};

struct FakeEmitter final : OutboxHost {
  struct Message {
    std::uint64_t number;
    Destination to;
    std::optional<std::string> key, value;
    std::map<std::string, std::string> headers;
  };
  std::vector<Message> messages;

  bool append_outbox(std::uint64_t number, const Destination& to,
                     const NewRecord& record) override {
    Message message{number, to, {}, {}, {}};
    if (record.key) message.key = std::string(*record.key);
    if (record.value) message.value = std::string(*record.value);
    for (const HeaderView& header : record.headers)
      message.headers[std::string(header.name)] = header.value.value_or("(null)");
    messages.push_back(std::move(message));
    return true;
  }
  void renew_outbox() override {}
};

struct Tasking : testing::Test {
  struct Input {
    std::optional<std::string> key, value;
    std::vector<Header> headers;
  };

  MemoryStore store;
  std::unique_ptr<View> view;
  FakeEmitter sent;
  std::unique_ptr<Outbox> outbox;
  FakeTaskHost host;
  TypeTable types;
  QueuePolicy queue;
  PartitionId partition = 0;
  std::size_t max_live_jobs = Lines::kMaxLiveJobs, max_flows = Lines::kMaxFlows;
  std::size_t max_shared_limits = SharedLimits::kMax;
  StepBounds bounds;
  StepBudget* budget = nullptr;
  std::uint32_t newest_format = kNewestFormat;
  bool restores = true;  // make() goes on until the task has read what it needs
  std::unique_ptr<Task> task;
  std::vector<Input> input;
  std::int64_t epoch = 0;
  std::uint64_t seq = 0;
  Duration clock{0};

  Tasking() {
    queue.name = "mail";
    queue.partitions = 1;
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    types.add("t", policy);
  }

  [[nodiscard]] static Time base() { return time_from_ms(1'800'000'000'000); }
  [[nodiscard]] Now now() const { return {base() + clock, Instant(std::chrono::hours(1) + clock)}; }
  static std::string ms(Duration after) { return std::to_string(to_ms(base() + after)); }

  void make() {
    task.reset();
    outbox.reset();
    view = std::make_unique<View>(store);
    outbox = std::make_unique<Outbox>(*view, sent);
    outbox->restore("penstock.mail/" + std::to_string(partition) + "@5");
    task = std::make_unique<Task>(
        TaskOptions{"penstock", queue, partition, "me", &types, kSlotsPartitions, max_live_jobs,
                    max_flows, max_shared_limits, bounds, newest_format, budget},
        *view, *outbox, host);
    task->restored(5, Offset{++epoch}, seq, now());
    while (restores && task->restoring()) task->restore_some(now());
  }
  // The process dies: what no commit holds is lost, and the input is taken again from the state's
  // place.
  void restart() {
    host.starts.clear();
    host.stops.clear();
    make();
    feed();
  }
  void feed() {
    if (!task) make();
    const auto from = static_cast<std::size_t>(task->input_next().value);
    for (std::size_t i = from; i < input.size(); ++i) show(i);
  }
  void show(std::size_t i) {
    std::vector<HeaderView> headers;
    for (const Header& header : input[i].headers) headers.push_back(view_of(header));
    LogRecord record{Offset{static_cast<std::int64_t>(i)}, now().wall, {}, {}, headers};
    if (input[i].key) record.key = *input[i].key;
    if (input[i].value) record.value = *input[i].value;
    task->admit({&record, 1}, now());
  }
  void record(std::optional<std::string> key, std::optional<std::string> value,
              std::vector<Header> headers = {}) {
    if (!task) make();
    input.push_back({std::move(key), std::move(value), std::move(headers)});
    show(input.size() - 1);
  }
  void job(const std::string& account, const std::string& id, const std::string& more = "") {
    record(account, R"({"type":"t","id":")" + id + "\"" + (more.empty() ? "" : "," + more) + "}");
  }
  void command(const std::string& op, const std::string& account, const std::string& id,
               const std::string& more = "") {
    record(account,
           R"({"op":")" + op + R"(","id":")" + id + "\"" + (more.empty() ? "" : "," + more) + "}");
  }

  // What this step starts, by id.
  std::string start(int capacity = 1000) {
    const std::size_t before = host.starts.size();
    task->advance(now());
    (void)task->start_ready(capacity, now());
    std::string ids;
    for (std::size_t i = before; i < host.starts.size(); ++i)
      ids += (ids.empty() ? "" : " ") + host.starts[i].id;
    return ids;
  }
  [[nodiscard]] Token token(const std::string& id) const {
    for (auto at = host.starts.rbegin(); at != host.starts.rend(); ++at) {
      if (at->id == id) return at->token;
    }
    return {};
  }
  void end(const std::string& id, OutcomeValue outcome = Done{},
           std::vector<FollowUp> enqueue = {}) {
    task->attempt_ended(token(id), {std::move(outcome), std::move(enqueue)}, now());
  }
  // The items of the attempt that was started last, by id.
  [[nodiscard]] std::string handed() const {
    std::string ids;
    if (host.starts.empty()) return ids;
    for (const AttemptItem& item : host.starts.back().items)
      ids += (ids.empty() ? "" : " ") + item.id;
    return ids;
  }
  void end_items(const std::string& id, OutcomeValue outcome, ItemOutcomes items,
                 std::optional<std::chrono::microseconds> took = {}) {
    task->attempt_ended(token(id), {std::move(outcome), {}, std::move(items), took}, now());
  }
  // Commits, counts at once, and acknowledges everything that leaves.
  void commit() {
    task->save(seq + 1);
    outbox->save();
    const std::string rows(view->batch().bytes());
    view->sent(++seq);
    ASSERT_TRUE(
        store.apply(rows, {Offset{static_cast<std::int64_t>(seq)}, Offset{epoch}, seq, 0, false}));
    view->applied(seq);
    const std::size_t before = sent.messages.size();
    outbox->counted(seq);
    for (std::size_t i = before; i < sent.messages.size(); ++i) {
      outbox->appended(sent.messages[i].number, {Offset{static_cast<std::int64_t>(i)}, {}});
    }
  }

  [[nodiscard]] std::vector<FakeEmitter::Message> messages(const std::string& topic) const {
    std::vector<FakeEmitter::Message> found;
    for (const auto& message : sent.messages) {
      if (message.to.topic == topic) found.push_back(message);
    }
    return found;
  }
  [[nodiscard]] auto dead() const { return messages("penstock.mail.dead"); }
  [[nodiscard]] std::string state(const std::string& account, const std::string& id) {
    const auto info = task->queries().find(account, id, now());
    return info ? std::string(to_string(info->state)) : "(none)";
  }
  [[nodiscard]] std::string why(const std::string& account, const std::string& id) {
    const auto info = task->queries().find(account, id, now());
    return info ? info->why : "(none)";
  }
  [[nodiscard]] std::size_t rows_of(char kind) const {
    std::size_t count = 0;
    for (const auto& [key, value] : store.contents().rows) count += key[0] == kind ? 1 : 0;
    return count;
  }
  // Every job that the task knows, as bytes.
  [[nodiscard]] std::map<std::string, std::string> all_jobs() {
    std::map<std::string, std::string> jobs;
    task->queries().each_job(now(), [&](const JobInfo& info) {
      EXPECT_TRUE(jobs.emplace(info.row.account + "/" + info.row.id, info.row.encode()).second)
          << info.row.id << " is shown twice";
      return true;
    });
    return jobs;
  }
};

}  // namespace penstock
