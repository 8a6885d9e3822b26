// Puts questions to loops. Each question runs on its loop's thread, between two passes, and its
// answer is returned here. A question runs even if nobody waits for the answer any more, so it must
// own everything that it uses.
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
  // The maximum number of questions that have not run. At that number, the loops are stuck and no
  // more questions are put.
  static constexpr int kMaxOpen = 256;

  // `question` is called with the loop and the time of its pass. The future is invalid if the
  // maximum has been reached.
  template <typename Question>
  [[nodiscard]] auto put(Loop& loop, Question question) {
    using Answer = decltype(question(loop, Now{}));
    // Shared with the loop's call, which may run after the asker has given up.
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    if (open_->fetch_add(1) >= kMaxOpen) {
      open_->fetch_sub(1);
      return std::future<Answer>();
    }
    loop.mailbox().call([promise, open = open_, question = std::move(question)](Loop& at, Now now) {
      open->fetch_sub(1);
      promise->set_value(question(at, now));
    });
    return answer;
  }

  // Empty: there was no answer until `until`.
  template <typename Answer>
  [[nodiscard]] static std::optional<Answer> wait(std::future<Answer>& pending,
                                                  std::chrono::steady_clock::time_point until) {
    if (!pending.valid() || pending.wait_until(until) != std::future_status::ready)
      return std::nullopt;
    return pending.get();
  }

 private:
  // Shared with the calls, which may outlive this object.
  std::shared_ptr<std::atomic<int>> open_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace penstock
