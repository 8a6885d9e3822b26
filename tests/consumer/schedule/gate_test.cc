#include "consumer/schedule/gate.h"

#include <gtest/gtest.h>

#include "consumer/schedule/lines/lines.h"

namespace penstock {
namespace {

struct FakeGate : Gate {
  std::int64_t places = 1, used = 0;
  [[nodiscard]] std::int64_t room() const override {
    return places == kOpen ? kOpen : places - used;
  }
  [[nodiscard]] std::string what() const override { return "a place"; }
};

struct AtAGate : testing::Test {
  Line a, b, c;
  FakeGate gate;
  ~AtAGate() override {
    for (Line* const line : {&a, &b, &c}) Gate::leave(*line);
  }
};

TEST_F(AtAGate, WaitersAreServedInTheSchedulersOrderNotByWhoAskedFirst) {
  gate.used = 1;
  gate.park(a, 30);
  gate.park(b, 10);
  gate.park(c, 10);
  gate.used = -2;  // three places free
  EXPECT_EQ(gate.next_waiter(), &b);
  EXPECT_EQ(gate.next_waiter(), &c);
  EXPECT_EQ(gate.next_waiter(), &a);
}

TEST_F(AtAGate, AReleaseWakesExactlyOne) {
  gate.used = 1;
  gate.park(a, 1);
  gate.park(b, 2);
  EXPECT_EQ(gate.next_waiter(), nullptr);
  gate.used = 0;
  EXPECT_EQ(gate.next_waiter(), &a);
  EXPECT_EQ(gate.next_waiter(), nullptr);
  EXPECT_EQ(b.gate.waits_at, &gate);
}

TEST_F(AtAGate, APromisedPlaceIsNobodyElses) {
  gate.used = 1;
  gate.park(a, 1);
  gate.used = 0;
  ASSERT_EQ(gate.next_waiter(), &a);
  EXPECT_TRUE(gate.admits(a));
  EXPECT_FALSE(gate.admits(b));
}

TEST_F(AtAGate, WhoComesWithAnotherGatesPromiseTakesWhatIsPromisedButNotWhatIsUsed) {
  FakeGate other;
  gate.used = other.used = 1;
  gate.park(a, 1);
  other.park(b, 1);
  gate.used = other.used = 0;
  ASSERT_EQ(gate.next_waiter(), &a);
  ASSERT_EQ(other.next_waiter(), &b);
  EXPECT_TRUE(gate.admits(b));
  gate.used = 1;
  EXPECT_FALSE(gate.admits(b));
  EXPECT_FALSE(gate.admits(a));  // its promise is broken: it waits again
  Gate::leave(a);
  gate.park(a, 1);
  EXPECT_EQ(gate.next_waiter(), nullptr);
  gate.used = 0;
  EXPECT_EQ(gate.next_waiter(), &a);
  Gate::leave(b);
}

TEST_F(AtAGate, APromiseGivenBackGoesToTheNext) {
  gate.used = 1;
  gate.park(a, 1);
  gate.park(b, 2);
  gate.used = 0;
  ASSERT_EQ(gate.next_waiter(), &a);
  Gate::leave(a);
  EXPECT_EQ(gate.next_waiter(), &b);
}

TEST_F(AtAGate, AKeptPromiseIsAUsedPlace) {
  gate.used = 1;
  gate.park(a, 1);
  gate.park(b, 2);
  gate.used = 0;
  ASSERT_EQ(gate.next_waiter(), &a);
  gate.used = 1;
  Gate::leave(a);
  EXPECT_EQ(gate.next_waiter(), nullptr);
  EXPECT_EQ(gate.waiting(), 1u);
}

TEST_F(AtAGate, APromiseThatIsKeptIsTakenByNobodyElse) {
  FakeGate other;
  gate.used = 1;
  gate.keep_for(a);
  other.used = 1;
  other.park(a, 1);
  other.park(b, 2);
  gate.park(c, 1);
  gate.used = 0;
  EXPECT_EQ(gate.next_waiter(), nullptr);
  other.used = -1;
  ASSERT_EQ(other.next_waiter(), &a);
  ASSERT_EQ(other.next_waiter(), &b);
  EXPECT_FALSE(gate.admits(b)) << "with another gate's promise neither";
  EXPECT_TRUE(gate.admits(a));
  EXPECT_EQ(Gate::leave(a), (std::vector<Gate*>{&gate, &other}));
  EXPECT_EQ(gate.next_waiter(), &c);
  Gate::leave(b);
}

TEST_F(AtAGate, AnOpenGateLetsEverybodyPass) {
  gate.places = FakeGate::kOpen;
  EXPECT_TRUE(gate.admits(a));
  gate.places = 0;
  gate.park(a, 1);
  gate.park(b, 2);
  gate.places = FakeGate::kOpen;
  EXPECT_EQ(gate.next_waiter(), &a);
  EXPECT_EQ(gate.next_waiter(), &b);
}

}  // namespace
}  // namespace penstock
