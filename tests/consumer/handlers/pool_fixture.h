// A pool of threads with one C++ handler, and attempts for it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "consumer/handlers/native/pool_executor.h"
#include "test_mailbox.h"

namespace penstock {

// A pool with one handler and a mailbox that outlives it.
class Pool : public testing::Test {
 protected:
  PoolExecutor& with(HandlerFunction handler, std::size_t threads = 2) {
    pool_.emplace(threads, HandlerTable{{"webhook.send", std::move(handler)}});
    return *pool_;
  }
  OutcomeValue outcome_of(HandlerFunction handler, AttemptRequest attempt = request(1)) {
    with(std::move(handler)).start(std::move(attempt), mailbox_);
    return mailbox_.outcome();
  }
  void TearDown() override { pool_.reset(); }

  TestMailbox mailbox_;
  std::optional<PoolExecutor> pool_;
};

inline AttemptRequest batch_request() {
  AttemptRequest attempt = request(7);
  attempt.args.clear();
  attempt.items = {{"a", R"({"n":1})", 2, {{"traceparent", "00"}}}, {"b", "", 1, {}}};
  return attempt;
}

}  // namespace penstock
