// A queue's partition and the limits that the whole group shares: what it says to their owner, and
// what starts.
#include <set>

#include "consumer/limits/slot_message.h"
#include "tests/consumer/limits/limit_fixture.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

struct Sharing : WithLimits {
  std::uint64_t told = 0;  // messages that the owner has sent
  std::size_t heard = 0;   // reports that reports() has shown
  std::set<std::string> numbers;
  bool leaving = false;

  Sharing() { queue.account_concurrency = 100; }

  void jobs(int count, const std::string& type = "call") {
    for (int i = 0; i < count; ++i) job_of(type, "acme", std::to_string(i));
  }
  void target(const std::string& name, std::uint64_t version, int slots, int of = 10) {
    record(name, to_json(SlotTarget{version, slots, of}),
           {{std::string(kSlotsHeader), "1"},
            {std::string(kMessageHeader),
             "penstock.slots/0@1>penstock.mail/0#" + std::to_string(++told)}});
  }
  void set(const std::string& name, const std::optional<std::string>& value) {
    WithLimits::set(limit_key(name), value);
  }
  // Starts what may start, settles and commits: what is said by then, as "crm v1 demand 3 keeps 1".
  std::string reports(bool waited = true) {
    start();
    task->exchange_slots({waited, leaving, true}, now());
    commit();
    std::string text;
    const auto all = messages("penstock.slots");
    for (; heard < all.size(); ++heard) {
      if (!numbers.insert(all[heard].headers.at(std::string(kMessageHeader))).second)
        continue;  // emitted again
      const SlotReport report = parse_slot_report(*all[heard].value).value();
      EXPECT_EQ(report.from, (SlotHolder{"mail", 0}));
      text += (text.empty() ? "" : ", ") + *all[heard].key + " v" + std::to_string(report.version) +
              " demand " + std::to_string(report.demand) + " keeps " +
              std::to_string(report.keeps) + (report.said ? "" : " unasked");
    }
    return text;
  }
};

TEST_F(Sharing, NothingStartsBeforeASlotIsAllotted) {
  type("call", {limit("crm", 10)});
  jobs(3);
  EXPECT_EQ(start(), "");
  EXPECT_EQ(reports(), "crm v0 demand 3 keeps 0");
  target("crm", 1, 2);
  EXPECT_EQ(start(), "0 1");
  end("0");
  EXPECT_EQ(start(), "2");
}

TEST_F(Sharing, TheReportGoesToThePartitionOfTheLimitsName) {
  type("call", {limit("crm", 10)});
  jobs(1);
  reports();
  const auto sent_to = messages("penstock.slots");
  ASSERT_EQ(sent_to.size(), 1u);
  EXPECT_EQ(sent_to[0].to.partition, partition_of("crm", kSlotsPartitions));
  EXPECT_EQ(sent_to[0].key, "crm");
}

TEST_F(Sharing, ARecallIsAnsweredOnceNoMoreRunThanAreLeft) {
  type("call", {limit("crm", 10)});
  jobs(6);
  reports();
  target("crm", 1, 3);
  EXPECT_EQ(reports(), "crm v1 demand 6 keeps 3");
  target("crm", 2, 1);
  EXPECT_EQ(reports(), "");
  end("0");
  EXPECT_EQ(reports(), "");
  end("1");
  EXPECT_EQ(reports(),
            "crm v2 demand 6 keeps 1");  // as before the three ended: the demand falls later
  EXPECT_EQ(start(), "");
  end("2");
  EXPECT_EQ(start(), "3");
}

TEST_F(Sharing, BeforeTheTakeOverWaitIsOverNoRecallIsAnswered) {
  type("call", {limit("crm", 10)});
  jobs(4);
  reports();
  target("crm", 1, 4);
  reports();
  restart();
  target("crm", 2, 0);
  EXPECT_EQ(reports(false), "");
  EXPECT_EQ(reports(true), "crm v2 demand 4 keeps 0");
}

