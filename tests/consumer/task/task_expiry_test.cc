// Which job an expiry row ends: that which it was written for, and no other of its id.
#include "tests/consumer/task/expiry_story.h"

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

TEST_F(WithExpiryLeft, AnExpiryRowEndsTheJobThatItWasWrittenForAlone) {
  EXPECT_EQ(starts_past_it(), "");
  EXPECT_EQ(state("acme", "a"), "scheduled");
  clock = 90s;
  EXPECT_EQ(start(), "a");
}

}  // namespace
}  // namespace penstock
