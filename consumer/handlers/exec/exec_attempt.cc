#include "consumer/handlers/exec/exec_attempt.h"

#include <chrono>
#include <utility>

namespace penstock {

ExecAttempt::ExecAttempt(StartCommand start, Clock::time_point now, std::function<void()> on_room)
    : start_(std::move(start)),
      token_(start_.request.key.token.text()),
      began_(now),
      deadline_(now, start_.request.timeout),
      reports_(std::make_shared<ReportWindow>(std::move(on_room))) {}

AnswerLine ExecAttempt::read(std::string_view line) const {
  return read_answer_line(line, token_, start_.request.items);
}

void ExecAttempt::progress(ProgressLine line, Clock::time_point now) {
  alive(now);
  start_.mailbox->post(ProgressMade{start_.request.key, line.n, line.total, reports_->add(0)});
}

bool ExecAttempt::checkpoint(CheckpointLine line, Clock::time_point now) {
  alive(now);
  Checkpoint said{start_.request.key, std::move(line.cursor), std::move(line.enqueue)};
  said.receipt = reports_->add(report_bytes(said.cursor, said.enqueue));
  start_.mailbox->post(std::move(said));
  // Everything up to here is saved, so the attempt may end now without losing work.
  has_stopped_ = has_stopped_ || is_asked_to_stop_;
  return is_asked_to_stop_;
}

void ExecAttempt::end(Answer answer) {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_);
  close_reports();
  start_.mailbox->post(AttemptEnded{start_.request.key, std::move(answer.outcome),
                                    std::move(answer.enqueue), std::move(answer.items), took});
}

}  // namespace penstock
