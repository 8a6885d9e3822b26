// C++ handlers that are asked to stop, and leave at a checkpoint or do not.
#include <stdexcept>

#include "pool_fixture.h"

namespace penstock {
namespace {

TEST_F(Pool, WhatIsAskedToStopEndsAtItsNextCheckpointAndIsNoFailure) {
  Flag begun, asked;
  auto& pool = with([&](Attempt& attempt) {
    attempt.checkpoint({{"row", 8}});
    begun.set();
    EXPECT_TRUE(asked.wait());
    attempt.heartbeat();  // which is none
    attempt.checkpoint({{"row", 9}});
    ADD_FAILURE() << "it went on";
    return done();
  });
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(request(1).key);
  asked.set();
  as<Interrupted>(mailbox_.outcome());
  EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, R"({"row":8})");
  EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, R"({"row":9})");
}

TEST_F(Pool, WhatWasSaidOfAnItemHoldsWhenItStopsAtACheckpoint) {
  Flag begun, asked;
  auto& pool = with([&](Attempt& attempt) {
    attempt.set_outcome(1, discard("never"));
    begun.set();
    EXPECT_TRUE(asked.wait());
    attempt.checkpoint(2);
    return done();
  });
  pool.start(batch_request(), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(batch_request().key);
  asked.set();
  const auto ended = mailbox_.next<AttemptEnded>();
  as<Interrupted>(ended->outcome);
  EXPECT_FALSE(ended->items.at(0));
  EXPECT_EQ(as<Discard>(*ended->items.at(1)).reason, "never");
}

// It says that it is done, although it has left its work at the checkpoint.
TEST_F(Pool, AnOutcomeAfterAStopThatTheHandlerCaughtDoesNotCount) {
  Flag begun, asked;
  auto& pool = with([&](Attempt& attempt) {
    begun.set();
    EXPECT_TRUE(asked.wait());
    try {
      attempt.checkpoint(2);
    } catch (...) {
    }
    attempt.enqueue({.type = "page"});
    attempt.set_outcome(0, discard("half done"));
    EXPECT_THROW(attempt.heartbeat(), AttemptStopped);
    EXPECT_THROW(attempt.progress(1, 1), AttemptStopped);
    EXPECT_THROW(attempt.checkpoint(3), AttemptStopped) << "it has not got so far";
    return done();
  });
  pool.start(batch_request(), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(batch_request().key);
  asked.set();
  const auto ended = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(as<Interrupted>(ended->outcome).reason, "the attempt has stopped at its checkpoint");
  EXPECT_TRUE(ended->enqueue.empty());
  EXPECT_TRUE(ended->items.empty());
  EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, "2");
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(Pool, AnErrorAfterAStopThatTheHandlerCaughtSpendsNoAttempt) {
  Flag begun, asked;
  auto& pool = with([&](Attempt& attempt) -> Outcome {
    begun.set();
    EXPECT_TRUE(asked.wait());
    try {
      attempt.checkpoint(2);
    } catch (...) {
      throw std::runtime_error("rolled back");
    }
    return done();
  });
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(request(1).key);
  asked.set();
  as<Interrupted>(mailbox_.outcome());
}

// The way to write it that would complete a half-done job.
TEST_F(Pool, AHandlersOwnCatchOfStandardExceptionsLetsAStopPass) {
  Flag begun, asked;
  auto& pool = with([&](Attempt& attempt) {
    begun.set();
    EXPECT_TRUE(asked.wait());
    try {
      attempt.checkpoint(2);
    } catch (const std::exception&) {
      ADD_FAILURE() << "it is none";
    }
    ADD_FAILURE() << "it goes on";
    return done();
  });
  pool.start(request(1), mailbox_);
  EXPECT_TRUE(begun.wait());
  pool.request_stop(request(1).key);
  asked.set();
  as<Interrupted>(mailbox_.outcome());
}

}  // namespace
}  // namespace penstock
