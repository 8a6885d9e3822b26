// One child process of an exec handler: the process, the attempt that it is running, and its output
// as far as it has been read. docs/handlers.md describes the protocol, answer_json.h its answers.
//
// What always holds: an attempt's outcome is posted only when the process has answered, or has
// ended together with everything that it had started, so the next attempt never overlaps with it.
// While the loop does not take over earlier reports, no more output is read. A process that
// violates the protocol or exceeds the timeout is killed. Belongs to the executor's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/handlers/exec/line_reader.h"
#include "consumer/handlers/io/inbox.h"
#include "consumer/handlers/io/poller.h"
#include "consumer/handlers/process/child_process.h"
#include "consumer/handlers/protocol/answer_json.h"
#include "consumer/handlers/protocol/report_window.h"
#include "consumer/job/attempt_deadline.h"

namespace penstock {

// Called with each line that a handler process writes to standard error, or that describes how it
// ended.
using LineSink = std::function<void(std::string_view line)>;

class ExecChild {
 public:
  using Clock = Poller::Clock;
  static constexpr std::size_t kMaxLogLineBytes = 16 << 10;  // longer lines are logged in parts
  // The pause after a process that ended within kEarly without an answer: it doubles from the first
  // value to the last.
  static constexpr std::chrono::milliseconds kFirstBackoff{50};
  static constexpr std::chrono::milliseconds kLastBackoff{5'000};
  static constexpr std::chrono::milliseconds kEarly{1'000};

  // In the poller, its descriptors are named `index` * kNames + Name.
  enum Name : std::uint64_t { kIn, kOut, kErr, kEnd, kNames };
  ~ExecChild() { close_reports(); }
  ExecChild(ForkServer& server, std::size_t index, Poller& poller, const LineSink& log);

  [[nodiscard]] bool has_process() const { return process_.has_value(); }
  [[nodiscard]] bool is_idle() const { return process_ && !is_doomed_ && !doom_at_ && !running_; }
  [[nodiscard]] bool runs(const AttemptKey& key) const {
    return running_ && running_->request.key == key;
  }
  // When on_time() has something to do.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

  // Starts a process, unless there is one or it is too early for another.
  [[nodiscard]] Status revive(Clock::time_point now);
  void begin(StartCommand start, Clock::time_point now);
  void on_event(Name name, Clock::time_point now);
  void on_time(Clock::time_point now);
  // Ends the attempt at its next checkpoint: the process is killed then, and the attempt is
  // interrupted.
  void ask_to_stop() { is_asked_to_stop_ = true; }
  // Kills the process without reporting an outcome of its attempt.
  void kill_silently();

  // The steps to a clean end.
  void close_input();
  void terminate() const;

 private:
  // Why the attempt has failed.
  struct Verdict {
    std::string text;
    std::string_view error_class;  // one of Penstock's own
  };

  void read_answers(Clock::time_point now, int max_chunks);
  // Processes the lines that have been read. False: the loop must take over earlier reports first.
  [[nodiscard]] bool take_lines(Clock::time_point now);
  void pause_reading();
  void resume_reading(Clock::time_point now);
  void close_reports();
  void on_answers_ended(Clock::time_point now);
  void on_line(std::string_view line, Clock::time_point now);
  void on_checkpoint(CheckpointLine line, Clock::time_point now);
  void read_log(int max_chunks);
  void log_line(std::string_view line);
  void send(Clock::time_point now);
  void doom(Verdict verdict);
  void doom_soon(Verdict verdict, Clock::time_point now);
  void finish(Answer answer);
  void on_end(Clock::time_point now);
  void bury(const ExitStatus& status, Clock::time_point now);
  void back_off(Clock::time_point now);
  [[nodiscard]] Verdict cause_of_death(const ExitStatus& status) const;
  [[nodiscard]] std::uint64_t name(Name name) const { return index_ * kNames + name; }

  ForkServer& server_;
  const std::size_t index_;
  Poller& poller_;
  const LineSink& log_;

  std::optional<ChildProcess> process_;
  LineReader answers_{kMaxAnswerBytes};
  LineReader errors_{kMaxLogLineBytes};
  std::string last_words_;  // the last line that it wrote to standard error
  std::string unsent_;      // of the request; at most one, because there is one attempt at a time
  std::optional<StartCommand> running_;
  std::string token_;  // of the running attempt
  AttemptDeadline<Clock::time_point> deadline_;
  Clock::time_point began_{};  // of the running attempt
  // Of the running attempt. Shared with the receipts of its reports, which the loop may keep for
  // longer.
  std::shared_ptr<ReportWindow> reports_;
  bool is_paused_ = false;         // its output is not read, and its timeout is suspended
  bool is_asked_to_stop_ = false;  // the running attempt
  bool has_stopped_ = false;       // it is being killed for that reason
  bool is_doomed_ = false;         // killed by us, but not reaped yet
  std::optional<Clock::time_point> doom_at_;  // when to kill it unless it has ended by itself
  Verdict verdict_;                           // the reason
  bool has_answered_ = false;
  Clock::time_point born_{};
  Clock::time_point revive_at_{};
  int early_deaths_ = 0;  // in a row
};

}  // namespace penstock
