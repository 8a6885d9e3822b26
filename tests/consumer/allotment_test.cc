// The owner's side of shared limits: who is allotted how many, and when a slot may go elsewhere.
#include "consumer/allotment.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

struct Allotting : testing::Test {
  Allotment allotment;
  int limit = 10;

  static SlotHolder holder(PartitionId partition) { return {"mail", partition}; }
  void report(PartitionId from, std::uint64_t version, int demand, int keeps) {
    allotment.take({holder(from), version, demand, keeps, SaidLimit{"crm", {.slots = limit}}});
  }
  // "p0:v1=3 ..." of what is told now.
  std::string allot(bool pass_turn = false) {
    std::string text;
    for (const Allotment::Change& change : allotment.allot(limit, pass_turn)) {
      text += (text.empty() ? "p" : " p") + std::to_string(change.to.partition) + ":v" +
              std::to_string(change.target.version) + "=" + std::to_string(change.target.slots);
    }
    return text;
  }
};

TEST_F(Allotting, SharesAreMaxMinFair) {
  limit = 12;
  report(0, 0, 2, 0);
  report(1, 0, 100, 0);
  report(2, 0, 100, 0);
  report(3, 0, 0, 0);
  EXPECT_EQ(allot(), "p0:v1=2 p1:v1=5 p2:v1=5");
  EXPECT_EQ(allot(), "");
}

