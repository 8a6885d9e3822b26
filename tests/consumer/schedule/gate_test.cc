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
  Flow flow;
  Line a, b, c;
  FakeGate gate;
  AtAGate() {
    for (Line* const line : {&a, &b, &c}) line->flow = &flow;
  }
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

// An account with a line of live jobs and two of copies, which have come to the gate first.
struct AccountsCopiesAtAGate : AtAGate {
  Flow account;
  Line* copies[2];
  AccountsCopiesAtAGate() {
    account.own.flow = &account;
    account.had_copies = true;
    for (Line*& line : copies) {
      account.others.push_back(std::make_unique<Line>());
      line = account.others.back().get();
      line->flow = &account;
      line->copies = true;
    }
    gate.used = 1;
    gate.park(*copies[1], 10);
    gate.park(*copies[0], 11);
  }
  ~AccountsCopiesAtAGate() override {
    account.each([](Line& line) { (void)Gate::leave(line); });
  }
};

TEST_F(AccountsCopiesAtAGate, TheyWaitBehindItsOtherLinesInTheOrderInWhichTheyCame) {
  gate.park(a, 20);  // of another account
  gate.park(account.own, 30);
  gate.park(b, 40);
  gate.used = -4;  // five places free
  for (Line* const line : {&a, &account.own, copies[1], copies[0], &b})
    EXPECT_EQ(gate.next_waiter(), line);
}

TEST_F(AccountsCopiesAtAGate, TheirPromisePassesToAnotherLineOfTheAccount) {
  gate.used = 0;
  ASSERT_EQ(gate.next_waiter(), copies[1]);
  EXPECT_FALSE(gate.admits(account.own));
  EXPECT_TRUE(gate.pass_on(*copies[1], account.own).empty());
  EXPECT_TRUE(gate.admits(account.own));
  EXPECT_FALSE(gate.admits(a));
  EXPECT_EQ(Gate::leave(account.own), (std::vector<Gate*>{&gate}));
  EXPECT_EQ(gate.next_waiter(), copies[0]);
}

TEST_F(AccountsCopiesAtAGate, APromiseThatTheyKeepPassesToALineWithAnotherGatesPromise) {
  FakeGate other;
  Gate::leave(*copies[0]);
  Gate::leave(*copies[1]);
  gate.used = 0;
  other.used = 1;
  gate.keep_for(*copies[0]);
  other.park(*copies[0], 1);
  other.park(account.own, 0);
  other.used = 0;
  ASSERT_EQ(other.next_waiter(), &account.own);
  EXPECT_FALSE(gate.admits(account.own));
  EXPECT_TRUE(gate.pass_on(*copies[0], account.own).empty());
  EXPECT_TRUE(gate.admits(account.own));
  EXPECT_EQ(other.waiting(), 0u);
  EXPECT_EQ(Gate::leave(account.own), (std::vector<Gate*>{&gate, &other}));
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
