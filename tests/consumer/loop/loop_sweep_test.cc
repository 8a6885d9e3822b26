// When an owner sweeps its log.
#include "tests/consumer/loop/loop_fixture.h"

namespace penstock {
namespace {

using std::chrono::seconds;

// The live rows are 4 KB, which the store does not know.
TEST_F(Looping, ASweepWaitsUntilItHalvesTheLog) {
  constexpr std::uint64_t kTrimBytes = 2000, kLive = 4000;
  LoopWorker& one = workers.emplace_back(cluster, queue, 1, kTrimBytes);
  one.disk_faults.is_blind = true;
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  const PartitionId partition = partition_of("acme", 4);
  const auto& log = cluster.partition("penstock.mail.state", partition);
  const auto bytes = [&] {
    std::uint64_t all = 0;
    for (Offset at = log.start(); at < log.end(); at = at.next()) all += log.at(at).value->size();
    return all;
  };
  const std::string later = R"({"type":"noop","run_at":"2100-01-01T00:00:00Z","args":[")" +
                            std::string(kLive, 'x') + "\"]}";
  cluster.append("penstock.mail", partition, {.key = "acme", .value = later, .headers = {}});
  ASSERT_TRUE(until([&] { return one.counters().admitted == 1; }));
  int cuts = 0;
  std::uint64_t before = 0;
  Offset start = log.start();
  for (int i = 0; cuts < 4 && i < 400; ++i) {
    produce("acme", std::to_string(i));
    ASSERT_TRUE(until([&] { return succeeded() == static_cast<std::uint64_t>(i) + 1; }));
    cluster.run_for(seconds(1));
    if (log.start() != start) {
      // The first sweep finds out how much lives.
      if (cuts++ > 0) {
        EXPECT_GE(before, kLive * 9 / 5);
      }
      start = log.start();
    }
    before = bytes();
  }
  EXPECT_EQ(cuts, 4);
}

}  // namespace
}  // namespace penstock
