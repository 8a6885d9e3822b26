// Which job an expiry row ends: that which it was written for, and no other of its id.
#include "state/encoding.h"
#include "state/keys.h"
#include "tests/consumer/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, AJobThatEndsBeforeItHadARowLeavesNoExpiryRow) {
  job("acme", "a", "\"expires_at\":" + ms(60s));
  start();
  end("a", Discard{"no"});
  commit();
  EXPECT_EQ(rows_of('e'), 1u) << "it is kept";
  EXPECT_EQ(rows_of('y'), 0u);
}

TEST_F(Tasking, AJobDoesNotExpireByTheTimeOfAnEarlierJobOfItsId) {
  queue.dedup_window = Duration{0};
  TypePolicy policy;
  policy.keep_dead = 5s;
  types.add("t", policy);
  job("acme", "a", "\"expires_at\":" + ms(60s));
  start();
  end("a", Discard{"no"});
  commit();
  clock = 10s;
  task->advance(now());
  commit();
  ASSERT_EQ(state("acme", "a"), "(none)") << "its keep is over";
  job("acme", "a", "\"run_at\":" + ms(90s) + ",\"expires_at\":" + ms(2h));
  commit();
  clock = 61s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 0u);
  clock = 90s;
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, AnExpiryRowEndsTheJobThatItWasWrittenForAlone) {
  job("acme", "a", "\"run_at\":" + ms(90s) + ",\"expires_at\":" + ms(2h));
  commit();
  std::string names;
  put_text(names, "acme");
  put_text(names, "a");
  view->put(keys::expiry(base() + 5s, Offset{7}), names);
  commit();
  restart();
  clock = 6s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(state("acme", "a"), "scheduled");
  clock = 90s;
  EXPECT_EQ(start(), "a");
}

}  // namespace
}  // namespace penstock
