#include "consumer/handlers/exec/exec_child.h"

#include <cerrno>

#include "consumer/handlers/protocol/reason.h"
#include "consumer/handlers/protocol/request_json.h"
#include "consumer/policy/duration.h"

namespace penstock {
namespace {

constexpr int kChunksPerEvent = 16;  // so that a child with much output does not delay the others
constexpr int kChunksAtEnd = 512;    // more than any pipe holds: 1 MiB, unless root allows more

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // which Clang 14 does not find by itself

}  // namespace

ExecChild::ExecChild(ForkServer& server, std::size_t index, Poller& poller, const LineSink& log)
    : server_(server), index_(index), poller_(poller), errors_(log) {}

std::optional<ExecChild::Clock::time_point> ExecChild::due() const {
  if (!process_) return pause_.until();
  if (is_doomed_) return std::nullopt;
  if (doom_at_) return doom_at_;
  if (attempt_ && !is_paused_) return attempt_->due();
  return std::nullopt;
}

Status ExecChild::revive(Clock::time_point now) {
  if (process_ || !pause_.is_over(now)) return {};
  auto process = ChildProcess::spawn(server_);
  if (!process) {
    pause_.failed_to_start(now);
    return tl::unexpected(process.error());
  }
  process_.emplace(*std::move(process));
  pause_.started(now);
  has_answered_ = is_doomed_ = false;
  doom_at_.reset();
  verdict_ = {};
  errors_.begin();
  poller_.set(process_->out(), EPOLLIN, name(kOut));
  poller_.set(process_->err(), EPOLLIN, name(kErr));
  poller_.set(process_->end(), EPOLLIN, name(kEnd));
  return {};
}

void ExecChild::begin(StartCommand start, Clock::time_point now) {
  attempt_ = std::make_unique<ExecAttempt>(std::move(start), now, [this] { poller_.wake(); });
  unsent_ += request_json(attempt_->request()) + '\n';
  send(now);
}

void ExecChild::on_event(Name name, Clock::time_point now) {
  if (!process_) return;
  if (name == kIn) send(now);
  if (name == kOut) read_answers(now, kChunksPerEvent);
  if (name == kErr) read_log(kChunksPerEvent);
  if (name == kEnd) on_end(now);
}

void ExecChild::on_time(Clock::time_point now) {
  if (is_doomed_) return;
  if (doom_at_ && now >= *doom_at_) return doom(verdict_);
  if (is_paused_ && attempt_ && attempt_->has_room()) resume_reading(now);
  if (!attempt_ || is_paused_ || !attempt_->is_over(now)) return;
  doom({"timed out after " + duration_text(attempt_->request().timeout), kTimeoutError});
}

void ExecChild::kill_silently() {
  attempt_.reset();
  doom({"its attempt was ended", kTimeoutError});
}

void ExecChild::close_input() {
  if (!process_) return;
  if (!unsent_.empty()) poller_.remove(process_->in());
  unsent_.clear();
  process_->close_in();
}

void ExecChild::terminate() const {
  if (process_) process_->terminate();
}

void ExecChild::send(Clock::time_point now) {
  while (!unsent_.empty() && process_->in() >= 0) {
    const ssize_t sent = ::write(process_->in(), unsent_.data(), unsent_.size());
    if (sent >= 0) {
      unsent_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      return poller_.set(process_->in(), EPOLLOUT, name(kIn));
    } else if (errno != EINTR) {
      unsent_.clear();
      doom_soon({"it closed its standard input", kExitedError}, now);
    }
  }
  if (process_->in() >= 0) poller_.remove(process_->in());
}

void ExecChild::read_answers(Clock::time_point now, int max_chunks) {
  for (int chunk = 0; chunk < max_chunks && process_->out() >= 0; ++chunk) {
    const LineReader::Fill fill = answers_.fill(process_->out());
    if (!take_lines(now)) return pause_reading();
    if (answers_.is_too_long()) {
      doom({"its answer line is longer than 16 MiB: " + quoted_start(answers_.take_rest()),
            kBadAnswerError});
    }
    if (fill == LineReader::Fill::kEnded) return on_answers_ended(now);
    if (fill == LineReader::Fill::kDrained) return;
  }
}

bool ExecChild::take_lines(Clock::time_point now) {
  while (!attempt_ || attempt_->has_room()) {
    const auto line = answers_.next();
    if (!line) return true;
    on_line(*line, now);
  }
  return false;
}

// The rest stays in the pipe, and the process waits if it writes more than fits there.
void ExecChild::pause_reading() {
  poller_.remove(process_->out());
  is_paused_ = true;
}

void ExecChild::resume_reading(Clock::time_point now) {
  is_paused_ = false;
  attempt_->alive(now);
  if (!take_lines(now)) return pause_reading();
  if (process_->out() >= 0) poller_.set(process_->out(), EPOLLIN, name(kOut));
}

void ExecChild::on_answers_ended(Clock::time_point now) {
  poller_.remove(process_->out());
  process_->close_out();
  doom_soon({"it closed its standard output", kExitedError}, now);
}

void ExecChild::on_line(std::string_view line, Clock::time_point now) {
  if (is_doomed_) return;
  AnswerLine answer = attempt_ ? attempt_->read(line) : read_answer_line(line, {});
  if (!attempt_) {
    if (std::holds_alternative<Rubbish>(answer)) errors_.log(line);
    return;
  }
  std::visit(
      Overloaded{
          [&](Answer& ended) {
            has_answered_ = true;
            pause_.answered();
            finish(std::move(ended));
          },
          [&](HeartbeatLine&) { attempt_->alive(now); },
          [&](CheckpointLine& checkpoint) {
            if (attempt_->checkpoint(std::move(checkpoint), now)) {
              doom({"stopped at its checkpoint", kTimeoutError});
            }
          },
          [&](ProgressLine& made) { attempt_->progress(made, now); },
          [](OtherToken&) {},
          [&](Rubbish& found) {
            doom({"the handler's output is not an answer: " + found.message, kBadAnswerError});
          },
      },
      answer);
}

void ExecChild::finish(Answer answer) {
  const std::unique_ptr<ExecAttempt> ended = std::move(attempt_);
  ended->end(std::move(answer));
}

void ExecChild::read_log(int max_chunks) {
  if (process_->err() < 0 || errors_.read(process_->err(), max_chunks)) return;
  poller_.remove(process_->err());
  process_->close_err();
}

void ExecChild::doom(Verdict verdict) {
  if (!process_ || is_doomed_) return;
  is_doomed_ = true;
  verdict_ = std::move(verdict);
  process_->kill();
}

// It is usually about to end and will soon be reaped with a better reason. If not, it is useless.
void ExecChild::doom_soon(Verdict verdict, Clock::time_point now) {
  if (is_doomed_ || doom_at_) return;
  doom_at_ = now + kEndsSoon;
  verdict_ = std::move(verdict);
}

// Its last output counts even if the loop has taken over nothing: it is at most a pipe's content.
void ExecChild::on_end(Clock::time_point now) {
  if (attempt_) attempt_->close_reports();
  while (const auto line = answers_.next()) on_line(*line, now);
  read_answers(now, kChunksAtEnd);
  read_log(kChunksAtEnd);
  errors_.end();
  poller_.remove(process_->end());  // reap() closes it
  const auto status = process_->reap();
  if (status) return bury(*status, now);
  poller_.set(process_->end(), EPOLLIN, name(kEnd));
}

void ExecChild::bury(const ExitStatus& status, Clock::time_point now) {
  const Verdict cause = cause_of_death(status);
  const bool is_our_doing = is_doomed_ && status.was_killed;
  for (const int fd : {process_->in(), process_->out(), process_->err()}) {
    if (fd >= 0) poller_.remove(fd);
  }
  process_.reset();
  is_paused_ = false;
  unsent_.clear();
  static_cast<void>(answers_.take_rest());
  if (attempt_ && attempt_->has_stopped()) {
    finish({Interrupted{cause.text}, {}, {}});
  } else if (attempt_) {
    finish({RetryLater{one_line(cause.text), {}, std::string(cause.error_class)}, {}, {}});
  }
  pause_.ended(has_answered_ || is_our_doing, now);
}

ExecChild::Verdict ExecChild::cause_of_death(const ExitStatus& status) const {
  if (is_doomed_ && status.was_killed) return verdict_;
  std::string cause = "handler process died: " + status.text;
  if (!errors_.last().empty()) cause += ", its last line: " + quoted_start(errors_.last());
  return {std::move(cause), kExitedError};
}

}  // namespace penstock
