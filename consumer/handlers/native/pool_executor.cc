#include "consumer/handlers/native/pool_executor.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "consumer/handlers/io/waiting_line.h"
#include "consumer/handlers/native/attempt_state.h"
#include "consumer/handlers/protocol/attempt_key_hash.h"
#include "consumer/policy/duration.h"
#include "consumer/policy/error_pattern.h"
#include "topics/values/check.h"

namespace penstock {

class PoolExecutor::Impl {
 public:
  Impl(std::size_t threads, HandlerTable handlers)
      : wanted_threads_(threads), handlers_(std::move(handlers)) {
    PENSTOCK_CHECK(threads > 0, "a pool without threads runs nothing");
    for (std::size_t i = 0; i < threads; ++i) add_thread();
    clock_thread_ = std::jthread([this] { watch_deadlines(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      for (const auto& [key, state] : running_) {
        state->ask_to_stop();
        state->stop_waiting();
      }
    }
    work_.notify_all();
    deadline_.notify_all();
  }

  bool handles(std::string_view type) const { return handlers_.find(type) != handlers_.end(); }

  void start(StartCommand start) {
    {
      const std::lock_guard lock(mutex_);
      if (line_.size() < kMaxWaiting) {
        line_.push(std::move(start));
        work_.notify_one();
        return;
      }
    }
    answer_interrupted(start, "too many attempts wait for their handler");
  }

  void request_stop(const AttemptKey& key) {
    std::optional<StartCommand> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting = line_.remove(key);
      const auto found = running_.find(key);
      if (found != running_.end()) found->second->ask_to_stop();
    }
    if (waiting) answer_interrupted(*waiting, kStoppedBeforeItBegan);
  }

  void kill(const AttemptKey& key) {
    const std::lock_guard lock(mutex_);
    if (line_.remove(key)) return;
    const auto found = running_.find(key);
    if (found != running_.end() && found->second->lose()) abandon();
  }

  bool still_runs(const AttemptKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(key);
    return found != running_.end() && Clock::now() < found->second->deadline();
  }

 private:
  using Clock = Attempt::State::Clock;
  using Lock = std::unique_lock<std::mutex>;

  // Requires the mutex, or that there are no threads yet.
  void add_thread() {
    threads_.emplace_back([this] { work(); });
  }

  bool may_begin() const {
    return !line_.empty() && running_.size() - abandoned_ < wanted_threads_;
  }

  void work() {
    Lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return has_ended_ || may_begin(); });
      if (has_ended_) return;
      run_first(lock);
    }
  }

  void run_first(Lock& lock) {
    Attempt::State state(*line_.pop());
    const AttemptKey& key = state.start.request.key;
    const bool is_new = running_.emplace(key, &state).second;
    PENSTOCK_CHECK(is_new, "an attempt was started twice");
    // The watch sleeps until the earliest deadline that it knew of.
    if (state.deadline() < next_check_) deadline_.notify_one();

    lock.unlock();
    state.start.mailbox->begun(key);
    const auto began = Clock::now();
    AttemptEnded ended = run(state);
    ended.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
    // The attempt ends once: if it was killed or timed out meanwhile, that has been reported
    // already, and this thread counts as abandoned.
    if (state.lose()) {
      state.start.mailbox->post(std::move(ended));
      lock.lock();
    } else {
      lock.lock();
      --abandoned_;
    }
    running_.erase(key);
  }

  AttemptEnded run(Attempt::State& state) const {
    const AttemptRequest& request = state.start.request;
    const auto handler = handlers_.find(request.type);
    if (handler != handlers_.end()) return state.run(handler->second);
    return {request.key,
            RetryLater{"no C++ handler for type " + request.type, {}, std::string(kNoHandlerError)},
            {}};
  }

  // An attempt was lost whose handler still occupies its thread.
  void abandon() {
    ++abandoned_;
    // A handler cannot be interrupted, so another thread takes the place of the one that it
    // occupies.
    const bool is_one_free = running_.size() < threads_.size();
    if (!is_one_free && threads_.size() < wanted_threads_ + kMaxSpareThreads) add_thread();
    work_.notify_one();
  }

  void watch_deadlines() {
    Lock lock(mutex_);
    while (!has_ended_) {
      next_check_ = first_deadline();
      if (next_check_ == Clock::time_point::max()) {
        deadline_.wait(lock);
      } else {
        deadline_.wait_until(lock, next_check_);
      }
      time_out(lock);
    }
  }

  Clock::time_point first_deadline() const {
    auto first = Clock::time_point::max();
    for (const auto& [key, state] : running_) {
      if (!state->is_lost()) first = std::min(first, state->deadline());
    }
    return first;
  }

  void time_out(Lock& lock) {
    const auto now = Clock::now();
    std::vector<std::pair<Mailbox*, AttemptEnded>> ended;
    for (const auto& [key, state] : running_) {
      if (!state->lose_when_due(now)) continue;
      const std::string text = "timed out after " + duration_text(state->start.request.timeout);
      // Posted only after the lock is released, which the loop needs for start() and kill().
      ended.emplace_back(state->start.mailbox,
                         AttemptEnded{key, RetryLater{text, {}, std::string(kTimeoutError)}, {}});
      abandon();
    }
    lock.unlock();
    for (auto& [mailbox, message] : ended) mailbox->post(std::move(message));
    lock.lock();
  }

  const std::size_t wanted_threads_;
  const HandlerTable handlers_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable deadline_;
  WaitingLine line_;
  std::unordered_map<AttemptKey, Attempt::State*, AttemptKeyHash> running_;  // including lost ones
  std::size_t abandoned_ = 0;  // the number of lost ones in running_
  Clock::time_point next_check_ = Clock::time_point::max();
  bool has_ended_ = false;

  std::list<std::jthread> threads_;
  std::jthread clock_thread_;
};

PoolExecutor::PoolExecutor(std::size_t threads, HandlerTable handlers)
    : impl_(std::make_unique<Impl>(threads, std::move(handlers))) {}
PoolExecutor::~PoolExecutor() = default;

bool PoolExecutor::handles(std::string_view type) const { return impl_->handles(type); }
void PoolExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  impl_->start({std::move(request), &mailbox});
}
void PoolExecutor::request_stop(const AttemptKey& key) { impl_->request_stop(key); }
void PoolExecutor::kill(const AttemptKey& key) { impl_->kill(key); }
bool PoolExecutor::still_runs(const AttemptKey& key) const { return impl_->still_runs(key); }

}  // namespace penstock
