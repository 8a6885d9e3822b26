// The implementation of a penstock::Attempt while its handler runs: the request, and whether the
// attempt still counts. The handler's thread owns it; it is shared with the pool's clock and with
// the callers of request_stop() and kill(), so a mutex guards the parts that change.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consumer/handlers/io/inbox.h"
#include "consumer/handlers/protocol/report_window.h"
#include "consumer/job/attempt_deadline.h"
#include "penstock/worker.h"

namespace penstock {

struct Attempt::State {
  using Clock = std::chrono::steady_clock;

  explicit State(StartCommand start);

  // Runs the handler and turns its result, or its exception, into an outcome.
  [[nodiscard]] AttemptEnded run(const HandlerFunction& handler);

  // Extends the deadline. Throws AttemptLost if the attempt is lost, and AttemptStopped if it has
  // stopped at a checkpoint before.
  void alive();
  // Waits until the loop has taken over enough of the earlier reports, then calls alive(). The time
  // of the wait does not count for the timeout.
  void await_room();
  // Both call await_room() first. A checkpoint includes the jobs enqueued since the last one, and
  // throws AttemptStopped if the attempt has been asked to stop; from then on, nothing that the
  // handler does counts.
  void checkpoint(std::string cursor);
  void progress(std::int64_t n, std::int64_t total);
  // Throws std::length_error if the jobs would exceed what a commit can hold.
  void enqueue(const JobRequest& job);
  // From now on, nothing that the handler does counts. Returns false if the attempt was lost
  // before.
  bool lose();
  // Loses the attempt if its deadline has passed. Returns false if not, or if it was lost before.
  bool lose_when_due(Clock::time_point now);
  void ask_to_stop();
  // Its reports will not be taken over any more, so it must not wait for that.
  void stop_waiting() { reports_->close(); }

  [[nodiscard]] bool is_asked_to_stop() const;
  [[nodiscard]] bool is_lost() const;
  [[nodiscard]] bool has_stopped() const;
  [[nodiscard]] Clock::time_point deadline() const;

  const StartCommand start;
  const std::string token;
  const std::vector<std::pair<std::string, std::string>> headers;
  const std::optional<Replay> replay;

  // Only for the handler's thread.
  std::optional<nlohmann::json> args;
  std::optional<nlohmann::json> cursor;
  std::optional<std::vector<Item>> items;
  ItemOutcomes outcomes;  // of the items
  Clock::time_point next_progress{};

 private:
  void note_alive();  // alive() without locking
  [[nodiscard]] OutcomeValue call(const HandlerFunction& handler);
  [[nodiscard]] std::size_t bytes_of(const FollowUp& job, bool has_id) const;
  [[nodiscard]] std::vector<FollowUp> take_enqueued();

  mutable std::mutex mutex_;
  std::vector<FollowUp> enqueued_;  // since the last checkpoint
  std::size_t enqueued_bytes_ = 0;
  AttemptDeadline<Clock::time_point> deadline_;
  // Shared with the receipts of its reports, which the loop may keep for longer.
  const std::shared_ptr<ReportWindow> reports_ = std::make_shared<ReportWindow>();
  int waiting_ = 0;  // calls that wait there for room
  bool is_lost_ = false;
  bool is_asked_to_stop_ = false;
  bool has_stopped_ = false;  // at a checkpoint, which has thrown
};

[[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs(
    const std::vector<Header>& headers);
// Of AttemptRequest::replay.
[[nodiscard]] std::optional<Replay> replay_of(const std::string& json);
[[nodiscard]] OutcomeValue to_value(const Outcome& outcome);

}  // namespace penstock
