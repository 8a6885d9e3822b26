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

struct CopyConflicts : KeyedCopies,
                       testing::WithParamInterface<std::tuple<UniqueScope, OnConflict>> {
  CopyConflicts() { use(scope(), std::get<1>(GetParam())); }
  ~CopyConflicts() override {
    commit();
    EXPECT_TRUE(dead().empty());
  }

  [[nodiscard]] static UniqueScope scope() { return std::get<0>(GetParam()); }
  // Whether a job that waits for its first attempt, or that runs, turns others away.
  [[nodiscard]] static bool turns_away(bool runs) {
    return scope() != UniqueScope::kRunning && !(runs && scope() == UniqueScope::kQueued);
  }
  [[nodiscard]] static bool excludes() {
    return UniqueGates::is_exclusive(*InUnique::policy(scope(), std::get<1>(GetParam())).unique);
  }
};

TEST_P(CopyConflicts, ACopyYieldsToALiveJobThatWaits) {
  ran();
  start_replay();
  keyed("b", 2, R"(,"run_at":)" + ms(clock + 1min));
  const auto before = kept("b");
  read_on();
  EXPECT_EQ(row().counts.admitted, 1);
  EXPECT_EQ(yielded(), turns_away(false) ? 1 : 0);
  EXPECT_EQ(kept("b"), before);
  EXPECT_EQ(start(), turns_away(false) ? "" : "replay/r/a");
  clock += 1min;
  EXPECT_EQ(start(), turns_away(false) ? "b" : "");
  if (!turns_away(false)) {
    end("replay/r/a");
    EXPECT_EQ(start(), "b");
  }
  EXPECT_EQ(args("b"), R"({"k":1,"v":2})");
  EXPECT_EQ(task->counters().duplicate, static_cast<std::uint64_t>(yielded()));
}

TEST_P(CopyConflicts, ACopyYieldsToALiveJobThatRuns) {
  ran();
  start_replay();
  keyed("b", 2);
  EXPECT_EQ(start(), "b");
  const auto before = kept("b");
  read_on();
  EXPECT_EQ(yielded(), turns_away(true) ? 1 : 0);
  EXPECT_EQ(kept("b"), before);
  const bool waits = scope() == UniqueScope::kRunning || excludes();
  EXPECT_EQ(start(), turns_away(true) || waits ? "" : "replay/r/a");
  end("b");
  EXPECT_EQ(start(), !turns_away(true) && waits ? "replay/r/a" : "");
}

TEST_P(CopyConflicts, NoLiveJobIsTurnedAwayByACopyThatWaits) {
  ran();
  start_replay();
  read_on();
  keyed("b", 2);
  EXPECT_EQ(state("acme", "b"), "ready");
  EXPECT_EQ(yielded(), turns_away(false) ? 1 : 0);
  EXPECT_EQ(start(1), "b");
  EXPECT_EQ(args("b"), R"({"k":1,"v":2})");
  end("b");
  EXPECT_EQ(start(), turns_away(false) ? "" : "replay/r/a");
  EXPECT_EQ(task->counters().duplicate, static_cast<std::uint64_t>(yielded()));
}

TEST_P(CopyConflicts, NoLiveJobIsTurnedAwayByACopyThatWaitsForItsRetry) {
  ran();
  start_replay();
  read_on();
  EXPECT_EQ(start(), "replay/r/a");
  end("replay/r/a", RetryLater{"no", {}});
  keyed("b", 2);
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(args("b"), R"({"k":1,"v":2})");
  end("b");
  clock += 10s + kWallResolution;
  const bool released = scope() == UniqueScope::kQueued || scope() == UniqueScope::kRunning ||
                        scope() == UniqueScope::kQueuedAndRunning;
  EXPECT_EQ(yielded(), released ? 0 : 1);
  EXPECT_EQ(start(), released ? "replay/r/a" : "");
}

TEST_P(CopyConflicts, NoLiveJobIsTurnedAwayByACopyThatRuns) {
  ran();
  start_replay();
  read_on();
  EXPECT_EQ(start(), "replay/r/a");
  keyed("b", 2);
  EXPECT_NE(state("acme", "b"), "(none)");
  const bool waits = excludes();
  EXPECT_EQ(start(), waits ? "" : "b");
  end("replay/r/a");
  EXPECT_EQ(start(), waits ? "b" : "");
  EXPECT_EQ(args("b"), R"({"k":1,"v":2})");
  EXPECT_EQ(row().counts.ended[0], 1);
  EXPECT_EQ(task->counters().duplicate, 0u);
}

TEST_P(CopyConflicts, NoLiveJobIsTurnedAwayByACopyThatHasEnded) {
  ran();
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  keyed("b", 2);
  EXPECT_EQ(run_all(), "b");
  EXPECT_EQ(task->counters().duplicate, 0u);
}

// Of the newcomers, each meets the live ones alone.
TEST_P(CopyConflicts, LiveJobsMeetEachOtherAsWithoutTheCopy) {
  const auto story = [this](bool with_copy) {
    begin_again();
    ran();
    if (with_copy) {
      start_replay();
      read_on();
      EXPECT_EQ(start(), "replay/r/a");
    }
    keyed("b", 2);
    keyed("c", 3);
    if (with_copy) end("replay/r/a");
    std::string said = run_all() + ", " + args("b") + ", " + args("c");
    commit();
    for (const auto& message : std::exchange(sent.messages, {})) {
      if (message.to.topic == "penstock.mail.dead")
        said += ", " + message.headers.at("penstock-reason");
    }
    return said + ", " + std::to_string(task->counters().duplicate) + " duplicates";
  };
  const std::string alone = story(false);
  EXPECT_EQ(story(true), alone);
}

std::string name_of(const testing::TestParamInfo<CopyConflicts::ParamType>& info) {
  static constexpr const char* kScopes[] = {"Queued", "Running", "QueuedAndRunning", "UntilDone",
                                            "Ttl"};
  static constexpr const char* kConflicts[] = {"Drop", "Replace", "Debounce", "KeepLatest", "Dead"};
  return std::string(kScopes[static_cast<int>(std::get<0>(info.param))]) +
         kConflicts[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(
    All, CopyConflicts,
    testing::Combine(testing::Values(UniqueScope::kQueued, UniqueScope::kRunning,
                                     UniqueScope::kQueuedAndRunning, UniqueScope::kUntilDone,
                                     UniqueScope::kTtl),
                     testing::Values(OnConflict::kDrop, OnConflict::kReplace, OnConflict::kDebounce,
                                     OnConflict::kKeepLatest, OnConflict::kDead)),
    name_of);

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
