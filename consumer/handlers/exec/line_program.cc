#include "consumer/handlers/exec/line_program.h"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "consumer/handlers/exec/line_child.h"

namespace penstock {

class LineProgram::Impl {
 public:
  Impl(std::vector<std::string> argv, LineSink log)
      : server_(std::move(argv)),
        log_(std::move(log)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~Impl() {
    thread_.request_stop();
    arrived_.notify_all();
  }

  void ask(std::string line, Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({std::move(line), std::move(answer)});
    }
    arrived_.notify_one();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kIdle{60};

  struct Question {
    std::string line;
    Answer answer;
  };

  void run(const std::stop_token& stop) {
    sigset_t all;
    sigfillset(&all);
    // The program's signals are for its own threads.
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (!stop.stop_requested()) {
      std::optional<Question> next = take(stop);
      if (!next) return;
      // Once more with a new process: the old one may have ended after its last answer.
      Result<std::string> answered = put(next->line, stop);
      if (!answered && !stop.stop_requested()) answered = put(next->line, stop);
      if (!stop.stop_requested()) next->answer(std::move(answered));
    }
  }

  std::optional<Question> take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto has_come = [&] { return !waiting_.empty() || stop.stop_requested(); };
    // Its replay may have ended.
    if (!arrived_.wait_for(lock, kIdle, has_come)) child_.reset();
    arrived_.wait(lock, has_come);
    if (stop.stop_requested()) return std::nullopt;
    Question next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  Result<std::string> put(const std::string& line, const std::stop_token& stop) {
    if (const Status started = start(); !started) return tl::unexpected(started.error());
    Result<std::string> answer = exchange(line + '\n', stop);
    if (!answer) child_.reset();
    return answer;
  }

  Status start() {
    if (child_) return {};
    auto process = ChildProcess::spawn(server_);
    if (!process) return failure("the program cannot be started: " + process.error().message);
    child_.emplace(*std::move(process), kMaxAnswerBytes, log_);
    return {};
  }

  Result<std::string> exchange(std::string unsent, const std::stop_token& stop) {
    // Not longer, so that the end of the worker is noticed.
    constexpr std::chrono::milliseconds kStep{100};
    const auto until = Clock::now() + kPatience;
    while (!stop.stop_requested()) {
      if (const auto line = child_->next()) return std::string(*line);
      if (child_->is_too_long()) return failure("the program's answer is longer than 2 MiB");
      if (Clock::now() >= until) return failure("the program has not answered for 30 s");
      const LineChild::Step step = child_->step(unsent, kStep);
      if (step == LineChild::Step::kFailed) return failure("poll failed");
      if (step == LineChild::Step::kInputClosed) return failure("the program reads no lines");
      if (child_->has_ended()) return failure("the program has ended");
    }
    return failure("the worker ends");
  }

  ForkServer server_;
  const LineSink log_;
  std::optional<LineChild> child_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Question> waiting_;
  std::jthread thread_;  // last: it uses the others
};

LineProgram::LineProgram(std::vector<std::string> argv, LineSink log)
    : impl_(std::make_unique<Impl>(std::move(argv), std::move(log))) {}
LineProgram::~LineProgram() = default;

void LineProgram::ask(std::string line, Answer answer) {
  impl_->ask(std::move(line), std::move(answer));
}

}  // namespace penstock