TEST_F(Sharing, AnOlderTargetChangesNothing) {
  type("call", {limit("crm", 10)});
  jobs(4);
  reports();
  target("crm", 5, 1);
  target("crm", 4, 4);
  EXPECT_EQ(start(), "0");
}

TEST_F(Sharing, ATargetThatRepeatsAMessageChangesNothing) {
  type("call", {limit("crm", 10)});
  jobs(4);
  reports();
  target("crm", 1, 1);
  --told;
  target("crm", 2, 4);
  EXPECT_EQ(start(), "0");
  EXPECT_EQ(task->counters().messages_ignored, 1u);
}

TEST_F(Sharing, TheTargetAndWhatWasSaidSurviveARestart) {
  type("call", {limit("crm", 10)});
  jobs(4);
  reports();
  target("crm", 1, 2);
  EXPECT_EQ(reports(), "crm v1 demand 4 keeps 2");
  restart();
  EXPECT_EQ(reports(), "");
  EXPECT_EQ(host.starts.size(), 2u);
}

TEST_F(Sharing, SlotsWithoutUseAreGivenBackWithoutBeingAskedFor) {
  type("call", {limit("crm", 10)});
  jobs(3);
  reports();
  target("crm", 1, 3);
  EXPECT_EQ(reports(), "crm v1 demand 3 keeps 3");
  end("0");
  end("1");
  EXPECT_EQ(reports(), "");
  clock += SharedLimit::kRaiseGap;
  EXPECT_EQ(reports(), "");
  clock += SharedLimit::kLowerAfter;
  EXPECT_EQ(reports(), "crm v1 demand 1 keeps 1");
  // It asks for what it uses, so there is nothing to look at until something changes.
  EXPECT_EQ(task->next_time(), std::nullopt);
  end("2");
  reports();
  clock += SharedLimit::kRaiseGap;
  reports();
  clock += SharedLimit::kLowerAfter;
  EXPECT_EQ(reports(), "crm v1 demand 0 keeps 0");
  job_of("call", "acme", "late");
  EXPECT_EQ(start(), "");
}

TEST_F(Sharing, ASteadyStateCostsNoMessage) {
  type("call", {limit("crm", 10)});
  jobs(200);
  EXPECT_EQ(reports(), "crm v0 demand 10 keeps 0");
  target("crm", 1, 1);
  EXPECT_EQ(reports(), "crm v1 demand 10 keeps 1");
  for (int i = 0; i < 150; ++i) {
    end(std::to_string(i));
    clock += 37ms;
    EXPECT_EQ(reports(), "") << i;
  }
}

TEST_F(Sharing, OneJobAfterTheOtherCostsNoMessageEither) {
  type("call", {limit("crm", 10)});
  jobs(1);
  reports();
  target("crm", 1, 1);
  reports();
  for (int i = 1; i < 50; ++i) {
    end(std::to_string(i - 1));
    clock += 100ms;
    reports();
    clock += 100ms;
    job_of("call", "acme", std::to_string(i));
    EXPECT_EQ(reports(), "") << i;
  }
  EXPECT_EQ(host.starts.size(), 50u);
}

TEST_F(Sharing, DemandRisesInSteps) {
  type("call", {limit("crm", 10)});
  jobs(1);
  EXPECT_EQ(reports(), "crm v0 demand 1 keeps 0");
  for (int i = 1; i < 5; ++i) {
    job_of("call", "acme", std::to_string(i));
    EXPECT_EQ(reports(), "");
  }
  clock += SharedLimit::kRaiseGap;
  EXPECT_EQ(reports(), "crm v0 demand 5 keeps 0");
}

TEST_F(Sharing, OnLeavingIdleSlotsGoBackAtOnce) {
  type("call", {limit("crm", 10)});
  jobs(2);
  reports();
  target("crm", 1, 2);
  reports();
  leaving = true;
  EXPECT_EQ(reports(), "");
  end("0");
  EXPECT_EQ(reports(), "");
  end("1");
  EXPECT_EQ(reports(), "crm v1 demand 0 keeps 0");
}