TEST_F(Allotting, ASlotGoesElsewhereOnlyWhenItHasBeenGivenBack) {
  report(0, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v1=10");
  report(1, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v2=5");
  EXPECT_EQ(allotment.in_use(), 10);
  report(0, 1, 10, 10);  // it has taken the first target; ten may still run
  EXPECT_EQ(allot(), "");
  report(0, 2, 10, 5);
  EXPECT_EQ(allot(), "p1:v1=5");
  EXPECT_EQ(allotment.in_use(), 10);
}

TEST_F(Allotting, EveryTargetNotYetSupersededCounts) {
  report(0, 0, 8, 0);
  EXPECT_EQ(allot(), "p0:v1=8");
  report(0, 0, 1, 0);  // sent before the target came
  EXPECT_EQ(allot(), "p0:v2=1");
  report(1, 0, 10, 0);
  EXPECT_EQ(allot(), "p1:v1=2");  // the first target may still arrive and be used
  report(0, 2, 1, 1);
  EXPECT_EQ(allot(), "p1:v2=9");
}

TEST_F(Allotting, WhatAPartitionKeepsLessIsFreeAtOnce) {
  report(0, 0, 10, 0);
  allot();
  report(1, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v2=5");
  report(0, 2, 3, 3);
  EXPECT_EQ(allot(), "p1:v1=7");
  report(0, 2, 0, 0);
  EXPECT_EQ(allot(), "p1:v2=10");
}

TEST_F(Allotting, ALoweredLimitIsInForceOnceTheSlotsAreBack) {
  report(0, 0, 10, 0);
  allot();
  report(0, 1, 10, 10);
  limit = 3;
  EXPECT_EQ(allot(), "p0:v2=3");
  report(1, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v3=2");
  EXPECT_EQ(allotment.in_use(), 10);
  report(0, 3, 10, 2);
  EXPECT_EQ(allot(), "p1:v1=1");
}

TEST_F(Allotting, ZeroHaltsEverybody) {
  report(0, 0, 3, 0);
  report(1, 0, 3, 0);
  EXPECT_EQ(allot(), "p0:v1=3 p1:v1=3");
  limit = 0;
  EXPECT_EQ(allot(), "p0:v2=0 p1:v2=0");
  report(0, 2, 3, 0);
  report(1, 2, 3, 0);
  limit = 4;
  EXPECT_EQ(allot(), "p0:v3=2 p1:v3=2");
}

TEST_F(Allotting, WhereNotAllCanHaveTheSameTheyTakeTurns) {
  limit = 1;
  for (PartitionId i = 0; i < 3; ++i) report(i, 0, 5, 0);
  EXPECT_EQ(allot(), "p0:v1=1");
  EXPECT_TRUE(allotment.unequal());
  EXPECT_FALSE(allotment.settled());
  report(0, 1, 5, 1);
  EXPECT_TRUE(allotment.settled());
  EXPECT_EQ(allot(true), "p0:v2=0");
  report(0, 2, 5, 0);
  EXPECT_EQ(allot(), "p1:v1=1");
  report(1, 1, 5, 1);
  EXPECT_EQ(allot(true), "p1:v2=0");
  report(1, 2, 5, 0);
  EXPECT_EQ(allot(), "p2:v1=1");
  report(2, 1, 5, 1);
  EXPECT_EQ(allot(true), "p2:v2=0");
  report(2, 2, 5, 0);
  EXPECT_EQ(allot(), "p0:v3=1");
}

TEST_F(Allotting, ATurnMovesNoMoreThanIsShortOfADivision) {
  for (PartitionId i = 0; i < 12; ++i) report(i, 0, 10, 0);
  allot();
  for (PartitionId i = 0; i < 10; ++i) report(i, 1, 10, 1);
  EXPECT_EQ(allot(true), "p8:v2=0 p9:v2=0");
}

TEST_F(Allotting, NoTurnsWhereAllHaveTheSame) {
  report(0, 0, 10, 0);
  report(1, 0, 10, 0);
  allot();
  EXPECT_FALSE(allotment.unequal());
}

TEST_F(Allotting, WhoDoesNotAnswerIsToldNoMoreThanSoManyTargets) {
  report(0, 0, 10, 0);
  for (int i = 0; i < 50; ++i) {
    limit = 1 + i % 7;
    allot();
  }
  const Allotment copy = Allotment::decode(allotment.encode());
  EXPECT_LE(copy.encode().size(), 200u);
  report(0, Allotment::kMaxUnanswered - 1, 10, 1);
  limit = 5;
  EXPECT_NE(allot(), "");
}

TEST_F(Allotting, BytesKeepEverything) {
  report(0, 0, 8, 0);
  report(7, 0, 20, 0);
  allot();
  report(0, 0, 1, 0);
  allot();
  Allotment copy = Allotment::decode(allotment.encode());
  EXPECT_EQ(copy.encode(), allotment.encode());
  EXPECT_EQ(copy.in_use(), allotment.in_use());
  EXPECT_EQ(copy.limit(), allotment.limit());
  EXPECT_EQ(copy.written(), "crm");
}

TEST_F(Allotting, AReportThatSaysNothingOfTheConfigurationChangesNothingOfIt) {
  EXPECT_EQ(allotment.limit().slots, 0);
  report(0, 0, 4, 0);
  allotment.take({holder(1), 0, 0, 0, {}});
  EXPECT_EQ(allotment.limit().slots, 10);
  EXPECT_EQ(allotment.written(), "crm");
}

TEST_F(Allotting, WhatIsForgottenBeginsWhereThePartitionStands) {
  report(0, 0, 4, 0);
  allot();
  report(0, 1, 4, 4);
  report(0, 1, 0, 0);
  EXPECT_EQ(allot(), "");
  EXPECT_TRUE(allotment.unused());
  allotment = {};
  report(0, 1, 2, 0);
  EXPECT_EQ(allot(), "p0:v2=2");  // behind what the partition has seen
}

TEST_F(Allotting, AMillionSlotsCostNoMoreThanTen) {
  limit = kMaxSlots;
  for (PartitionId i = 0; i < 100; ++i) report(i, 0, kMaxSlots, 0);
  allot();
  EXPECT_EQ(allotment.in_use(), kMaxSlots);
}

TEST(SlotMessage, IsReadAsItWasWritten) {
  const SlotReport report{{"mail", 3}, 7, 10, 2, SaidLimit{"crm/{args/region}", {.slots = 10}}};
  EXPECT_EQ(parse_slot_report(to_json(report)).value(), report);
  const SlotReport unasked{{"mail", 3}, 7, 0, 0, {}};
  EXPECT_EQ(parse_slot_report(to_json(unasked)).value(), unasked);
  const SlotTarget target{8, 3, 10};
  EXPECT_EQ(parse_slot_target(to_json(target)).value(), target);
}

TEST(SlotMessage, AnythingElseIsRefused) {
  for (const char* bad : {"", "[]", "{}", R"({"version":1,"slots":-1,"of":1})",
                          R"({"version":1,"slots":"1","of":1})"}) {
    EXPECT_FALSE(parse_slot_target(bad)) << bad;
    EXPECT_FALSE(parse_slot_report(bad)) << bad;
  }
}

}  // namespace
}  // namespace penstock
