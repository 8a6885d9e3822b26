#include "consumer/handlers/native/attempt_state.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <typeinfo>

#include "consumer/handlers/protocol/answer_json.h"
#include "consumer/handlers/protocol/job_request_json.h"
#include "consumer/handlers/protocol/reason.h"
#include "consumer/job/derived_id.h"
#include "consumer/policy/duration.h"
#include "topics/names.h"

namespace penstock {

std::optional<Replay> replay_of(const std::string& json) {
  if (json.empty()) return std::nullopt;
  const auto members = nlohmann::json::parse(json);
  return Replay{members.at("id"), members.at("of"), members.at("source")};
}

std::vector<std::pair<std::string, std::string>> pairs(const std::vector<Header>& headers) {
  std::vector<std::pair<std::string, std::string>> copies;
  for (const Header& header : headers) copies.emplace_back(header.name, header.value.value_or(""));
  return copies;
}

namespace {

// The exception's type in C++ notation: "std::out_of_range", "shop::CardDeclined".
std::string type_name(const std::exception& error) {
  const char* mangled = typeid(error).name();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return name != nullptr ? name.get() : mangled;
}

// A handler can compute any delay; a policy allows at most kMaxDuration.
Duration bounded(std::chrono::milliseconds in) { return std::clamp(in, Duration(0), kMaxDuration); }

}  // namespace

OutcomeValue to_value(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
      return Done{};
    case Outcome::Kind::kNext:
      return NextIteration{outcome.raw_cursor.empty() ? outcome.cursor.dump() : outcome.raw_cursor};
    case Outcome::Kind::kRetry:
      return RetryLater{one_line(outcome.reason),
                        outcome.in ? std::optional(bounded(*outcome.in)) : std::nullopt,
                        error_class(outcome.error_name)};
    case Outcome::Kind::kSnooze:
      return Snooze{bounded(outcome.in.value_or(Duration{0}))};
    case Outcome::Kind::kDiscard:
      return Discard{one_line(outcome.reason)};
    case Outcome::Kind::kCancel:
      return CancelJob{one_line(outcome.reason)};
  }
  return RetryLater{
      "the handler returned an outcome of no known kind", {}, std::string(kBadAnswerError)};
}

Attempt::State::State(StartCommand what)
    : start(std::move(what)),
      token(start.request.key.token.text()),
      headers(pairs(start.request.headers)),
      replay(replay_of(start.request.replay)),
      deadline_(Clock::now(), start.request.timeout) {}

// The result of a handler that has been stopped is not that of its whole job: it may have caught
// AttemptStopped along with everything else.
AttemptEnded Attempt::State::run(const HandlerFunction& handler) {
  OutcomeValue outcome = call(handler);
  if (has_stopped()) outcome = Interrupted{AttemptStopped().what()};
  AttemptEnded ended{start.request.key, std::move(outcome), {}, std::move(outcomes)};
  // A retry or an interruption repeats what came after the last checkpoint, which would enqueue
  // these jobs again.
  const bool produces = !std::holds_alternative<RetryLater>(ended.outcome) &&
                        !std::holds_alternative<Interrupted>(ended.outcome);
  if (produces) ended.enqueue = take_enqueued();
  return ended;
}

OutcomeValue Attempt::State::call(const HandlerFunction& handler) {
  try {
    Attempt attempt(*this);
    return to_value(handler(attempt));
  } catch (const AttemptStopped& stopped) {
    return Interrupted{stopped.what()};
  } catch (const AttemptLost& lost) {
    return Interrupted{lost.what()};  // the result is ignored
  } catch (const std::exception& error) {
    return RetryLater{one_line(error.what()), {}, error_class(type_name(error))};
  } catch (...) {
    return RetryLater{"the handler threw something that is not a std::exception", {}};
  }
}

void Attempt::State::alive() {
  const std::lock_guard lock(mutex_);
  note_alive();
}

void Attempt::State::note_alive() {
  if (is_lost_) throw AttemptLost();
  if (has_stopped_) throw AttemptStopped();
  deadline_.alive(Clock::now());
}

void Attempt::State::await_room() {
  alive();
  if (reports_->has_room()) return;
  {
    const std::lock_guard lock(mutex_);
    ++waiting_;
  }
  reports_->wait();
  const std::lock_guard lock(mutex_);
  --waiting_;
  // The attempt may have been lost or stopped during the wait.
  note_alive();
}

void Attempt::State::checkpoint(std::string cursor) {
  await_room();
  Checkpoint said{start.request.key, std::move(cursor), take_enqueued()};
  said.receipt = reports_->add(report_bytes(said.cursor, said.enqueue));
  start.mailbox->post(std::move(said));
  const std::lock_guard lock(mutex_);
  // Only after posting: the checkpoint counts if the loop has not ended the attempt yet.
  if (is_lost_) throw AttemptLost();
  if (!is_asked_to_stop_) return;
  has_stopped_ = true;
  throw AttemptStopped();
}

void Attempt::State::progress(std::int64_t n, std::int64_t total) {
  await_room();
  start.mailbox->post(ProgressMade{start.request.key, n, total, reports_->add(0)});
}

void Attempt::State::enqueue(const JobRequest& job) {
  FollowUp next = to_follow_up(job);
  const std::size_t bytes = bytes_of(next, !job.id.empty());
  const std::lock_guard lock(mutex_);
  if (enqueued_bytes_ + bytes > kMaxFollowUpBytes) {
    throw std::length_error(std::string(kTooManyFollowUps) +
                            ": leave a checkpoint, or end the iteration, between them");
  }
  enqueued_bytes_ += bytes;
  enqueued_.push_back(std::move(next));
}

// At least as many bytes as the partition will count, which adds an id if there is none.
std::size_t Attempt::State::bytes_of(const FollowUp& job, bool has_id) const {
  const AttemptRequest& own = start.request;
  const std::string topic =
      QueueNames(own.prefix, job.queue.empty() ? own.queue : job.queue).topic();
  const std::size_t bytes =
      follow_up_bytes(job.record, job.account.empty() ? own.account : job.account, topic) +
      follow_up_bytes(job.headers);
  if (has_id) return bytes;
  const std::string last = "/" + std::to_string(std::numeric_limits<int>::max());
  return bytes + std::string_view(R"("id":,)").size() +
         nlohmann::json(derived_id(own.id, last)).dump().size();
}

std::vector<FollowUp> Attempt::State::take_enqueued() {
  const std::lock_guard lock(mutex_);
  enqueued_bytes_ = 0;
  return std::exchange(enqueued_, {});
}

bool Attempt::State::lose() {
  const std::lock_guard lock(mutex_);
  reports_->close();
  return !std::exchange(is_lost_, true);
}

bool Attempt::State::lose_when_due(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  // While it waits for room, the handler can do nothing about its deadline.
  if (waiting_ > 0 || !deadline_.is_over(now)) return false;
  reports_->close();
  return !std::exchange(is_lost_, true);
}

bool Attempt::State::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

bool Attempt::State::has_stopped() const {
  const std::lock_guard lock(mutex_);
  return has_stopped_;
}

void Attempt::State::ask_to_stop() {
  const std::lock_guard lock(mutex_);
  is_asked_to_stop_ = true;
}

bool Attempt::State::is_asked_to_stop() const {
  const std::lock_guard lock(mutex_);
  return is_asked_to_stop_ || is_lost_;
}

Attempt::State::Clock::time_point Attempt::State::deadline() const {
  const std::lock_guard lock(mutex_);
  return waiting_ > 0 ? Clock::now() + start.request.timeout : deadline_.at();
}

}  // namespace penstock