TEST_F(Sharing, AnOverrideIsInForceHereBeforeTheOwnerHasHeardOfIt) {
  type("call", {limit("crm", 10)});
  jobs(9);
  reports();
  target("crm", 1, 5);
  EXPECT_EQ(start(), "0 1 2 3 4");
  set("crm", R"({"slots":0})");
  for (int i = 0; i < 5; ++i) end(std::to_string(i));
  EXPECT_EQ(start(), "");
  EXPECT_EQ(why("acme", "5"), "waits for the limit \"crm\", which is set to 0 slots");
  set("crm", R"({"slots":2})");
  EXPECT_EQ(start(), "5") << "half of what there was is its";
  set("crm", std::nullopt);
  EXPECT_EQ(start(), "6 7 8");
}

TEST_F(Sharing, OfALoweredLimitEachPartitionKeepsToItsPartUntilItIsDividedAnew) {
  type("call", {limit("crm", 10)});
  jobs(12);
  reports();
  target("crm", 1, 4);
  EXPECT_EQ(start(), "0 1 2 3");
  set("crm", R"({"slots":5})");
  end("0");
  end("1");
  EXPECT_EQ(start(), "") << "two of five";
  end("2");
  EXPECT_EQ(start(), "4");
  (void)reports();
  restart();
  task->set_control(&control, now());
  EXPECT_EQ(start(), "3 4") << "what it keeps outlives it";
  target("crm", 2, 3, 5);
  EXPECT_EQ(start(), "5");
  set("crm", R"({"slots":4})");
  end("3");
  end("4");
  EXPECT_EQ(start(), "6") << "two of four: three fifths, rounded down";
  set("crm", R"({"slots":20})");
  EXPECT_EQ(start(), "7") << "more than it was told it has only from its owner";
}

// Its owner knows nothing of that, and has nothing to tell.
TEST_F(Sharing, APartOfALoweredLimitIsWholeAgainWhenTheNumberIs) {
  type("call", {limit("crm", 10)});
  jobs(2);
  reports();
  target("crm", 1, 1);
  EXPECT_EQ(start(), "0");
  set("crm", R"({"slots":5})");
  end("0");
  EXPECT_EQ(start(), "");
  (void)reports();
  set("crm", R"({"slots":10})");
  EXPECT_EQ(start(), "1");
}

TEST_F(Sharing, PartitionsOfOneSlotEachStopBelowTheLoweredNumber) {
  type("call", {limit("crm", 10)});
  jobs(2);
  reports();
  target("crm", 1, 1);
  EXPECT_EQ(start(), "0");
  set("crm", R"({"slots":3})");
  EXPECT_EQ(why("acme", "1"),
            "waits for the limit \"crm\", which was lowered to 3 slots: 1 of the 0 that this "
            "partition has until they are divided anew are in use, by \"0\"");
  end("0");
  EXPECT_EQ(start(), "") << "ten of them would be more than three";
  target("crm", 2, 1, 3);
  EXPECT_EQ(start(), "1");
}

TEST_F(Sharing, DemandIsCappedAtTheLimit) {
  type("call", {limit("crm", 4)});
  jobs(50);
  EXPECT_EQ(reports(), "crm v0 demand 4 keeps 0");
  set("crm", R"({"slots":7})");
  clock += 1s;
  EXPECT_EQ(reports(), "crm v0 demand 7 keeps 0");
}

TEST_F(Sharing, AJobTakesAllItsLimitsOrNoneAndAsksForThemInTheOrderOfTheirNames) {
  type("both", {limit("b", 1), limit("a", 1)});
  job_of("both", "acme", "1");
  EXPECT_EQ(reports(), "a v0 demand 1 keeps 0");
  target("a", 1, 1, 1);
  EXPECT_EQ(reports(), "a v1 demand 1 keeps 1, b v0 demand 1 keeps 0");
  EXPECT_EQ(host.starts.size(), 0u);
  clock += 10s;
  EXPECT_EQ(reports(), "");  // it still needs the first, so it keeps it
  target("b", 1, 1, 1);
  EXPECT_EQ(start(), "1");
}

