// What tests give executors to post into, and small builders around it. Waits end at a deadline, so
// that a lost message fails a test instead of hanging it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "consumer/job/handler.h"
#include "tests/consumer/loop/flag.h"

namespace penstock {

inline constexpr std::chrono::seconds kPatience{60};

class TestMailbox : public Mailbox {
 public:
  void post(HandlerMessage message) override {
    if (takes_over_) take_over(message);
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    changed_.notify_all();
  }

  void begun(const AttemptKey& key) override {
    const std::lock_guard lock(mutex_);
    begun_.push_back(key.token.number);
  }
  // The numbers of those that have reached their handler.
  std::vector<std::uint64_t> begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

  // From now on, the receipts of what is posted stay with it.
  void take_nothing_over() { takes_over_ = false; }
  // As a loop that can go on again: all of what lies here, and what comes.
  void take_all_over() {
    const std::lock_guard lock(mutex_);
    takes_over_ = true;
    for (HandlerMessage& message : messages_) take_over(message);
  }

  // The next message not yet taken of type T; others stay.
  template <typename T>
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    std::optional<T> found;
    changed_.wait_for(lock, kPatience, [&] { return (found = take<T>()).has_value(); });
    EXPECT_TRUE(found.has_value()) << "no such message came";
    return found;
  }

  // The outcome of the next attempt that ends; Interrupted when none does.
  OutcomeValue outcome() {
    auto ended = next<AttemptEnded>();
    return ended ? std::move(ended->outcome) : OutcomeValue(Interrupted{"nothing came"});
  }

  // Waits until so many messages lie here.
  bool holds(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return messages_.size() >= count; });
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }

 private:
  static void take_over(HandlerMessage& message) {
    if (auto* checkpoint = std::get_if<Checkpoint>(&message)) {
      const Receipt taken = std::move(checkpoint->receipt);
    } else if (auto* made = std::get_if<ProgressMade>(&message)) {
      const Receipt taken = std::move(made->receipt);
    }
  }

  template <typename T>
  std::optional<T> take() {
    for (auto it = messages_.begin(); it != messages_.end(); ++it) {
      if (auto* message = std::get_if<T>(&*it)) {
        std::optional<T> found(std::move(*message));
        messages_.erase(it);
        return found;
      }
    }
    return std::nullopt;
  }

  std::atomic<bool> takes_over_ = true;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HandlerMessage> messages_;
  std::vector<std::uint64_t> begun_;
};

inline AttemptRequest request(std::uint64_t number, std::string args = "{}") {
  AttemptRequest made;
  made.key = AttemptKey{.queue = 0, .partition = 3, .token = {1, 42, number}};
  made.prefix = "penstock";
  made.queue = "mail";
  made.id = "job-" + std::to_string(number);
  made.type = "webhook.send";
  made.account = "acme";
  made.args = std::move(args);
  made.max_attempts = 25;
  return made;
}

// The outcome as T, with a readable failure when it is another.
template <typename T>
T as(const OutcomeValue& outcome) {
  const T* value = std::get_if<T>(&outcome);
  EXPECT_NE(value, nullptr) << "the outcome is of kind " << outcome.index();
  if (const auto* retry = std::get_if<RetryLater>(&outcome); retry != nullptr && value == nullptr) {
    ADD_FAILURE() << "retry: " << retry->error;
  }
  return value == nullptr ? T{} : *value;
}

}  // namespace penstock
