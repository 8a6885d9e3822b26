#include "consumer/handlers/exec/exec_executor.h"

#include <signal.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "consumer/handlers/io/waiting_line.h"
#include "consumer/handlers/protocol/reason.h"

namespace penstock {

class ExecExecutor::Impl {
 public:
  Impl(ExecHandler handler, LineSink log, int held_file)
      : server_(std::move(handler.argv), held_file), log_(std::move(log)), inbox_(poller_) {
    for (int i = 0; i < handler.children; ++i) {
      children_.emplace_back(server_, children_.size(), poller_, log_);
    }
    thread_ = std::jthread([this] { run(); });
  }

  ~Impl() {
    inbox_.push(EndCommand{});
    thread_.join();
  }

  void push(InboxCommand command) { inbox_.push(std::move(command)); }

 private:
  using Clock = Poller::Clock;

  void run() {
    sigset_t all;
    sigfillset(&all);
    // The program's signals are for its own threads.
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    revive();
    while (!has_ended_) {
      handle_events(next_due());
      for (InboxCommand& command : inbox_.take()) obey(std::move(command));
      for (ExecChild& child : children_) child.on_time(Clock::now());
      revive();
      begin_waiting();
    }
    end_children();
  }

  void handle_events(std::optional<Clock::time_point> until) {
    for (const epoll_event& event : poller_.wait(until)) {
      const std::uint64_t name = event.data.u64;
      if (name == Poller::kWoken) continue;
      children_[name / ExecChild::kNames].on_event(
          static_cast<ExecChild::Name>(name % ExecChild::kNames), Clock::now());
    }
  }

  std::optional<Clock::time_point> next_due() const {
    std::optional<Clock::time_point> first;
    for (const ExecChild& child : children_) {
      const auto due = child.due();
      if (due && (!first || *due < *first)) first = due;
    }
    return first;
  }

  void obey(InboxCommand command) {
    if (auto* start = std::get_if<StartCommand>(&command)) {
      line_.push(std::move(*start));
    } else if (const auto* stop = std::get_if<StopCommand>(&command)) {
      stop_attempt(stop->key);
    } else if (const auto* kill = std::get_if<KillCommand>(&command)) {
      if (!leave_line(kill->key)) kill_running(kill->key);
    } else {
      has_ended_ = true;
    }
  }

  std::optional<StartCommand> leave_line(const AttemptKey& key) {
    auto start = line_.remove(key);
    if (start) inbox_.left_waiting();
    return start;
  }

  void stop_attempt(const AttemptKey& key) {
    if (auto waiting = leave_line(key)) return answer_interrupted(*waiting, kStoppedBeforeItBegan);
    for (ExecChild& child : children_) {
      if (child.runs(key)) return child.ask_to_stop();
    }
  }

  void kill_running(const AttemptKey& key) {
    for (ExecChild& child : children_) {
      if (child.runs(key)) return child.kill_silently();
    }
  }

  void revive() {
    for (ExecChild& child : children_) {
      const Status revived = child.revive(Clock::now());
      if (!revived) on_cannot_start(revived.error().message);
    }
  }

  void on_cannot_start(const std::string& why) {
    const std::string text = "handler process cannot start: " + why;
    if (log_) log_(text);
    const bool is_any_left =
        std::any_of(children_.begin(), children_.end(),
                    [](const ExecChild& child) { return child.has_process(); });
    // The others can run the waiting attempts. Only if there are none would these wait for nothing.
    if (is_any_left) return;
    auto start = line_.pop();
    if (!start) return;
    inbox_.left_waiting();
    start->mailbox->post(AttemptEnded{
        start->request.key, RetryLater{one_line(text), {}, std::string(kNoHandlerError)}, {}});
  }

  void begin_waiting() {
    for (ExecChild& child : children_) {
      if (line_.empty()) return;
      if (!child.is_idle()) continue;
      inbox_.left_waiting();
      StartCommand start = *line_.pop();
      start.mailbox->begun(start.request.key);
      child.begin(std::move(start), Clock::now());
    }
  }

  void end_children() {
    for (ExecChild& child : children_) {
      if (child.has_process() && !child.is_idle()) child.kill_silently();
      child.close_input();
    }
    wait_for_ends(Clock::now() + kEndGrace);
    for (const ExecChild& child : children_) child.terminate();
    wait_for_ends(Clock::now() + kEndGrace);
    children_.clear();  // kills and reaps the remaining ones
  }

  void wait_for_ends(Clock::time_point until) {
    const auto has_process = [](const ExecChild& child) { return child.has_process(); };
    while (Clock::now() < until && std::any_of(children_.begin(), children_.end(), has_process)) {
      handle_events(until);
    }
  }

  ForkServer server_;  // used by the thread once there is one; destroyed after the children
  const LineSink log_;
  Poller poller_;
  Inbox inbox_;

  // Only for the thread.
  std::deque<ExecChild> children_;
  WaitingLine line_;
  bool has_ended_ = false;

  std::jthread thread_;
};

ExecExecutor::ExecExecutor(ExecHandler handler, LineSink log, int held_file)
    : impl_(std::make_unique<Impl>(std::move(handler), std::move(log), held_file)) {}
ExecExecutor::~ExecExecutor() = default;

void ExecExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  impl_->push(StartCommand{std::move(request), &mailbox});
}
void ExecExecutor::request_stop(const AttemptKey& key) { impl_->push(StopCommand{key}); }
void ExecExecutor::kill(const AttemptKey& key) { impl_->push(KillCommand{key}); }

}  // namespace penstock
