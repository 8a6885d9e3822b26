#include "consumer/bulk/item_times.h"

#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

using std::chrono::microseconds;

struct Chunks : Tasking {
  static std::string chunk(int index, const std::string& args) {
    return R"("args":)" + args + R"(,"bulk":{"id":"b","size":9,"index":)" + std::to_string(index) +
           "}";
  }
  void run(const std::string& id, Duration took) {
    ASSERT_EQ(start(), id);
    task->attempt_ended(token(id), {Done{}, {}, {}, took}, now());
    clock += ItemTimes::kEvery;
  }
  [[nodiscard]] microseconds of_t() const {
    const auto& times = task->attempts().item_times().by_type();
    const auto found = times.find("t");
    return found == times.end() ? microseconds(0) : found->second;
  }
};

TEST_F(Chunks, AChunksTimeIsSharedByItsItems) {
  job("acme", "1", chunk(0, R"({"items":[1,2,3,4]})"));
  run("1", 2s);
  EXPECT_EQ(of_t(), 500ms);
}

TEST_F(Chunks, LaterChunksMoveTheAverage) {
  job("acme", "1", chunk(0, R"({"items":[1]})"));
  job("acme", "2", chunk(1, R"({"items":[1,2]})"));
  run("1", 1s);
  run("2", 4s);
  EXPECT_EQ(of_t(), 1250ms);
}

TEST_F(Chunks, WhatIsNoChunkOrHasNoItemsSaysNothing) {
  job("acme", "1", R"("args":{"items":[1]})");
  job("acme", "2", chunk(0, R"({"other":[1]})"));
  run("1", 1s);
  run("2", 1s);
  EXPECT_EQ(of_t(), microseconds(0));
}

TEST_F(Chunks, AnAttemptThatFailedOrWentOnFromACursorSaysNothing) {
  job("acme", "1", chunk(0, R"({"items":[1]})"));
  start();
  end("1", NextIteration{"1"});
  run("1", 1s);
  job("acme", "2", chunk(1, R"({"items":[1]})"));
  start();
  end("2", Discard{"no"});
  EXPECT_EQ(of_t(), microseconds(0));
}

TEST_F(Chunks, WithoutAMeasureOfTheHandlerTheAttemptsTimeCounts) {
  job("acme", "1", chunk(0, R"({"items":[1,2]})"));
  start();
  clock += 3s;
  end("1");
  EXPECT_EQ(of_t(), 1500ms);
}

}  // namespace
}  // namespace penstock
