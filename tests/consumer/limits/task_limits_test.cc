// Limits and pauses: who may start, who waits, who is woken, and what `why` says.
#include <gmock/gmock.h>

#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

using Limiting = WithLimits;

TEST_F(Limiting, RunningAttemptsNeverExceedTheSlots) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 2)});
  for (int i = 0; i < 5; ++i) job_of("call", "acme", std::to_string(i));
  EXPECT_EQ(start(), "0 1");
  EXPECT_EQ(start(), "");
  end("0");
  EXPECT_EQ(start(), "2");
  end("1");
  end("2");
  EXPECT_EQ(start(), "3 4");
}

TEST_F(Limiting, ALimitOfOneAccountDoesNotHoldBackAnother) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* account : {"acme", "bolt"}) {
    for (int i = 0; i < 2; ++i) job_of("call", account, account + std::to_string(i));
  }
  EXPECT_EQ(start(), "acme0 bolt0");
  end("bolt0");
  EXPECT_EQ(start(), "bolt1");
}

TEST_F(Limiting, AJobThatWaitsForASlotDoesNotHoldBackOtherTypes) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  job_of("t", "acme", "c");
  EXPECT_EQ(start(), "a c");
}

TEST_F(Limiting, StrictOrderWaitsBehindWhoeverWaitsForASlot) {
  queue.order = Order::kStrict;
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  job_of("t", "acme", "c");
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(start(), "b c");
}

TEST_F(Limiting, AReleaseWakesOneOfAnotherAccountToo) {
  type("call", {limit("{account}/{args/host}", 1)});
  type("all", {limit("all/{queue}/{account}", 1)});
  job_of("call", "acme", "a", R"("args":{"host":"h"})");
  job_of("call", "acme", "b", R"("args":{"host":"i"})");
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Limiting, AllLimitsAreHeldOrNone) {
  queue.account_concurrency = 100;
  type("both", {limit("a/{account}", 1), limit("b/{account}", 1)});
  type("only_b", {limit("b/{account}", 1)});
  type("only_a", {limit("a/{account}", 1)});
  job_of("only_b", "acme", "1");
  job_of("both", "acme", "2");
  job_of("only_a", "acme", "3");
  EXPECT_EQ(start(), "1 3");  // the one that needs both holds neither
  end("3");
  EXPECT_EQ(start(), "");
  end("1");
  EXPECT_EQ(start(), "2");
}

// Each is promised the slot that the other needs as well: giving the promises to each other would
// never end.
TEST_F(Limiting, JobsThatEachHaveAPromiseOfWhatTheOthersNeedStartAllTheSame) {
  queue.account_concurrency = 100;
  for (const char* name : {"p1", "p2", "p3"})
    type(name, {limit("a/{account}", 1), limit("b/{account}", 1)});
  type("only_a", {limit("a/{account}", 1)});
  type("only_b", {limit("b/{account}", 1)});
  job_of("only_a", "acme", "1");
  job_of("only_b", "acme", "2");
  job_of("p1", "acme", "3");
  job_of("p2", "acme", "4");
  EXPECT_EQ(start(), "1 2");
  end("1");
  EXPECT_EQ(start(), "");  // both wait for the second limit now
  job_of("only_a", "acme", "5");
  EXPECT_EQ(start(), "5");
  job_of("p3", "acme", "6");
  EXPECT_EQ(start(), "");
  end("5");
  end("2");
  EXPECT_EQ(start(), "3");
  end("3");
  EXPECT_EQ(start(), "4");
  end("4");
  EXPECT_EQ(start(), "6");
}

TEST_F(Limiting, AFailedAttemptGivesItsSlotBack) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  EXPECT_EQ(start(), "a");
  end("a", RetryLater{"no", std::nullopt, ""});
  EXPECT_EQ(start(), "b");
  end("b");
  clock += 10s + kWallResolution;
  EXPECT_EQ(start(), "a");
}

