// The attempt that a child process is running: its request, its timeout, and what it has reported.
//
// - Reports are posted to the mailbox in the order of their lines, the outcome last.
// - While the loop has not taken over earlier reports, there is no room for more; the reports hold
//   receipts, which can outlive the attempt.
//
// Belongs to the executor's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "consumer/handlers/io/inbox.h"
#include "consumer/handlers/io/poller.h"
#include "consumer/handlers/protocol/answer_json.h"
#include "consumer/handlers/protocol/report_window.h"
#include "consumer/job/attempt_deadline.h"

namespace penstock {

class ExecAttempt {
 public:
  using Clock = Poller::Clock;

  // `on_room` is called from any thread when there is room for reports again.
  ExecAttempt(StartCommand start, Clock::time_point now, std::function<void()> on_room);
  ~ExecAttempt() { close_reports(); }
  ExecAttempt(const ExecAttempt&) = delete;
  ExecAttempt& operator=(const ExecAttempt&) = delete;

  [[nodiscard]] const AttemptRequest& request() const { return start_.request; }
  [[nodiscard]] AnswerLine read(std::string_view line) const;

  // The handler's signs of life, each of which begins the timeout anew.
  void alive(Clock::time_point now) { deadline_.alive(now); }
  void progress(ProgressLine line, Clock::time_point now);
  // True: the attempt was asked to stop, and this is the checkpoint at which it does.
  [[nodiscard]] bool checkpoint(CheckpointLine line, Clock::time_point now);

  void ask_to_stop() { is_asked_to_stop_ = true; }
  // It has reached the checkpoint at which it stops.
  [[nodiscard]] bool has_stopped() const { return has_stopped_; }

  [[nodiscard]] bool has_room() const { return reports_->has_room(); }
  // Nothing waits for room any more.
  void close_reports() { reports_->close(); }
  [[nodiscard]] bool is_over(Clock::time_point now) const { return deadline_.is_over(now); }
  [[nodiscard]] Clock::time_point due() const { return deadline_.at(); }

  // Posts the outcome. Nothing may be reported afterwards.
  void end(Answer answer);

 private:
  StartCommand start_;
  const std::string token_;
  const Clock::time_point began_;
  AttemptDeadline<Clock::time_point> deadline_;
  // Shared with the receipts of its reports, which the loop may keep for longer.
  const std::shared_ptr<ReportWindow> reports_;
  bool is_asked_to_stop_ = false;
  bool has_stopped_ = false;
};

}  // namespace penstock
