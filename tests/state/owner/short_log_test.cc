#include "state/owner/short_log.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Verdict = ShortLog::Verdict;
constexpr Instant kStart{std::chrono::hours(1)};

TEST(ShortLog, IsBelievedOnlyAfterItHasBeenShortForLong) {
  ShortLog log;
  EXPECT_EQ(log.see(true, kStart), Verdict::kUnsure);
  EXPECT_EQ(log.see(true, kStart + ShortLog::kFor - std::chrono::milliseconds(1)),
            Verdict::kUnsure);
  EXPECT_EQ(log.see(true, kStart + ShortLog::kFor), Verdict::kShort);
}

TEST(ShortLog, ALongAnswerStartsTheTimeAgain) {
  ShortLog log;
  EXPECT_EQ(log.see(true, kStart), Verdict::kUnsure);
  EXPECT_EQ(log.see(false, kStart + ShortLog::kFor), Verdict::kLongEnough);
  EXPECT_EQ(log.see(true, kStart + 2 * ShortLog::kFor), Verdict::kUnsure);
}

TEST(ShortLog, AsksAgainOncePerUnsureAnswer) {
  ShortLog log;
  EXPECT_FALSE(log.ask_again(kStart));
  (void)log.see(true, kStart);
  EXPECT_FALSE(log.ask_again(kStart));
  EXPECT_TRUE(log.ask_again(kStart + ShortLog::kAskAgain));
  EXPECT_FALSE(log.ask_again(kStart + 2 * ShortLog::kAskAgain));
}

}  // namespace
}  // namespace penstock
