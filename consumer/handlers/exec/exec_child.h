// One place for a child process of an exec handler: the process, the attempt that it runs, and what
// has been read of its answers (docs of the protocol: SPEC section 6, answer_json.h).
//
// What always holds: an attempt's outcome is posted only when the process has answered it, or has
// ended together with all that it had started, so that its successor never overlaps with it. While
// the loop takes over nothing, no more is read of what the process reports. A process that breaks
// the protocol, or overruns the timeout, is killed. Belongs to the executor's thread.
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

// Given a line that a handler process wrote to standard error, or that says what became of it.
using LineSink = std::function<void(std::string_view line)>;

class ExecChild {
 public:
  using Clock = Poller::Clock;
  static constexpr std::size_t kMaxLogLineBytes = 16 << 10;  // longer lines are logged in pieces
  // After one that died before its first answer, within kEarly: doubling from the first to the
  // last.
  static constexpr std::chrono::milliseconds kFirstBackoff{50};
  static constexpr std::chrono::milliseconds kLastBackoff{5'000};
  static constexpr std::chrono::milliseconds kEarly{1'000};

  // Its descriptors are named `index` * kNames + Name in the poller.
  enum Name : std::uint64_t { kIn, kOut, kErr, kEnd, kNames };
  ~ExecChild() { let_go_of_reports(); }
  ExecChild(ForkServer& server, std::size_t index, Poller& poller, const LineSink& log);

  [[nodiscard]] bool has_process() const { return process_.has_value(); }
  [[nodiscard]] bool is_idle() const { return process_ && !is_doomed_ && !doom_at_ && !running_; }
  [[nodiscard]] bool runs(const AttemptKey& key) const {
    return running_ && running_->request.key == key;
  }
  // When on_time has something to do.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

  // Starts a process, unless it has one or it is too early for another.
  [[nodiscard]] Status revive(Clock::time_point now);
  void begin(StartCommand start, Clock::time_point now);
  void on_event(Name name, Clock::time_point now);
  void on_time(Clock::time_point now);
  // What it runs ends at its next checkpoint: the process is killed then, and the attempt is
  // interrupted.
  void ask_to_stop() { is_asked_to_stop_ = true; }
  // Kills the process; the attempt that it runs is forgotten.
  void kill_silently();

  // The way to a clean end.
  void close_input();
  void terminate() const;

 private:
  // Why what runs there has failed.
  struct Verdict {
    std::string text;
    std::string_view error_class;  // one of Penstock's own
  };

  void read_answers(Clock::time_point now, int max_chunks);
  // Takes the lines that have been read; false: the loop is to take over earlier reports first.
  [[nodiscard]] bool take_lines(Clock::time_point now);
  void pause_reading();
  void resume_reading(Clock::time_point now);
  void let_go_of_reports();
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
  std::string last_words_;  // its latest line on standard error
  std::string unsent_;      // of the request: at most one, as it runs one at a time
  std::optional<StartCommand> running_;
  std::string token_;  // of what is running
  AttemptDeadline<Clock::time_point> deadline_;
  Clock::time_point began_{};  // of what is running
  // Of what is running: shared with the receipts of its reports, which the loop may keep for
  // longer.
  std::shared_ptr<ReportWindow> reports_;
  bool is_paused_ = false;                    // its answers are not read, and its time stands still
  bool is_asked_to_stop_ = false;             // what is running
  bool has_stopped_ = false;                  // it is killed for that
  bool is_doomed_ = false;                    // killed by us, not reaped yet
  std::optional<Clock::time_point> doom_at_;  // when it shall be, if it has not ended by itself
  Verdict verdict_;                           // why
  bool has_answered_ = false;
  Clock::time_point born_{};
  Clock::time_point revive_at_{};
  int early_deaths_ = 0;  // in a row
};

}  // namespace penstock
