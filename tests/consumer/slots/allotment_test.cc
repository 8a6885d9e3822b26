// The owner's side of shared limits: who is allotted how many, and when a slot may go elsewhere.
#include "consumer/slots/allotment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "state/rows/encoding.h"

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
  EXPECT_EQ(allot(), "p0:v2=1 p2:v2=0 p3:v2=0");
  EXPECT_EQ(allot(), "") << "half of it, and three tenths, are no more than the whole";
  report(2, 2, 1, 0);
  EXPECT_EQ(allot(), "");
  report(3, 2, 1, 0);
  EXPECT_EQ(allot(), "p1:v2=1");
  for (PartitionId i = 0; i < 2; ++i) report(i, 2, 1, 1);
  limit = 20;
  EXPECT_EQ(allot(), "p0:v3=1 p1:v3=1");
  for (PartitionId i = 0; i < 2; ++i) report(i, 3, 1, 1);
  EXPECT_EQ(allot(), "p2:v3=1 p3:v3=1");
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

TEST_F(Allotting, ARaisedLimitIsGivenToOthersOnceTheOldPartsAreBack) {
  report(0, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v1=10");
  report(0, 1, 10, 10);
  report(1, 0, 10, 0);
  EXPECT_EQ(allot(), "p0:v2=5");
  limit = 20;
  EXPECT_EQ(allot(), "p0:v3=10") << "all of it, were it 10 again before p0 hears of the half";
  report(0, 2, 10, 5);
  EXPECT_EQ(allot(), "p1:v1=10");
  report(0, 3, 10, 10);
  EXPECT_EQ(allot(), "");
}

TEST_F(Allotting, OfARaisedLimitEverybodyHasItsPartAtOnce) {
  for (PartitionId i = 0; i < 2; ++i) report(i, 0, 40, 0);
  EXPECT_EQ(allot(), "p0:v1=5 p1:v1=5");
  limit = 20;
  EXPECT_EQ(allot(), "p0:v2=10 p1:v2=10");
}

// A raise does not wait for a partition that nobody has: it keeps its part, and no more.
TEST_F(Allotting, WhoNeverAnswersHoldsBackItsOwnPartAlone) {
  for (PartitionId i = 0; i < 2; ++i) report(i, 0, 5, 0);
  EXPECT_EQ(allot(), "p0:v1=5 p1:v1=5");
  for (PartitionId i = 0; i < 2; ++i) report(i, 1, 5, 5);
  limit = 40;
  report(2, 0, 40, 0);
  EXPECT_EQ(allot(), "p0:v2=5 p1:v2=5");
  report(0, 2, 5, 5);
  EXPECT_EQ(allot(), "p2:v1=15");
}

// Partitions that read what they are told, and are heard, when it comes to their turn.
struct Flowing : Allotting {
  struct Partition {
    int demand = 0, slots = 0, of = 0;
    std::uint64_t version = 0;
    std::deque<Allotment::Told> coming = {};
    std::deque<SlotReport> said = {};
  };
  std::mt19937 random;
  std::vector<Partition> all;
  std::size_t told = 0;

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  std::size_t anyone() { return static_cast<std::size_t>(below(static_cast<int>(all.size()))); }

  void begin(unsigned seed) {
    random.seed(seed);
    allotment = {};
    limit = 1 + below(40);
    all.assign(static_cast<std::size_t>(2 + below(8)), {});
    for (std::size_t i = 0; i < all.size(); ++i) ask(i, 1 + below(limit));
  }
  void ask(std::size_t i, int demand) {
    all[i].demand = demand;
    say(i);
  }
  void say(std::size_t i) {
    Partition& one = all[i];
    one.slots = std::min(one.slots, one.demand);
    one.said.push_back({holder(static_cast<PartitionId>(i)), one.version, one.demand, one.slots,
                        SaidLimit{"crm", {.slots = limit}}});
  }
  void read(std::size_t i) {
    Partition& one = all[i];
    if (one.coming.empty()) return;
    one.slots = one.coming.front().slots;
    one.of = one.coming.front().of;
    one.version = one.coming.front().version;
    one.coming.pop_front();
    say(i);
  }
  void hear(std::size_t i) {
    if (all[i].said.empty()) return;
    allotment.take(all[i].said.front());
    all[i].said.pop_front();
  }
  void step(std::size_t i, bool turn) {
    below(2) ? read(i) : hear(i);
    for (const auto& change : allotment.allot(limit, turn)) {
      all[static_cast<std::size_t>(change.to.partition)].coming.push_back(change.target);
      ++told;
    }
  }
  [[nodiscard]] bool quiet() const {
    return std::all_of(all.begin(), all.end(),
                       [](const Partition& one) { return one.coming.empty() && one.said.empty(); });
  }
  // How many may run together, if the limit were `now`: the partitions know of that at once.
  [[nodiscard]] int together(int now) const {
    int together = 0;
    for (const Partition& one : all) together += slots_of_lowered(one.slots, one.of, now);
    return together;
  }
  void expect_below(unsigned seed) const {
    for (int now = 0; now <= limit; ++now)
      ASSERT_LE(together(now), now) << "seed " << seed << ", the limit is " << limit;
  }
  // Until nothing is under way; how many messages that took.
  std::size_t settle(unsigned seed) {
    told = 0;
    for (int steps = 0; steps < 20000; ++steps) {
      const std::size_t before = told;
      step(anyone(), false);
      expect_below(seed);
      if (quiet() && told == before) break;
    }
    EXPECT_TRUE(quiet() && allotment.settled()) << "seed " << seed;
    return told;
  }
  void expect_all_given(unsigned seed) const {
    int wanted = 0;
    for (const Partition& one : all) wanted += std::min(one.demand, limit);
    EXPECT_EQ(together(limit), std::min(limit, wanted)) << "seed " << seed;
  }
};

TEST_F(Flowing, ThePartsOfALoweredLimitNeverExceedItAndAreAllOfItInTheEnd) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    begin(seed);
    (void)settle(seed);
    limit = 1 + below(limit);
    EXPECT_LE(settle(seed), 2 * all.size()) << "seed " << seed;
    expect_all_given(seed);
  }
}

TEST_F(Flowing, HoweverOftenALimitIsRaisedAndLoweredItIsNeverExceededAndNothingIsStuck) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    begin(seed);
    for (int change = 0; change < 8; ++change) {
      for (int steps = below(30); steps > 0; --steps) {
        const std::size_t i = anyone();
        const bool lags = i == 0 && below(6) > 0;
        if (!lags) step(i, below(8) == 0);
        expect_below(seed);
      }
      limit = below(41);
      if (below(2)) ask(anyone(), below(41));
    }
    (void)settle(seed);
    expect_all_given(seed);
    limit = 1 + below(40);
    EXPECT_LE(settle(seed), 3 * all.size()) << "seed " << seed;
    expect_all_given(seed);
    if (HasFatalFailure()) return;
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