TEST_F(Limiting, ALateOutcomeReleasesNothingTwice) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* id : {"a", "b", "c"}) job_of("call", "acme", id);
  start();
  const Token first = token("a");
  end("a");
  EXPECT_EQ(start(), "b");
  task->attempt_ended(first, {Done{}, {}}, now());
  EXPECT_EQ(start(), "");
}

TEST_F(Limiting, AfterARestartNothingHoldsASlot) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  start();
  commit();
  restart();
  EXPECT_EQ(start(), "a");
}

TEST_F(Limiting, ACancelledWaiterLeavesItsPlaceToTheNext) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* id : {"a", "b", "c"}) job_of("call", "acme", id);
  EXPECT_EQ(start(), "a");
  command("cancel", "acme", "b");
  end("a");
  EXPECT_EQ(start(), "c");
}

TEST_F(Limiting, ACancelledWaiterThatIsARowOnlyLeavesNobodyWaiting) {
  max_live_jobs = 0;
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* id : {"a", "b"}) job_of("call", "acme", id);
  EXPECT_EQ(start(), "a");
  commit();
  command("cancel", "acme", "b");
  end("a");
  EXPECT_EQ(start(), "");
  job_of("call", "acme", "c");
  EXPECT_EQ(start(), "c");
}

TEST_F(Limiting, ZeroSlotsHaltAndAnOverrideIsInForceAtOnce) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* id : {"a", "b", "c", "d"}) job_of("call", "acme", id);
  EXPECT_EQ(start(), "a");
  set(limit_key("crm/{account}"), R"({"slots":0})");
  end("a");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(why("acme", "b"), "waits for the limit \"crm/acme\", which is set to 0 slots");
  set(limit_key("crm/acme"), R"({"slots":2})");  // the name as filled in goes first
  EXPECT_EQ(start(), "b c");
  set(limit_key("crm/acme"), std::nullopt);
  end("b");
  end("c");
  EXPECT_EQ(start(), "");
  set(limit_key("crm/{account}"), std::nullopt);
  EXPECT_EQ(start(), "d");
}