TEST_F(Sharing, TwoThatAreFilledInToOneNameAreOneAndSayTheStricterOfBothForGood) {
  type("some", {limit("crm/eu", 5)});
  type("all", {limit("crm/{args/region}", 10)});
  for (int i = 0; i < 20; ++i)
    job_of("all", "acme", "all" + std::to_string(i), R"("args":{"region":"eu"})");
  EXPECT_EQ(reports(), "crm/eu v0 demand 10 keeps 0");
  job_of("some", "acme", "some");
  clock += 10s;
  EXPECT_EQ(reports(), "crm/eu v0 demand 10 keeps 0");
  const auto said = [&] {
    return parse_slot_report(*messages("penstock.slots").back().value)->said;
  };
  EXPECT_EQ(said(), (SaidLimit{"crm/eu", {.slots = 5}}));
  clock += SharedLimit::kLowerAfter;
  EXPECT_EQ(reports(), "crm/eu v0 demand 5 keeps 0");
  target("crm/eu", 1, 5, 5);
  EXPECT_EQ(reports(), "crm/eu v1 demand 5 keeps 5");
  for (int i = 0; i < 5; ++i) {
    end(host.starts[static_cast<std::size_t>(i)].id);
    EXPECT_EQ(reports(), "") << "nothing changes with who asks";
    EXPECT_EQ(said(), (SaidLimit{"crm/eu", {.slots = 5}}));
  }
}

TEST_F(Sharing, WhichOfTwoWrittenNamesHoldsIsToldAlthoughTheDemandIsTheSame) {
  queue.account_concurrency = 1;
  type("some", {limit("crm/eu", 5)});
  type("all", {limit("crm/{args/region}", 10)});
  const auto said = [&] {
    return parse_slot_report(*messages("penstock.slots").back().value)->said->written;
  };
  job_of("some", "acme", "1");
  EXPECT_EQ(reports(), "crm/eu v0 demand 1 keeps 0");
  target("crm/eu", 1, 1, 5);
  EXPECT_EQ(start(), "1");
  job_of("all", "acme", "2", R"("args":{"region":"eu"})");
  EXPECT_EQ(reports(), "crm/eu v1 demand 1 keeps 1");
  end("1");
  EXPECT_EQ(said(), "crm/eu");
  set("crm/{args/region}", R"({"slots":1})");
  EXPECT_EQ(start(), "") << "a fifth of one slot";
  EXPECT_EQ(reports(), "crm/eu v1 demand 1 keeps 1");
  EXPECT_EQ(said(), "crm/{args/region}");
  EXPECT_EQ(reports(), "");
  target("crm/eu", 2, 1, 1);
  EXPECT_EQ(start(), "2");
}

TEST_F(Sharing, WhoWaitsForTheFirstOfTwoLimitsKeepsNoSlotOfTheSecond) {
  type("both", {limit("a", 1), limit("b", 1)});
  type("only_b", {limit("b", 1)});
  job_of("only_b", "acme", "1");
  reports();
  target("b", 1, 1, 1);
  EXPECT_EQ(start(), "1");
  job_of("both", "acme", "2");
  end("1");
  EXPECT_EQ(reports(), "a v0 demand 1 keeps 0, b v1 demand 1 keeps 1");
  clock += 50ms;
  reports();
  clock += 500ms;
  EXPECT_EQ(reports(), "b v1 demand 0 keeps 0");
}

TEST_F(Sharing, ALocalLimitOfTheSameNameIsAnother) {
  type("call", {limit("crm", 10)});
  type("local", {limit("{account}", 1)});
  record("crm", R"({"type":"local","id":"1"})");
  record("crm", R"({"type":"local","id":"2"})");
  job_of("call", "acme", "3");
  EXPECT_EQ(start(), "1");
  EXPECT_EQ(reports(), "crm v0 demand 1 keeps 0");
  target("crm", 1, 1);
  EXPECT_EQ(start(), "3");
}

