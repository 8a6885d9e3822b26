// The owner's side of shared limits: who is allotted how many, and when a slot may go elsewhere.
#include "consumer/allotment.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "state/encoding.h"

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
  EXPECT_EQ(copy.said(), allotment.said());
  EXPECT_EQ(copy.said().front().written, "crm");
}

TEST_F(Allotting, AReportThatSaysNothingOfTheConfigurationChangesNothingOfIt) {
  EXPECT_EQ(allotment.said().front().limit.slots, 0);
  report(0, 0, 4, 0);
  allotment.take({holder(1), 0, 0, 0, {}});
  EXPECT_EQ(allotment.said(), (std::vector{SaidLimit{"crm", {.slots = 10}}}));
}

TEST_F(Allotting, WhatThoseWithUseForItSayCountsAndElseWhatWasSaidLast) {
  report(0, 0, 4, 0);
  limit = 5;
  report(1, 0, 4, 0);
  const SaidLimit ten{"crm", {.slots = 10}}, five{"crm", {.slots = 5}};
  EXPECT_EQ(allotment.said(), (std::vector{ten, five}));
  report(1, 0, 0, 0);
  EXPECT_EQ(allotment.said(), (std::vector{ten}));
  allotment.take({holder(0), 0, 0, 0, {}});
  EXPECT_EQ(allotment.said(), (std::vector{five}));
  EXPECT_EQ(Allotment::decode(allotment.encode()).said(), (std::vector{five}));
}

TEST_F(Allotting, WhoeverKeepsWhatItHasIsToldWhenTheLimitChanges) {
  for (PartitionId i = 0; i < 4; ++i) report(i, 0, 1, 0);
  EXPECT_EQ(allot(), "p0:v1=1 p1:v1=1 p2:v1=1 p3:v1=1");
  limit = 2;
  EXPECT_EQ(allot(), "p0:v2=1 p1:v2=1 p2:v2=0 p3:v2=0");
  EXPECT_EQ(allot(), "");
  for (PartitionId i = 0; i < 4; ++i) report(i, 2, 1, i < 2 ? 1 : 0);
  limit = 20;
  EXPECT_EQ(allot(), "p0:v3=1 p1:v3=1 p2:v3=1 p3:v3=1");
}

TEST_F(Allotting, ARowOfAnEarlierVersionIsRead) {
  std::string row = "1";
  put_text(row, "crm/{args/x}");
  put_text(row, R"({"slots":7})");
  put_text(row, "mail");
  put_u32(row, 3);
  put_varint(row, 1);
  put_text(row, "mail");
  put_u32(row, 3);
  put_varint(row, 9);
  put_varint(row, 1);
  put_u64(row, 4);
  put_varint(row, 7);
  allotment = Allotment::decode(row);
  EXPECT_EQ(allotment.said(), (std::vector{SaidLimit{"crm/{args/x}", {.slots = 7}}}));
  EXPECT_EQ(allotment.in_use(), 7);
  limit = 7;
  EXPECT_EQ(allot(), "p3:v5=7") << "it is told of how many";
  EXPECT_EQ(allot(), "");
}

// Messages arrive and are answered in any order; the partitions know the lower number at once.
TEST_F(Allotting, ThePartsOfALoweredLimitNeverExceedItAndAreAllOfItInTheEnd) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    struct Seen {
      int demand, slots = 0, of = 0;
      std::uint64_t version = 0;
      std::deque<Allotment::Told> coming = {};
    };
    std::vector<Seen> all(static_cast<std::size_t>(2 + below(8)));
    allotment = {};
    limit = 1 + below(40);
    for (Seen& one : all) one.demand = 1 + below(limit);
    const auto settle = [&] {
      std::size_t told = 0;
      for (int steps = 500; steps > 0; --steps) {
        for (const auto& change : allotment.allot(limit, false)) {
          all[static_cast<std::size_t>(change.to.partition)].coming.push_back(change.target);
          ++told;
        }
        const auto i = static_cast<std::size_t>(below(static_cast<int>(all.size())));
        Seen& one = all[i];
        if (!one.coming.empty()) {
          one.slots = one.coming.front().slots;
          one.of = one.coming.front().of;
          one.version = one.coming.front().version;
          one.coming.pop_front();
        }
        report(static_cast<PartitionId>(i), one.version, one.demand, one.slots);
        int together = 0;
        for (const Seen& each : all) together += slots_of_lowered(each.slots, each.of, limit);
        EXPECT_LE(together, limit) << "seed " << seed;
      }
      return told;
    };
    (void)settle();
    limit = 1 + below(limit);
    EXPECT_LE(settle(), 2 * all.size()) << "seed " << seed;
    int wanted = 0, together = 0;
    for (const Seen& one : all) {
      wanted += one.demand;
      together += slots_of_lowered(one.slots, one.of, limit);
    }
    EXPECT_EQ(together, std::min(limit, wanted)) << "seed " << seed;
  }
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