TEST_F(Limiting, AnOverrideOfTheSlotsKeepsTheRateAndTheOtherWayRound) {
  queue.account_concurrency = 100;
  type("call", {limit("sms/{account}", 3, Rate{1, Duration{60'000}})});
  for (const char* id : {"a", "b", "c", "d"}) job_of("call", "acme", id);
  EXPECT_EQ(start(), "a");
  set(limit_key("sms/acme"), R"({"slots":5})");
  EXPECT_EQ(start(), "");
  EXPECT_THAT(why("acme", "b"), testing::HasSubstr("whose rate of 1/m"));
  set(limit_key("sms/acme"), R"({"rate":"100/s","burst":10})");
  EXPECT_EQ(start(), "b");
  clock += 1s;
  task->advance(now());
  EXPECT_EQ(start(), "c") << "three slots are configured";
}

TEST_F(Limiting, ALoweredNumberTakesNothingFromThoseThatRun) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 3)});
  for (int i = 0; i < 6; ++i) job_of("call", "acme", std::to_string(i));
  EXPECT_EQ(start(), "0 1 2");
  set(limit_key("crm/acme"), R"({"slots":1})");
  EXPECT_TRUE(host.stops.empty());
  end("0");
  end("1");
  EXPECT_EQ(start(), "");
  end("2");
  EXPECT_EQ(start(), "3");
}

TEST_F(Limiting, ARateLetsStartAsManyAsItSays) {
  queue.account_concurrency = 100;
  type("call", {limit("sms/{account}", {}, Rate{10, Duration{1000}}, 3)});
  for (int i = 0; i < 9; ++i) job_of("call", "acme", std::to_string(i));
  EXPECT_EQ(start(), "0 1 2");
  EXPECT_EQ(task->next_time(), base() + 100ms);
  clock += 99ms;
  EXPECT_EQ(start(), "");
  clock += 1ms;
  EXPECT_EQ(start(), "3");
  clock += 200ms;
  EXPECT_EQ(start(), "4 5");
}

TEST_F(Limiting, ARateIsRememberedAcrossRestarts) {
  queue.account_concurrency = 100;
  type("call", {limit("sms/{account}", {}, Rate{1, Duration{60'000}}, 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  EXPECT_EQ(start(), "a");
  end("a");
  commit();
  EXPECT_EQ(rows_of('r'), 1u);
  restart();
  EXPECT_EQ(start(), "");
  clock += 60s;
  EXPECT_EQ(start(), "b");
}

TEST_F(Limiting, WhatNoLimitRemembersLeavesNoRow) {
  type("call", {limit("sms/{account}", {}, Rate{1, Duration{1000}}, 1)});
  job_of("call", "acme", "a");
  start();
  end("a");
  commit();
  EXPECT_EQ(rows_of('r'), 1u);
  clock += 5s;
  start();
  commit();
  EXPECT_EQ(rows_of('r'), 0u);
}

TEST_F(Limiting, AQuickJobOfALimitedTypeStartsAndEndsLikeAnyOther) {
  queue.account_concurrency = 100;
  host.instant = true;
  type("call", {limit("crm/{account}", 1)});
  for (int i = 0; i < 5; ++i) job_of("call", "acme", std::to_string(i));
  EXPECT_EQ(start(), "0 1 2 3 4");
}

TEST_F(Limiting, WhySaysWhichLimitAndWhoHoldsIt) {
  queue.account_concurrency = 100;
  type("call", {limit("crm/{account}", 1)});
  for (const char* id : {"a", "b", "c"}) job_of("call", "acme", id);
  start();
  EXPECT_EQ(why("acme", "b"),
            "waits for the limit \"crm/acme\": 1 of 1 slots are in use, by \"a\"");
  EXPECT_EQ(why("acme", "c"),
            "waits behind \"b\", which waits for the limit \"crm/acme\": 1 of 1 slots are in use, "
            "by \"a\"");
}

TEST_F(Limiting, WhyOfARateSaysWhen) {
  queue.account_concurrency = 100;
  type("call", {limit("sms/{account}", {}, Rate{1, Duration{60'000}}, 1)});
  job_of("call", "acme", "a");
  job_of("call", "acme", "b");
  start();
  EXPECT_EQ(why("acme", "b"),
            "waits for the limit \"sms/acme\", whose rate of 1/m lets the next one start at "
            "2027-01-15T08:01:00.000Z");
}

TEST_F(Limiting, DueRetriesStartNoFasterThanTheirLimitsAllowAndDelayNoFreshJobOfAnother) {
  constexpr std::size_t kJobs = 1000, kSlots = 10;
  queue.account_concurrency = 2 * kJobs;
  type("call", {limit("crm/{account}", kSlots)});
  for (std::size_t i = 0; i < kJobs; ++i) job_of("call", "acme", std::to_string(i));
  std::size_t ended = 0;
  const auto end_next = [&](OutcomeValue outcome) {
    task->attempt_ended(host.starts[ended++].token, {std::move(outcome), {}}, now());
  };
  while (ended < kJobs) {
    start();
    ASSERT_LT(ended, host.starts.size());
    while (ended < host.starts.size()) end_next(RetryLater{"no", Duration{1h}, ""});
  }
  clock += 1h + kWallResolution;
  job_of("call", "bolt", "fresh");
  start();  // all are due in this instant
  EXPECT_EQ(host.starts.size(), kJobs + kSlots + 1);
  EXPECT_EQ(token("fresh").epoch, epoch);
  while (ended < host.starts.size()) {
    end_next(Done{});
    start();
    ASSERT_LE(task->attempts().running(), kSlots + 1);
  }
  EXPECT_EQ(task->counters().succeeded, kJobs + 1);
}

// -- Names that come to the same

TEST_F(Limiting, TwoLimitsThatAreFilledInToOneNameAreTakenOnce) {
  queue.account_concurrency = 100;
  const Rate rate{1, Duration{1000}};
  type("move", {limit("{account}/{args/from}", 2, rate), limit("{account}/{args/to}", 2, rate)});
  job_of("move", "acme", "a", R"("args":{"from":"x","to":"x"})");
  job_of("move", "acme", "b", R"("args":{"from":"x","to":"y"})");
  job_of("move", "acme", "c");  // both are null
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(why("acme", "b"),
            "waits for the limit \"acme/x\", whose rate of 1/s lets the next one start at "
            "2027-01-15T08:00:01.000Z");
  clock += 1s;
  EXPECT_EQ(start(), "b c") << "there are two slots, and a has one of them";
  end("a");
  end("b");
  end("c");
  EXPECT_EQ(task->counters().succeeded, 3u);
}

TEST_F(Limiting, OfTwoThatAreFilledInToOneNameTheStricterHoldsWhoeverAsks) {
  queue.account_concurrency = 100;
  type("some", {limit("crm/{account}/eu", 2)});
  type("all", {limit("crm/{account}/{args/region}", 4)});
  for (int i = 0; i < 6; ++i)
    job_of("all", "acme", "all" + std::to_string(i), R"("args":{"region":"eu"})");
  job_of("all", "acme", "us", R"("args":{"region":"us"})");
  EXPECT_EQ(start(), "all0 all1 all2 all3");
  job_of("some", "acme", "some");
  EXPECT_EQ(start(), "");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(start(), "") << i << ": two run at most, now that somebody has asked for two";
    end("all" + std::to_string(i));
  }
  EXPECT_EQ(start(), "all4");
  set(limit_key("crm/{account}/{args/region}"), R"({"slots":1})");
  end("all3");
  EXPECT_EQ(start(), "");
  set(limit_key("crm/acme/eu"), R"({"slots":3})");  // of both
  EXPECT_EQ(start(), "all5 us some");
}

// -- Pauses

TEST_F(Limiting, NothingOfAPausedQueueStartsUntilItIsResumed) {
  job("acme", "a");
  set("pause/mail", R"({"since":1800000000000,"by":"ann@host"})");
  job("bolt", "b");
  EXPECT_EQ(start(), "");
  EXPECT_EQ(why("acme", "a"),
            "waits for the queue \"mail\" to be resumed: it is paused since "
            "2027-01-15T08:00:00.000Z by ann@host");
  set("pause/mail", std::nullopt);
  EXPECT_EQ(start(), "a b");
}

TEST_F(Limiting, WhatRunsWhenItsQueueIsPausedGoesOn) {
  job("acme", "a");
  job("acme", "b");
  start();
  set("pause/mail", "{}");
  EXPECT_TRUE(host.stops.empty());
  end("a");
  EXPECT_EQ(task->counters().succeeded, 1u);
  EXPECT_EQ(start(), "");
}

TEST_F(Limiting, APausedTypeHoldsBackOnlyItself) {
  queue.account_concurrency = 100;
  type("call", {});
  job_of("call", "acme", "a");
  job_of("t", "acme", "b");
  set("pause/mail/type/call", "{}");
  EXPECT_EQ(start(), "b");
  set("pause/mail/type/call", std::nullopt);
  EXPECT_EQ(start(), "a");
}

TEST_F(Limiting, APausedAccountHoldsBackOnlyItself) {
  job("acme", "a");
  job("bolt", "b");
  set("pause/mail/account/acme", "{}");
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(why("acme", "a"), "waits for the account \"acme\" to be resumed: it is paused");
  set("pause/mail/account/acme", std::nullopt);
  EXPECT_EQ(start(), "a");
}

TEST_F(Limiting, APausedJobStillExpiresAndCanBeCancelled) {
  job("acme", "a", "\"expires_at\":" + ms(1s));
  job("bolt", "b");
  set("pause/mail", "{}");
  EXPECT_EQ(start(), "");
  commit();
  command("cancel", "bolt", "b");
  clock += 2s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 1u);
  EXPECT_EQ(task->counters().cancelled, 1u);
}

}  // namespace
}  // namespace penstock
