// Copies and unique keys: a copy yields to every other job, and no other job is turned away,
// replaced or changed because of one, whatever the scope and the policy for conflicts.
#include <optional>
#include <tuple>

#include "tests/consumer/task/copies_fixture.h"
#include "tests/consumer/unique/unique_fixture.h"

namespace penstock {
namespace {

struct KeyedCopies : Copying {
  static constexpr std::size_t kDuplicate = end_of(JobState::kDuplicate);

  KeyedCopies() { queue.account_concurrency = 100; }

  void use(UniqueScope scope, OnConflict on_conflict = OnConflict::kDrop) {
    types.add("u", InUnique::policy(scope, on_conflict));
  }
  // A job of the key.
  void keyed(const std::string& id, int v, const std::string& more = "") {
    record("acme", R"({"type":"u","id":")" + id + R"(","args":{"k":1,"v":)" + std::to_string(v) +
                       "}" + more + "}");
  }
  // The job `a` of the key has run, and its lock is free.
  void ran() {
    keyed("a", 1);
    EXPECT_EQ(run_all(), "a");
    clock += 2h;
  }
  // What is kept of a job.
  [[nodiscard]] std::optional<std::string> kept(const std::string& id) {
    const auto info = task->queries().find("acme", id, now());
    return info ? std::optional(info->row.encode()) : std::nullopt;
  }
  [[nodiscard]] std::string args(const std::string& id) const {
    for (auto at = host.starts.rbegin(); at != host.starts.rend(); ++at) {
      if (at->id == id) return at->args;
    }
    return "(none)";
  }
  // Copies that have ended as duplicates.
  [[nodiscard]] std::int64_t yielded(const std::string& name = "r") {
    return row(name).counts.ended[kDuplicate];
  }
};

// -- Retries of dead jobs

struct RetriedBesideCopies : KeyedCopies {
  void died() {
    use(UniqueScope::kUntilDone);
    keyed("a", 1);
    EXPECT_EQ(start(), "a");
    end("a", Discard{"no"});
    start_replay();
    read_on();
  }
};

TEST_F(RetriedBesideCopies, ADeadJobIsRetriedThoughACopyWaitsWithItsKey) {
  died();
  command("retry", "acme", "a");
  EXPECT_EQ(yielded(), 1);
  EXPECT_EQ(run_all(), "a");
  EXPECT_EQ(task->counters().commands_without_job, 0u);
}

TEST_F(RetriedBesideCopies, ADeadJobStaysDeadWhileACopyOfItsKeyRuns) {
  died();
  EXPECT_EQ(start(), "replay/r/a");
  command("retry", "acme", "a");
  EXPECT_EQ(state("acme", "a"), "dead");
  EXPECT_EQ(task->counters().commands_without_job, 1u);
  end("replay/r/a");
  EXPECT_EQ(yielded(), 0);
  command("retry", "acme", "a");
  EXPECT_EQ(run_all(), "a");
}

TEST_F(RetriedBesideCopies, ADeadCopyStaysDeadWhileAnotherReplaysCopyWaitsWithItsKey) {
  died();
  EXPECT_EQ(start(), "replay/r/a");
  end("replay/r/a", Discard{"no"});
  start_replay("s");
  read_on();
  command("retry", "acme", "replay/r/a");
  EXPECT_EQ(state("acme", "replay/r/a"), "dead");
  EXPECT_EQ(run_all(), "replay/s/a");
}

TEST_F(RetriedBesideCopies, ACopyDoesNotEndForADeadJobThatStaysDead) {
  died();
  EXPECT_EQ(start(), "replay/r/a");
  keyed("b", 2);
  end("replay/r/a", RetryLater{"no", {}});
  command("retry", "acme", "a");
  EXPECT_EQ(state("acme", "a"), "dead");
  EXPECT_EQ(state("acme", "replay/r/a"), "retrying");
  EXPECT_EQ(yielded(), 0);
}

}  // namespace
}  // namespace penstock
