#include "cli/demo/fifo_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;

std::vector<std::int64_t> waits(std::vector<FifoJob> jobs, int places) {
  std::vector<std::int64_t> counts;
  for (const nanoseconds wait : fifo_waits(jobs, places)) counts.push_back(wait.count());
  return counts;
}

FifoJob job(std::int64_t arrival, std::int64_t length) {
  return {nanoseconds(arrival), nanoseconds(length)};
}

TEST(FifoLine, OnePlaceTakesOneJobAfterTheOther) {
  EXPECT_THAT(waits({job(0, 10), job(0, 10), job(5, 10)}, 1), ElementsAre(0, 10, 15));
}

TEST(FifoLine, AJobTakesThePlaceThatIsFreeFirst) {
  EXPECT_THAT(waits({job(0, 30), job(0, 10), job(0, 5), job(0, 5)}, 2), ElementsAre(0, 0, 10, 15));
}

TEST(FifoLine, NobodyStartsBeforeArriving) {
  EXPECT_THAT(waits({job(0, 10), job(100, 10)}, 1), ElementsAre(0, 0));
}

}  // namespace
}  // namespace penstock
