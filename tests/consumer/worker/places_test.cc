#include "consumer/worker/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace penstock {
namespace {

// Loops whose attempts end in the order in which they began, each as long as the others.
struct Sharing : testing::Test {
  struct Worked {
    std::size_t loop = 0;
    int running = 0, waiting = 0;
  };

  std::optional<Places> places;
  std::vector<Worked> loops;
  std::vector<int> woken;
  std::vector<std::size_t> in_flight;  // by loop, in the order of their starts
  std::string order;                   // of the starts: a, b, ...

  void make(int count, bool strict = false) { places.emplace(count, strict); }
  std::size_t queue(int weight = 1, std::optional<int> most = {}) {
    return places->add_queue(weight, most);
  }
  void loop(std::size_t queue, int waiting) {
    const std::size_t index = loops.size();
    woken.push_back(0);
    const std::size_t loop = places->add_loop(queue, [this, index] { ++woken[index]; });
    loops.push_back({loop, 0, waiting});
  }
  void turn(std::size_t index) {
    Worked& at = loops[index];
    int offered = places->offer(at.loop, at.running);
    const int before = at.running;
    for (; offered > 0 && at.waiting > 0; --offered, --at.waiting) {
      ++at.running;
      in_flight.push_back(index);
      order += static_cast<char>('a' + index);
    }
    places->settle(at.loop, at.running, at.running - before, offered == 0 && at.waiting > 0);
  }
  void turns() {
    for (std::size_t i = 0; i < loops.size(); ++i) turn(i);
  }
  void end_one() {
    const std::size_t index = in_flight.front();
    in_flight.erase(in_flight.begin());
    --loops[index].running;
    turn(index);
    turns();
  }
  int count(char loop) const {
    return static_cast<int>(std::count(order.begin(), order.end(), loop));
  }
};

TEST_F(Sharing, NeverMoreThanThereAre) {
  make(5);
  for (int i = 0; i < 3; ++i) loop(queue(), 10);
  turns();
  for (int i = 0; i < 20; ++i) {
    EXPECT_LE(in_flight.size(), 5u);
    end_one();
  }
}

TEST_F(Sharing, OneThatIsAloneHasThemAll) {
  make(8);
  loop(queue(3), 0);
  loop(queue(1), 20);
  turns();
  EXPECT_EQ(loops[1].running, 8);
}

TEST_F(Sharing, StartsGoByTheWeights) {
  make(4);
  loop(queue(3), 1000);
  loop(queue(1), 1000);
  turns();
  for (int i = 0; i < 400; ++i) end_one();
  order.erase(0, 8);
  EXPECT_NEAR(count('a'), 3 * count('b'), 4);
}

TEST_F(Sharing, WeightsHoldWithOnePlaceToo) {
  make(1);
  loop(queue(3), 1000);
  loop(queue(1), 1000);
  turns();
  for (int i = 0; i < 40; ++i) end_one();
  EXPECT_NEAR(count('b'), 10, 1);
  EXPECT_EQ(order.find("bb"), std::string::npos);
}

TEST_F(Sharing, ALoopMoreDoesNotGiveAQueueMore) {
  make(1);
  const std::size_t first = queue();
  loop(first, 1000);
  loop(first, 1000);
  loop(queue(), 1000);
  turns();
  for (int i = 0; i < 60; ++i) end_one();
  EXPECT_NEAR(count('c'), 30, 2);
  EXPECT_NEAR(count('a'), count('b'), 2);
}

TEST_F(Sharing, WhoHadNothingToDoHasNoClaimOnThePast) {
  make(1);
  loop(queue(), 1000);
  loop(queue(), 0);
  turns();
  for (int i = 0; i < 50; ++i) end_one();
  loops[1].waiting = 1000;
  turn(1);
  order.clear();
  for (int i = 0; i < 20; ++i) end_one();
  EXPECT_NEAR(count('b'), 10, 1);
}

TEST_F(Sharing, StrictlyTheFirstThatWantsOneHasIt) {
  make(2, true);
  loop(queue(), 6);
  loop(queue(), 6);
  turns();
  for (int i = 0; i < 11; ++i) end_one();
  EXPECT_EQ(order, "aaaaaabbbbbb");
}

TEST_F(Sharing, StrictlyTheLaterOneGoesOnlyWhenTheFirstIsBackedByNothing) {
  make(1, true);
  loop(queue(), 0);
  loop(queue(), 3);
  turns();
  loops[0].waiting = 1;
  turn(0);
  end_one();
  end_one();
  EXPECT_EQ(order, "bab");
}

TEST_F(Sharing, AQueueHasNoMoreThanItsOwn) {
  make(10);
  loop(queue(1, 2), 20);
  loop(queue(), 20);
  turns();
  EXPECT_EQ(loops[0].running, 2);
  EXPECT_EQ(loops[1].running, 8);
  for (int i = 0; i < 10; ++i) {
    end_one();
    EXPECT_LE(loops[0].running, 2);
  }
}

TEST_F(Sharing, APlaceThatComesFreeWakesWhoWaitsForIt) {
  make(1);
  loop(queue(), 1);
  loop(queue(), 1);
  turn(0);
  turn(1);
  EXPECT_EQ(woken[1], 0);
  loops[0].running = 0;
  turn(0);
  EXPECT_EQ(woken[1], 1);
  EXPECT_EQ(woken[0], 0);
}

TEST_F(Sharing, OneThatWasOfferedNothingIsWokenWhenPlacesHaveComeFreeMeanwhile) {
  make(3);
  loop(queue(), 1);
  loop(queue(), 2);
  EXPECT_EQ(places->offer(loops[0].loop, 0), 3);
  EXPECT_EQ(places->offer(loops[1].loop, 0), 0);
  places->settle(loops[0].loop, 1, 1, false);  // it starts one, and gives two back
  EXPECT_EQ(woken[1], 0);                      // nobody has said that they want them
  places->settle(loops[1].loop, 0, 0, true);
  EXPECT_EQ(woken[1], 1);
  turn(1);
  EXPECT_EQ(loops[1].running, 2);
}

TEST_F(Sharing, OneThatCannotUseWhatItIsOfferedHoldsNobodyUp) {
  make(1);
  const std::size_t first = queue(1000);
  loop(first, 0);
  loop(queue(), 3);
  places->settle(loops[0].loop, 0, 0, true);  // it says that it wants one
  woken[0] = 0;
  turn(1);
  EXPECT_EQ(loops[1].running, 0);
  EXPECT_EQ(woken[0], 1);
  turn(0);  // and starts nothing
  EXPECT_EQ(woken[1], 1);
  turn(1);
  EXPECT_EQ(loops[1].running, 1);
}

}  // namespace
}  // namespace penstock