TEST_F(Sharing, AReleaseWakesExactlyOne) {
  type("call", {limit("crm", 10)});
  for (const char* account : {"a", "b", "c"}) {
    for (int i = 0; i < 2; ++i) job_of("call", account, account + std::to_string(i));
  }
  reports();
  target("crm", 1, 1);
  EXPECT_EQ(start(), "a0");
  end("a0");
  EXPECT_EQ(start(), "b0");
  end("b0");
  EXPECT_EQ(start(), "c0");
}

TEST_F(Sharing, ARateIsSplitByTheSameAllotment) {
  type("call", {limit("sms", {}, Rate{12, Duration{1000}}, 1)});
  jobs(10);
  EXPECT_EQ(reports(), "sms v0 demand 60 keeps 0");
  target("sms", 1, 30, kRateParts);  // half of it: 6 a second
  reports();
  EXPECT_EQ(host.starts.size(), 1u);
  clock += 1s;
  for (int i = 0; i < 8; ++i) start();
  EXPECT_EQ(host.starts.size(), 2u);  // its burst is 1
  for (int i = 0; i < 6; ++i) {
    clock += 167ms;
    start();
  }
  EXPECT_EQ(host.starts.size(), 8u);
}

TEST_F(Sharing, ALimitThatIsForgottenLeavesNoRow) {
  type("call", {limit("crm", 10)});
  jobs(1);
  reports();
  EXPECT_EQ(rows_of('s'), 1u);
  target("crm", 1, 1);
  reports();
  end("0");
  reports();
  clock += 50ms;
  reports();
  clock += 500ms;
  EXPECT_EQ(reports(), "crm v1 demand 0 keeps 0");
  clock += 2s;
  reports();
  EXPECT_EQ(rows_of('s'), 0u);
}

TEST_F(Sharing, ATargetForWhatIsForgottenIsGivenBack) {
  make();
  target("crm", 3, 2);
  EXPECT_EQ(reports(), "crm v3 demand 0 keeps 0 unasked");
}

// Or a partition without jobs would go on telling the owner what the configuration said when it had
// some.
TEST_F(Sharing, WhoHasNoJobForALimitSaysNothingOfWhatTheConfigurationSays) {
  type("call", {limit("crm", 10)});
  jobs(1);
  reports();
  target("crm", 1, 1);
  EXPECT_EQ(reports(), "crm v1 demand 1 keeps 1");
  end("0");
  EXPECT_EQ(reports(), "");
  restart();
  EXPECT_EQ(reports(), "");
  clock += SharedLimit::kLowerAfter;
  EXPECT_EQ(reports(), "crm v1 demand 0 keeps 0 unasked");
  job_of("call", "acme", "1");
  EXPECT_EQ(reports(), "crm v1 demand 1 keeps 0");
}

TEST_F(Sharing, WhatIsKnownOfALimitFromItsOwnerAloneGivesWayToTheConfiguration) {
  type("call", {limit("crm", 10)});
  make();
  target("crm", 3, 2);
  jobs(3);
  EXPECT_EQ(start(), "0 1");
}

TEST_F(Sharing, WhySaysWhatThePartitionHasAndWhoHoldsIt) {
  type("call", {limit("crm", 10)});
  jobs(4);
  start();
  EXPECT_EQ(why("acme", "0"),
            "waits for the limit \"crm\": none of its 10 slots is allotted to "
            "this partition; who holds them is known to the partitions that have some");
  reports();
  target("crm", 1, 2);
  start();
  EXPECT_EQ(why("acme", "2"),
            "waits for the limit \"crm\": 2 of the 2 slots that this partition has of its 10 slots "
            "are in use, "
            "by \"0\", \"1\"");
}

TEST_F(Sharing, ARecordThatOnlyLooksLikeATargetIsNoTarget) {
  type("call", {limit("crm", 10)});
  jobs(2);
  record("crm", to_json(SlotTarget{1, 5, 10}), {{std::string(kSlotsHeader), "1"}});
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().bad, 1u);
}

}  // namespace
}  // namespace penstock
