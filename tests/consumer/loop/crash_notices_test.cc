#include "consumer/loop/crash_notices.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

const InFlight kJob{"mail", "acme", "a"};

bool awaited(CrashNotices& notices, std::int64_t input_next, std::int64_t counted = 100) {
  return notices.awaited("mail", "acme", "a", Offset{input_next}, Offset{counted});
}

TEST(CrashNotices, AJobIsAwaitedFromTheSendingOfItsNoticeUntilItHasBeenRead) {
  CrashNotices notices;
  EXPECT_FALSE(awaited(notices, 5));
  notices.sent(kJob);
  EXPECT_TRUE(awaited(notices, 5)) << "nobody knows yet where it lies";
  notices.appended(kJob, Offset{7});
  EXPECT_TRUE(awaited(notices, 7));
  EXPECT_FALSE(awaited(notices, 8));
  EXPECT_FALSE(awaited(notices, 7)) << "it was read";
}

TEST(CrashNotices, ANoticeThatWasReadIsAwaitedAgainWhereTheCommitOfItIsLost) {
  CrashNotices notices;
  notices.sent(kJob);
  notices.appended(kJob, Offset{7});
  EXPECT_FALSE(awaited(notices, 8, 7)) << "it has been read";
  EXPECT_TRUE(awaited(notices, 6, 6)) << "the next owner begins before it";
  EXPECT_FALSE(awaited(notices, 8, 8));
  EXPECT_FALSE(awaited(notices, 6, 6)) << "it has been counted";
}

TEST(CrashNotices, ANoticeThatIsLostOrWhosePlaceIsNotKnownHoldsNothingBack) {
  CrashNotices notices;
  notices.sent(kJob);
  notices.appended(kJob, std::nullopt);
  EXPECT_FALSE(awaited(notices, 0));
}

TEST(CrashNotices, AnotherJobIsNotAwaited) {
  CrashNotices notices;
  notices.sent(kJob);
  EXPECT_FALSE(notices.awaited("mail", "acme", "b", Offset{0}, Offset{0}));
  EXPECT_FALSE(notices.awaited("mail", "beta", "a", Offset{0}, Offset{0}));
  EXPECT_FALSE(notices.awaited("post", "acme", "a", Offset{0}, Offset{0}));
}

}  // namespace
}  // namespace penstock
