#include <nlohmann/json.hpp>

#include "consumer/policy/duration.h"
#include "consumer/policy/error_pattern.h"
#include "pool_fixture.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

TEST_F(Pool, GivesTheHandlerItsAttempt) {
  AttemptRequest attempt = request(7, R"({"url":"http://x"})");
  attempt.attempt = 4;
  attempt.cursor = "[1,2]";
  attempt.headers = {{"traceparent", "00"}, {"traceparent", "01"}};
  const auto outcome = outcome_of(
      [](Attempt& got) {
        EXPECT_EQ(got.queue(), "mail");
        EXPECT_EQ(got.id(), "job-7");
        EXPECT_EQ(got.type(), "webhook.send");
        EXPECT_EQ(got.account(), "acme");
        EXPECT_EQ(got.args().at("url"), "http://x");
        EXPECT_EQ(got.attempt(), 4);
        EXPECT_EQ(got.max_attempts(), 25);
        EXPECT_EQ(got.token(), "00000001-000000000000002a-0000000000000007-00000000-0000");
        EXPECT_EQ(got.cursor(), nlohmann::json({1, 2}));
        EXPECT_EQ(got.headers().size(), 2u);
        EXPECT_EQ(got.header("traceparent"), "01");
        EXPECT_EQ(got.header("none"), "");
        EXPECT_FALSE(got.stop_requested());
        EXPECT_GT(got.deadline(), std::chrono::steady_clock::now() + 20s);
        return done();
      },
      std::move(attempt));
  as<Done>(outcome);
}

TEST_F(Pool, TellsTheHandlerOfACopyWhatItIsACopyOf) {
  AttemptRequest attempt = request(7);
  as<Done>(outcome_of(
      [](Attempt& got) {
        EXPECT_FALSE(got.replay());
        return done();
      },
      attempt));
  attempt.replay = R"({"id":"r","of":"a","source":"penstock.mail/1/5"})";
  as<Done>(outcome_of(
      [](Attempt& got) {
        EXPECT_TRUE(got.replay());
        const Replay replay = got.replay().value_or(Replay{});
        EXPECT_EQ(replay.id, "r");
        EXPECT_EQ(replay.of, "a");
        EXPECT_EQ(replay.source, "penstock.mail/1/5");
        return done();
      },
      attempt));
}

TEST_F(Pool, TellsTheHandlerOfABatchOfWhichItemsAreCopies) {
  AttemptRequest attempt = batch_request();
  attempt.items[1].replay = R"({"id":"r","of":"b","source":"penstock.mail/1/5"})";
  as<Done>(outcome_of(
      [](Attempt& got) {
        EXPECT_FALSE(got.replay());
        EXPECT_FALSE(got.items()[0].replay);
        EXPECT_EQ(got.items()[1].replay.value_or(Replay{}).of, "b");
        return done();
      },
      std::move(attempt)));
}

// nlohmann::json would make of it 1.8446744073709552e+19, 1.1 and members in another order.
constexpr const char* kRawText = R"({"z": 18446744073709551616, "a": 1.10})";

TEST_F(Pool, CarriesRawJsonByteForByte) {
  AttemptRequest attempt = request(7, kRawText);
  attempt.cursor = kRawText;
  with([](Attempt& got) {
    EXPECT_EQ(got.raw_args(), kRawText);
    EXPECT_EQ(got.raw_cursor(), kRawText);
    got.enqueue({.type = "t", .raw_args = got.raw_args()});
    got.checkpoint_raw(got.raw_cursor());
    return next_raw(got.raw_cursor());
  }).start(std::move(attempt), mailbox_);
  EXPECT_EQ(as<NextIteration>(mailbox_.outcome()).cursor, kRawText);
  const auto saved = mailbox_.next<Checkpoint>();
  EXPECT_EQ(saved->cursor, kRawText);
  ASSERT_EQ(saved->enqueue.size(), 1u);
  EXPECT_NE(saved->enqueue[0].record.find(kRawText), std::string::npos);
}

TEST_F(Pool, RefusesRawTextThatIsNoJson) {
  const auto outcome = outcome_of([](Attempt& got) {
    EXPECT_THROW(got.enqueue({.type = "t", .raw_args = R"({},"id":"x")"}), std::invalid_argument);
    EXPECT_THROW(got.checkpoint_raw(R"({"a":1,"a":2})"), std::invalid_argument);
    return next_raw("{");
  });
  EXPECT_NE(as<RetryLater>(outcome).error.find("the text is not a JSON value"), std::string::npos);
}

TEST_F(Pool, PassesOnEachOutcome) {
  as<Done>(outcome_of([](Attempt&) { return done(); }));
  EXPECT_EQ(as<NextIteration>(outcome_of([](Attempt&) {
              return next({{"page", 2}});
            })).cursor,
            R"({"page":2})");
  EXPECT_EQ(as<Snooze>(outcome_of([](Attempt&) { return snooze(30s); })).in, 30s);
  EXPECT_EQ(as<Discard>(outcome_of([](Attempt&) { return discard("gone"); })).reason, "gone");
  EXPECT_EQ(as<CancelJob>(outcome_of([](Attempt&) { return cancel("no"); })).reason, "no");
  const auto later = as<RetryLater>(outcome_of([](Attempt&) { return retry("busy", 5s); }));
  EXPECT_EQ(later.error, "busy");
  EXPECT_EQ(later.in, 5s);
  EXPECT_EQ(later.error_class, "");
  const auto named = as<RetryLater>(outcome_of([](Attempt&) { return retry("x", {}, "busy"); }));
  EXPECT_EQ(named.error_class, "busy");
}

TEST_F(Pool, AWaitIsOfAHundredYearsAtMost) {
  using std::chrono::milliseconds;
  EXPECT_EQ(as<Snooze>(outcome_of([](Attempt&) { return snooze(milliseconds::max()); })).in,
            kMaxDuration);
  EXPECT_EQ(as<Snooze>(outcome_of([](Attempt&) { return snooze(milliseconds::min()); })).in, 0ms);
  EXPECT_EQ(as<RetryLater>(outcome_of([](Attempt&) { return retry("x", milliseconds::max()); })).in,
            kMaxDuration);
  EXPECT_EQ(as<RetryLater>(outcome_of([](Attempt&) { return retry("x", -1ms); })).in, 0ms);
}

TEST_F(Pool, GivesABatchItsItems) {
  as<Done>(outcome_of(
      [](Attempt& got) {
        EXPECT_EQ(got.items().size(), 2u);
        EXPECT_EQ(got.items()[0].id, "a");
        EXPECT_EQ(got.items()[0].args.at("n"), 1);
        EXPECT_EQ(got.items()[0].attempt, 2);
        EXPECT_EQ(got.items()[0].headers.at(0).second, "00");
        EXPECT_EQ(got.items()[1].args, nlohmann::json::object());
        EXPECT_THROW(got.set_outcome(2, done()), std::out_of_range);
        EXPECT_THROW(got.set_outcome(0, next(1)), std::invalid_argument);
        return done();
      },
      batch_request()));
}

TEST_F(Pool, ABatchHandlerThatAsksForArgumentsIsTold) {
  const auto outcome = outcome_of([](Attempt& got) { return got.args().empty() ? done() : done(); },
                                  batch_request());
  EXPECT_NE(as<RetryLater>(outcome).error.find("items()"), std::string::npos);
}

TEST_F(Pool, AnItemMayHaveAnOutcomeOfItsOwn) {
  with([](Attempt& got) {
    got.set_outcome(1, discard("never"));
    return done();
  }).start(batch_request(), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  as<Done>(ended->outcome);
  EXPECT_FALSE(ended->items.at(0));
  EXPECT_EQ(as<Discard>(*ended->items.at(1)).reason, "never");
  EXPECT_TRUE(ended->took.has_value());
}

TEST_F(Pool, WhatWasSaidOfAnItemHoldsWhenTheHandlerThrows) {
  with([](Attempt& got) -> Outcome {
    got.set_outcome(0, done());
    throw std::runtime_error("no route");
  }).start(batch_request(), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  as<RetryLater>(ended->outcome);
  as<Done>(*ended->items.at(0));
  EXPECT_FALSE(ended->items.at(1));
}

TEST_F(Pool, ProgressIsPassedOn) {
  with([](Attempt& got) {
    EXPECT_THROW(got.progress(-1, 2), std::invalid_argument);
    got.progress(3, 10);
    return done();
  }).start(request(1), mailbox_);
  const auto made = mailbox_.next<ProgressMade>();
  EXPECT_EQ(made->n, 3);
  EXPECT_EQ(made->total, 10);
}

TEST_F(Pool, MakesAnExceptionARetryWithItsText) {
  const auto outcome =
      outcome_of([](Attempt&) -> Outcome { throw std::runtime_error("no\nroute"); });
  EXPECT_EQ(as<RetryLater>(outcome).error, "no route");
  EXPECT_EQ(as<RetryLater>(outcome).error_class, "std::runtime_error");
}

TEST_F(Pool, MakesAnythingThrownARetry) {
  const auto outcome = outcome_of([](Attempt&) -> Outcome { throw 7; });
  EXPECT_NE(as<RetryLater>(outcome).error.find("not a std::exception"), std::string::npos);
}

TEST_F(Pool, RetriesATypeThatItDoesNotKnow) {
  AttemptRequest attempt = request(1);
  attempt.type = "other";
  const auto outcome = outcome_of([](Attempt&) { return done(); }, std::move(attempt));
  EXPECT_NE(as<RetryLater>(outcome).error.find("other"), std::string::npos);
}

TEST_F(Pool, EnqueuesFollowUpsWithTheOutcome) {
  with([](Attempt& attempt) {
    attempt.enqueue({.type = "mail.send", .args = {{"to", "a"}}});
    attempt.enqueue({.queue = "other",
                     .type = "b",
                     .account = "c",
                     .id = "i",
                     .run_at = std::chrono::system_clock::time_point(1500ms),
                     .priority = 3});
    return done();
  }).start(request(1), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  ASSERT_EQ(ended->enqueue.size(), 2u);
  EXPECT_EQ(ended->enqueue[0].queue, "");
  EXPECT_EQ(nlohmann::json::parse(ended->enqueue[0].record),
            nlohmann::json::parse(R"({"type":"mail.send","args":{"to":"a"}})"));
  EXPECT_EQ(ended->enqueue[1].queue, "other");
  EXPECT_EQ(ended->enqueue[1].account, "c");
  EXPECT_EQ(nlohmann::json::parse(ended->enqueue[1].record),
            nlohmann::json::parse(R"({"type":"b","args":{},"id":"i","run_at":1500,"priority":3})"));
}

TEST_F(Pool, AFollowUpNeverStartsEarlyOrExpiresLate) {
  with([](Attempt& attempt) {
    const std::chrono::system_clock::time_point at(1500ms + 1us);
    attempt.enqueue({.type = "a", .run_at = at, .expires_at = at});
    return done();
  }).start(request(1), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  const auto record = nlohmann::json::parse(ended->enqueue.at(0).record);
  EXPECT_EQ(record["run_at"], 1501);
  EXPECT_EQ(record["expires_at"], 1500);
}

TEST_F(Pool, AFollowUpHasItsHeaders) {
  with([](Attempt& attempt) {
    attempt.enqueue({.type = "a", .headers = {{"traceparent", "00-1"}, {"traceparent", "00-2"}}});
    EXPECT_THROW(attempt.enqueue({.type = "a", .headers = {{"", "x"}}}), std::invalid_argument);
    EXPECT_THROW(attempt.enqueue({.type = "a", .headers = {{"penstock-derived", "1"}}}),
                 std::invalid_argument);
    EXPECT_THROW(attempt.enqueue({.type = "a", .headers = {{"x", std::string(300'000, 'x')}}}),
                 std::invalid_argument);
    return done();
  }).start(request(1), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  ASSERT_EQ(ended->enqueue.size(), 1u);
  const std::vector<Header>& headers = ended->enqueue[0].headers;
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers[1].name, "traceparent");
  EXPECT_EQ(headers[1].value, "00-2");
}

TEST_F(Pool, EnqueuesNothingOnARetry) {
  with([](Attempt& attempt) {
    attempt.enqueue({.type = "mail.send"});
    return retry("x");
  }).start(request(1), mailbox_);
  EXPECT_TRUE(mailbox_.next<AttemptEnded>()->enqueue.empty());
}

TEST_F(Pool, ACheckpointTakesAlongWhatWasEnqueuedBeforeIt) {
  with([](Attempt& attempt) {
    attempt.enqueue({.type = "page", .id = "1"});
    attempt.checkpoint(1);
    attempt.checkpoint(2);
    attempt.enqueue({.type = "page", .id = "2"});
    attempt.enqueue({.type = "page", .id = "3"});
    return done();
  }).start(request(1), mailbox_);
  const auto ended = mailbox_.next<AttemptEnded>();
  ASSERT_EQ(ended->enqueue.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(ended->enqueue[0].record).at("id"), "2");
  const auto first = mailbox_.next<Checkpoint>();
  ASSERT_EQ(first->enqueue.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(first->enqueue[0].record).at("id"), "1");
  EXPECT_TRUE(mailbox_.next<Checkpoint>()->enqueue.empty());
}

TEST_F(Pool, MoreFollowUpsThanACommitTakesAreToldToTheHandler) {
  with([](Attempt& attempt) {
    const nlohmann::json large{{"text", std::string(600 << 10, 'x')}};
    attempt.enqueue({.type = "page", .args = large});
    EXPECT_THROW(attempt.enqueue({.type = "page", .args = large}), std::length_error);
    attempt.checkpoint(1);
    attempt.enqueue({.type = "page", .args = large});
    EXPECT_THROW(attempt.enqueue({.type = "page", .args = {{"text", "\xff"}}}),
                 nlohmann::json::type_error);
    return done();
  }).start(request(1), mailbox_);
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->enqueue.size(), 1u);
  EXPECT_EQ(mailbox_.next<Checkpoint>()->enqueue.size(), 1u);
}

TEST_F(Pool, WhatStandsAroundFollowUpsCountsAsThePartitionCountsIt) {
  with([](Attempt& attempt) {
    for (const std::string& id : {std::string("n"), std::string()}) {
      const std::string account(200, 'a');
      const JobRequest job{.queue = "other", .type = "t", .account = account, .id = id};
      std::size_t most = 0;
      for (;; ++most) {
        try {
          attempt.enqueue(job);
        } catch (const std::length_error&) {
          break;
        }
      }
      EXPECT_GT(most, 2900u);
      EXPECT_LT(most, 3500u);
      attempt.checkpoint(1);
    }
    return done();
  }).start(request(1), mailbox_);
  as<Done>(mailbox_.outcome());
  for (int i = 0; i < 2; ++i) {
    std::size_t bytes = 0;
    const auto checkpoint = mailbox_.next<Checkpoint>();
    for (const FollowUp& job : checkpoint->enqueue) {
      const std::string id = i == 0 ? "" : R"("id":"job-1/1234",)";
      bytes += follow_up_bytes(job.record + id, job.account, "penstock.other");
    }
    EXPECT_LE(bytes, kMaxFollowUpBytes);
  }
}

TEST_F(Pool, PostsCheckpointsBeforeTheEnd) {
  with([](Attempt& attempt) {
    attempt.heartbeat();
    attempt.checkpoint({{"row", 9}});
    return done();
  }).start(request(1), mailbox_);
  as<Done>(mailbox_.outcome());
  EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, R"({"row":9})");
}

TEST_F(Pool, AHeartbeatMovesTheDeadline) {
  as<Done>(outcome_of([](Attempt& attempt) {
    const auto before = attempt.deadline();
    attempt.heartbeat();
    EXPECT_GT(attempt.deadline(), before);
    return done();
  }));
}

TEST_F(Pool, RunsAsManyAtOnceAsItHasThreads) {
  Flag both;
  std::atomic<int> inside = 0;
  auto& pool = with([&](Attempt&) {
    if (++inside == 2) both.set();
    EXPECT_TRUE(both.wait());
    return done();
  });
  pool.start(request(1), mailbox_);
  pool.start(request(2), mailbox_);
  as<Done>(mailbox_.outcome());
  as<Done>(mailbox_.outcome());
}

// A handler that runs on until it is released, with a timeout that soon passes.
class Hanging : public Pool {
 protected:
  void start_hanging(Duration timeout, std::size_t threads) {
    auto& pool = with(
        [this](Attempt& attempt) {
          if (attempt.args().contains("quick")) return done();
          begun_.set();
          EXPECT_TRUE(released_.wait());
          EXPECT_TRUE(attempt.stop_requested());
          EXPECT_THROW(attempt.heartbeat(), AttemptLost);
          EXPECT_THROW(attempt.checkpoint(1), AttemptLost);
          left_.set();
          return done();
        },
        threads);
    AttemptRequest attempt = request(1);
    attempt.timeout = timeout;
    pool.start(std::move(attempt), mailbox_);
    EXPECT_TRUE(begun_.wait());
  }
  void TearDown() override {
    released_.set();
    Pool::TearDown();
  }

  Flag begun_, released_, left_;
};

TEST_F(Hanging, IsReportedOnceAsTimedOutAndItsLateResultIsIgnored) {
  start_hanging(10ms, 1);
  const auto late = as<RetryLater>(mailbox_.outcome());
  EXPECT_EQ(late.error, "timed out after 10ms");
  EXPECT_EQ(late.error_class, kTimeoutError);
  EXPECT_FALSE(pool_->still_runs(request(1).key)) << "it holds nothing back any more";
  released_.set();
  EXPECT_TRUE(left_.wait());
  pool_.reset();
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(Hanging, KilledItRunsOnNoLongerThanItsTimeout) {
  start_hanging(50ms, 1);
  pool_->kill(request(1).key);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (pool_->still_runs(request(1).key) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(pool_->still_runs(request(1).key));
}

TEST_F(Hanging, DoesNotStopTheOthers) {
  start_hanging(10ms, 1);
  as<RetryLater>(mailbox_.outcome());
  pool_->start(request(2, R"({"quick":1})"), mailbox_);
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(2).key);
}

TEST_F(Hanging, IsAbandonedWhenKilledAndSaysNothing) {
  start_hanging(1h, 1);
  pool_->kill(request(1).key);
  EXPECT_TRUE(pool_->still_runs(request(1).key));
  EXPECT_FALSE(pool_->still_runs(request(2).key));
  pool_->start(request(2, R"({"quick":1})"), mailbox_);
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(2).key);
  released_.set();
  EXPECT_TRUE(left_.wait());
  pool_.reset();
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(Pool, AKilledHandlerRunsOnUntilItReturns) {
  Flag begun, released;
  auto& pool = with(
      [&](Attempt& attempt) {
        if (attempt.args().contains("quick")) return done();
        begun.set();
        EXPECT_TRUE(released.wait());
        return done();
      },
      1);
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.kill(request(1).key);
  released.set();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (pool.still_runs(request(1).key) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(pool.still_runs(request(1).key));
}

TEST_F(Pool, TellsARunningHandlerToStop) {
  Flag begun;
  auto& pool = with([&](Attempt& attempt) {
    begun.set();
    while (!attempt.stop_requested()) std::this_thread::yield();
    return snooze(0s);
  });
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(request(1).key);
  as<Snooze>(mailbox_.outcome());
}

TEST_F(Pool, DoesNotBeginWhatWasStoppedWhileItWaited) {
  Flag begun, released;
  auto& pool = with(
      [&](Attempt&) {
        begun.set();
        EXPECT_TRUE(released.wait());
        return done();
      },
      1);
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.start(request(2), mailbox_);
  pool.start(request(3), mailbox_);
  pool.request_stop(request(2).key);
  pool.kill(request(3).key);
  const auto ended = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(ended->key, request(2).key);
  as<Interrupted>(ended->outcome);
  released.set();
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(1).key);
  pool_.reset();
  EXPECT_EQ(mailbox_.size(), 0u);
}

}  // namespace
}  // namespace penstock
