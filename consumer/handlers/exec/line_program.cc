#include "consumer/handlers/exec/line_program.h"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "consumer/handlers/exec/line_child.h"
#include "topics/values/utf8.h"

namespace penstock {

class LineProgram::Impl {
 public:
  Impl(std::vector<std::string> argv, LineSink log, std::chrono::seconds patience)
      : server_(std::move(argv)),
        log_(std::move(log)),
        patience_(patience),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~Impl() {
    {
      // Otherwise take() could miss it between its look and its wait.
      const std::lock_guard lock(mutex_);
      thread_.request_stop();
    }
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
      auto answered = put(next->line, stop);
      // The old process may have ended after its last answer.
      if (!answered && answered.error().has_ended) answered = put(next->line, stop);
      if (stop.stop_requested()) return;
      next->answer(answered ? Result<std::string>(*std::move(answered))
                            : failure("the program " + answered.error().what));
    }
  }

  std::optional<Question> take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto has_come = [&] { return !waiting_.empty() || stop.stop_requested(); };
    if (!arrived_.wait_for(lock, kIdle, has_come)) {
      // Its replay may have ended. The program may take its time to end, and ask() must not wait.
      lock.unlock();
      child_.reset();
      lock.lock();
    }
    arrived_.wait(lock, has_come);
    if (stop.stop_requested()) return std::nullopt;
    Question next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  LineChild::Answer put(const std::string& line, const std::stop_token& stop) {
    if (auto fault = start()) return tl::unexpected(*std::move(fault));
    auto answer = child_->ask(line, patience_, [&] { return stop.stop_requested(); });
    // A banner, or a line for debugging, with the answer still to come.
    if (answer && !nlohmann::json::accept(*answer))
      answer = tl::unexpected(LineFault{"answered with what is no JSON: " + excerpt(*answer)});
    if (!answer) child_.reset();
    return answer;
  }

  std::optional<LineFault> start() {
    if (child_) return std::nullopt;
    auto process = ChildProcess::spawn(server_);
    if (!process) return LineFault{"cannot be started: " + process.error().message};
    child_.emplace(*std::move(process), kMaxAnswerBytes, log_);
    return std::nullopt;
  }

  ForkServer server_;
  const LineSink log_;
  const std::chrono::seconds patience_;
  std::optional<LineChild> child_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Question> waiting_;
  std::jthread thread_;  // last: it uses the others
};

LineProgram::LineProgram(std::vector<std::string> argv, LineSink log, std::chrono::seconds patience)
    : impl_(std::make_unique<Impl>(std::move(argv), std::move(log), patience)) {}
LineProgram::~LineProgram() = default;

void LineProgram::ask(std::string line, Answer answer) {
  impl_->ask(std::move(line), std::move(answer));
}

}  // namespace penstock
