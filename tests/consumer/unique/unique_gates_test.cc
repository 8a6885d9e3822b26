#include "consumer/unique/unique_gates.h"

#include <gtest/gtest.h>

#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/lines.h"
#include "state/store/memory_store.h"
#include "tests/consumer/unique/unique_fixture.h"

namespace penstock {
namespace {

TEST(UniqueGates, ForgettingKeepsPaceWithThoseThatCome) {
  constexpr std::uint64_t kKeysPerStep = 4 * UniqueGates::kMinLookedAtPerStep;
  TypeRuntime type;
  type.policy = InUnique::policy(UniqueScope::kRunning);
  MemoryStore rows;
  View view(rows);
  JobStore store(view, LineOrder(Order::kCreated), Duration{0});
  UniqueGates gates("mail", store);
  LiveJob job;
  job.type = &type;
  job.row.account = "acme";
  job.row.value = R"({"type":"u","args":{"k":1}})";
  const Line line;
  std::size_t most = 0;
  for (std::uint64_t key = 1; key <= 30 * kKeysPerStep; ++key) {
    job.row.unique = Digest{key, key};
    job.token.number = key;
    gates.started(&job);
    Gate* const gate = std::exchange(job.unique_gate, nullptr);
    ASSERT_EQ(gates.closed(&job, line), gate) << "a second job of the key waits";
    (void)gate->give_back(key);
    if (key % kKeysPerStep == 0) gates.forget_idle();
    most = std::max(most, gates.size());
  }
  EXPECT_LE(most, 9 * kKeysPerStep);
}

}  // namespace
}  // namespace penstock
