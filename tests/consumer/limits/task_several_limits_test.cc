// Jobs that need several limits, beside those that need one of them.
#include <random>
#include <sstream>

#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

struct Several : WithLimits {
  std::vector<std::string> runs;
  std::map<std::string, int> more;  // jobs of a type so far

  Several() {
    queue.account_concurrency = 100;
    type("a", {limit("a/{account}", 1)});
    type("b", {limit("b/{account}", 1)});
    type("ab", {limit("a/{account}", 1), limit("b/{account}", 1)});
    type("ba", {limit("b/{account}", 1), limit("a/{account}", 1)});
  }
  void add(const std::string& type) {
    job_of(type, "acme", type + "-" + std::to_string(more[type]++));
  }
  // Whether one of these types has been started.
  bool step(std::initializer_list<const char*> watched = {}) {
    std::istringstream started(start());
    bool found = false;
    for (std::string id; started >> id; runs.push_back(id)) {
      for (const std::string type : watched) found = found || id.starts_with(type + "-");
    }
    return found;
  }
  // Ends the first that runs of a type, if any.
  bool end_of(const std::string& type) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const std::string& id) {
      return id.starts_with(type + "-");
    });
    if (found == runs.end()) return false;
    end(*found);
    runs.erase(found);
    return true;
  }
  // How many of two types that are never short of jobs start until the one of "ab" does.
  int starts_before(int most) {
    for (const char* const type : {"a", "b"}) add(type), add(type);
    (void)step();
    add("ab");
    for (int others = 0; others < most; ++others) {
      const std::string next = others % 2 == 0 ? "a" : "b";
      add(next);
      (void)end_of(next);  // none runs while its place is kept
      if (step({"ab"})) return others;
    }
    return most;
  }
};

TEST_F(Several, AJobOfTwoLimitsStartsThoughEachIsAlwaysInUse) {
  EXPECT_LE(starts_before(1000), 3 * Gate::kMaxLooks);
}

TEST_F(Several, AJobOfTwoLimitsStartsThoughItsAccountIsOftenFull) {
  queue.account_concurrency = 2;
  EXPECT_LE(starts_before(1000), 3 * Gate::kMaxLooks);
}

TEST_F(Several, WhatIsKeptForWhoWaitsForAHaltedLimitIsForOthers) {
  for (const char* const type : {"a", "b"}) add(type), add(type);
  (void)step();
  add("ab");
  for (int i = 0; i < 2 * Gate::kMaxLooks; ++i) {
    const std::string next = i % 2 == 0 ? "a" : "b";
    add(next);
    if (!end_of(next)) break;  // it is kept for the other
    (void)step();
  }
  set(limit_key("b/acme"), R"({"slots":0})");
  while (end_of("b") || end_of("ab")) {
  }
  for (int i = 0; i < 5; ++i) {
    add("a");
    (void)step();
    EXPECT_TRUE(end_of("a")) << i;
  }
}

struct RateAndSlot : WithLimits {
  int others = 0;  // jobs so far that need one of the two only

  // The next job that needs this one only, and all that starts.
  std::string with_next(const std::string& type) {
    job_of(type, "acme", type + std::to_string(++others));
    return start();
  }
};

// Whenever one of them is there, the other has just been taken: it waits for a slot and a rate by
// turns, and ends its patience at the slot.
TEST_F(RateAndSlot, WhoWaitsForASlotKeepsNoRate) {
  queue.account_concurrency = 100;
  const LimitPolicy rate = limit("a/{account}", {}, Rate{1, 1s});
  const LimitPolicy slot = limit("b/{account}", 1);
  type("rate", {rate});
  type("slot", {slot});
  type("both", {rate, slot});
  (void)with_next("slot");
  (void)with_next("rate");
  job_of("both", "acme", "both");
  (void)start();
  for (int i = 0; i < 2 * Gate::kMaxLooks; ++i) {
    const std::string holder = "slot" + std::to_string(others + (i == 0 ? -1 : 0));
    clock += 1s;
    job_of("rate", "acme", "rate" + std::to_string(++others));
    const std::string started = start();
    if (started.find("both") != std::string::npos) return;
    ASSERT_NE(started, "") << "the rate is free, at look " << i;
    end(holder);
    if (with_next("slot").find("both") != std::string::npos) return;
  }
}

TEST_F(Several, WhoKeepsAPromiseNeverWaitsInCircles) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    make();
    runs.clear();
    std::mt19937 random(seed);
    const std::vector<std::string> names = {"a", "b", "ab", "ba"};
    std::uint64_t added = 0;
    const auto before = task->counters().succeeded;
    for (int i = 0; i < 400; ++i) {
      if (const std::string& name = names[random() % 4]; i < 200 && ++added > 0) add(name);
      (void)step();
      if (!runs.empty() && random() % 3 > 0) {
        const std::string id = runs[random() % runs.size()];
        EXPECT_TRUE(end_of(id.substr(0, id.find('-'))));
      }
    }
    for (int i = 0; i < 1000 && task->counters().succeeded - before < added; ++i) {
      (void)step();
      for (const std::string& name : names) (void)end_of(name);
    }
    ASSERT_EQ(task->counters().succeeded - before, added) << "seed " << seed;
  }
}

}  // namespace
}  // namespace penstock
