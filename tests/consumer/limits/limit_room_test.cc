// What becomes of a job that needs a shared limit when its partition has as many as it may.
#include "consumer/limits/slot_message.h"
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

struct LimitRoomFull : WithLimits {
  std::uint64_t told = 0;  // messages that the owner has sent

  void target(const std::string& name, std::uint64_t version, int slots) {
    record(name, to_json(SlotTarget{version, slots, 10}),
           {{std::string(kSlotsHeader), "1"},
            {std::string(kMessageHeader),
             "penstock.slots/0@1>penstock.mail/0#" + std::to_string(++told)}});
  }
  void settle() {
    start();
    task->exchange_slots({true, false, true}, now());
    commit();
  }
};

TEST_F(LimitRoomFull, AJobWaitsForRoomForAnotherSharedLimitUntilOneIsForgotten) {
  max_shared_limits = 1;
  type("call", {limit("crm/{args/k}", 10)});
  job_of("call", "acme", "a", R"("args":{"k":1})");
  job_of("call", "bolt", "b", R"("args":{"k":2})");
  settle();
  EXPECT_EQ(rows_of('s'), 1u) << "of crm/1";
  EXPECT_EQ(why("bolt", "b"),
            "waits for room for another shared limit: its partition has 1 in use, at most 1");
  target("crm/1", 1, 1);
  EXPECT_EQ(start(), "a");
  end("a");
  settle();
  for (const Duration after : {Duration{50}, Duration{500}, Duration{2000}}) {
    clock += after;
    settle();
  }
  clock += 1s;
  settle();
  EXPECT_EQ(rows_of('s'), 1u) << "of crm/2";
  target("crm/2", 1, 1);
  EXPECT_EQ(start(), "b");
}

}  // namespace
}  // namespace penstock
