#include "consumer/handlers/native/builtin_executor.h"

#include <sys/prctl.h>

#include <algorithm>

#include "consumer/handlers/protocol/attempt_key_hash.h"
#include "consumer/policy/duration.h"
#include "consumer/policy/error_pattern.h"

namespace penstock {

void NoopExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  mailbox.post(AttemptEnded{request.key, Done{}, {}});
}

void FailExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  constexpr double kHashes = 18446744073709551616.0;  // 2^64
  const double chance = static_cast<double>(hash_token(request.key.token)) / kHashes;
  AttemptEnded ended{request.key, Done{}, {}};
  if (chance < probability_)
    ended.outcome = RetryLater{"failed at random, as fail: asks", {}, std::string(kChanceError)};
  mailbox.post(std::move(ended));
}

SleepExecutor::SleepExecutor(SleepHandler handler)
    : length_(handler.length), thread_([this] { run(); }) {}

SleepExecutor::~SleepExecutor() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
}

void SleepExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  mailbox.begun(request.key);
  const auto end = Clock::now() + std::min(length_, request.timeout);
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = heap_.empty() || end < heap_.front().end;
    heap_.push_back({end, request.key, &mailbox, request.timeout});
    std::push_heap(heap_.begin(), heap_.end(), ends_later);
  }
  if (is_first) changed_.notify_one();
}

void SleepExecutor::kill(const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  std::erase_if(heap_, [&](const Sleeper& sleeper) { return sleeper.key == key; });
  std::make_heap(heap_.begin(), heap_.end(), ends_later);
}

void SleepExecutor::run() {
  prctl(PR_SET_TIMERSLACK, 1);  // by default, the kernel adds 50 us to each wait
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    if (heap_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto next = heap_.front().end;
    const auto due = take_due(Clock::now());
    if (due.empty()) {
      changed_.wait_until(lock, next);
      continue;
    }
    // Without the lock, which the loop needs for start() and kill().
    lock.unlock();
    for (const Sleeper& sleeper : due) wake(sleeper);
    lock.lock();
  }
}

std::vector<SleepExecutor::Sleeper> SleepExecutor::take_due(Clock::time_point now) {
  std::vector<Sleeper> due;
  while (!heap_.empty() && heap_.front().end <= now) {
    std::pop_heap(heap_.begin(), heap_.end(), ends_later);
    due.push_back(heap_.back());
    heap_.pop_back();
  }
  return due;
}

void SleepExecutor::wake(const Sleeper& sleeper) const {
  AttemptEnded ended{sleeper.key, Done{}, {}};
  if (sleeper.timeout < length_) {
    ended.outcome = RetryLater{
        "timed out after " + duration_text(sleeper.timeout), {}, std::string(kTimeoutError)};
  }
  sleeper.mailbox->post(std::move(ended));
}

}  // namespace penstock
