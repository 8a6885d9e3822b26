#include "producer/send_buffer.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace penstock {
namespace {

using namespace std::chrono_literals;

TEST(SendBuffer, TakesNoMoreThanItsMessages) {
  SendBuffer buffer(2, 1000);
  EXPECT_TRUE(buffer.reserve(1));
  EXPECT_TRUE(buffer.reserve(1));
  EXPECT_FALSE(buffer.reserve(1));
  EXPECT_EQ(buffer.messages(), 2u);
  EXPECT_EQ(buffer.bytes(), 2u);
  buffer.release(1);
  EXPECT_TRUE(buffer.reserve(1));
}

TEST(SendBuffer, TakesNoMoreThanItsBytes) {
  SendBuffer buffer(10, 100);
  EXPECT_TRUE(buffer.reserve(60));
  EXPECT_FALSE(buffer.reserve(41));
  EXPECT_TRUE(buffer.reserve(40));
  EXPECT_EQ(buffer.bytes(), 100u);
}

TEST(SendBuffer, FreesASmallBuffersPlaceBeforeTheAnswer) {
  SendBuffer buffer(1, 100);
  ASSERT_TRUE(buffer.reserve(1));
  buffer.release_for_answer(1);
  EXPECT_TRUE(buffer.reserve(1));
}

TEST(SendBuffer, FreesALargeBuffersPlacesTogetherOrAtTheRoundsEnd) {
  SendBuffer buffer(100'000, 1 << 20);
  for (int i = 0; i < 65; ++i) ASSERT_TRUE(buffer.reserve(1));
  for (int i = 0; i < 65; ++i) buffer.release_for_answer(1);
  EXPECT_EQ(buffer.messages(), 1u);
  buffer.end_answers();
  EXPECT_EQ(buffer.messages(), 0u);
  EXPECT_EQ(buffer.bytes(), 0u);
}

TEST(SendBuffer, IsEmptyOnlyWhenEveryAnswerHasBeenGiven) {
  SendBuffer buffer(1, 100);
  ASSERT_TRUE(buffer.reserve(1));
  buffer.release_for_answer(1);
  EXPECT_FALSE(buffer.wait_until_empty(0ms));
  buffer.end_answers();
  EXPECT_TRUE(buffer.wait_until_empty(0ms));
}

TEST(SendBuffer, WakesWhoWaitsForSpace) {
  SendBuffer buffer(1, 100);
  ASSERT_TRUE(buffer.reserve(1));
  std::promise<bool> space;
  std::jthread waiter([&] { space.set_value(buffer.wait_for_space(1, 20s)); });
  buffer.release_for_answer(1);
  buffer.end_answers();
  EXPECT_TRUE(space.get_future().get());
}

TEST(SendBuffer, CountsRightWhenManyThreadsTakeTurns) {
  SendBuffer buffer(100'000, 1 << 30);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20'000; ++i) {
          if (buffer.reserve(7)) buffer.release(7);
        }
      });
    }
  }
  EXPECT_EQ(buffer.messages(), 0u);
  EXPECT_EQ(buffer.bytes(), 0u);
}

}  // namespace
}  // namespace penstock
