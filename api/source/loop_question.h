// Questions to loops: each runs on its loop's thread, between two turns, and its answer comes back
// here. A question that nobody waits for any more still runs, so it owns all that it uses.
//
// Thread-safe. The loops must outlive every wait for an answer.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "consumer/loop/loop.h"

namespace penstock {

class LoopQuestions {
 public:
  // Beyond this many questions that have not run, no more are put: the loops are stuck.
  static constexpr int kMaxOpen = 256;

  // `question` is called with the loop.
  template <typename Question>
  [[nodiscard]] auto put(Loop& loop, Question question) {
    using Answer = decltype(question(loop));
    // Shared with the loop's call, which may run after the asker has given up.
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    if (open_->fetch_add(1) >= kMaxOpen) {
      open_->fetch_sub(1);
      return std::future<Answer>();
    }
    loop.mailbox().call([promise, open = open_, question = std::move(question)](Loop& at) {
      open->fetch_sub(1);
      promise->set_value(question(at));
    });
    return answer;
  }

  // Nothing: no answer until then.
  template <typename Answer>
  [[nodiscard]] static std::optional<Answer> wait(std::future<Answer>& pending,
                                                  std::chrono::steady_clock::time_point until) {
    if (!pending.valid() || pending.wait_until(until) != std::future_status::ready)
      return std::nullopt;
    return pending.get();
  }

 private:
  // Shared with the calls, which may outlive this.
  std::shared_ptr<std::atomic<int>> open_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace penstock
