// One child process of an exec handler, restarted when it ends: the process, its input and output as
// far as they have been written and read, and why it is killed. Its attempt is an ExecAttempt. docs/handlers.md describes the protocol, answer_json.h its answers.
//
// What always holds: an attempt's outcome is posted only when the process has answered, or has
// ended together with everything that it had started, so the next attempt never overlaps with it.
// While the loop does not take over earlier reports, no more output is read. A process that
// violates the protocol or exceeds the timeout is killed. Belongs to the executor's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/handlers/exec/error_lines.h"
#include "consumer/handlers/exec/exec_attempt.h"
#include "consumer/handlers/exec/line_reader.h"
#include "consumer/handlers/exec/respawn_pause.h"
#include "consumer/handlers/io/inbox.h"
#include "consumer/handlers/io/poller.h"
#include "consumer/handlers/process/child_process.h"
#include "consumer/handlers/protocol/answer_json.h"

namespace penstock {

class ExecChild {
 public:
  using Clock = Poller::Clock;
  // A process that is expected to end by itself is killed after this time.
  static constexpr std::chrono::milliseconds kEndsSoon{1'000};

  // In the poller, its descriptors are named `index` * kNames + Name.
  enum Name : std::uint64_t { kIn, kOut, kErr, kEnd, kNames };
  ExecChild(ForkServer& server, std::size_t index, Poller& poller, const LineSink& log);
  ExecChild(const ExecChild&) = delete;
  ExecChild& operator=(const ExecChild&) = delete;

  [[nodiscard]] bool has_process() const { return process_.has_value(); }
  [[nodiscard]] bool is_idle() const { return process_ && !is_doomed_ && !doom_at_ && !attempt_; }
  [[nodiscard]] bool runs(const AttemptKey& key) const {
    return attempt_ && attempt_->request().key == key;
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
  void ask_to_stop() {
    if (attempt_) attempt_->ask_to_stop();
  }
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
  void on_answers_ended(Clock::time_point now);
  void on_line(std::string_view line, Clock::time_point now);
  void read_log(int max_chunks);
  void send(Clock::time_point now);
  void doom(Verdict verdict);
  void doom_soon(Verdict verdict, Clock::time_point now);
  void finish(Answer answer);
  void on_end(Clock::time_point now);
  void bury(const ExitStatus& status, Clock::time_point now);
  [[nodiscard]] Verdict cause_of_death(const ExitStatus& status) const;
  [[nodiscard]] std::uint64_t name(Name name) const { return index_ * kNames + name; }

  ForkServer& server_;
  const std::size_t index_;
  Poller& poller_;

  std::optional<ChildProcess> process_;
  LineReader answers_{kMaxAnswerBytes};
  ErrorLines errors_;
  std::string unsent_;  // of the request; at most one, because there is one attempt at a time
  std::unique_ptr<ExecAttempt> attempt_;
  bool is_paused_ = false;  // its output is not read, and its timeout is suspended
  bool is_doomed_ = false;  // killed by us, but not reaped yet
  std::optional<Clock::time_point> doom_at_;  // when to kill it unless it has ended by itself
  Verdict verdict_;                           // the reason
  bool has_answered_ = false;
  RespawnPause pause_;
};

}  // namespace penstock
