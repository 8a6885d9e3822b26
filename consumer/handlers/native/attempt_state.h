// What stands behind a penstock::Attempt while its handler runs: the request, and whether it still
// counts. Shared by the handler's thread, the pool's clock and the callers of request_stop and
// kill: what changes is guarded by the mutex. The handler's thread owns it.
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

  // Runs the handler and makes what comes of it, an exception included, an outcome.
  [[nodiscard]] AttemptEnded run(const HandlerFunction& handler);

  // Extends the deadline. Throws AttemptLost when the attempt is lost, and AttemptStopped when it
  // has stopped at a checkpoint before.
  void alive();
  // Waits until the loop has taken over enough of what was reported before, and is alive() then.
  // The time that it waits is none of the attempt's.
  void await_room();
  // Both await_room() first. A checkpoint takes along what has been asked for since the last one,
  // and throws AttemptStopped when the attempt has been asked to stop: from then on nothing counts
  // that the handler does.
  void checkpoint(std::string cursor);
  void progress(std::int64_t n, std::int64_t total);
  // Throws std::length_error when there would be more than one commit takes.
  void enqueue(const JobRequest& job);
  // From now on nothing counts that the handler does. False: it was lost already.
  bool lose();
  // Loses it when its deadline has come; false when not, or when it was lost already.
  bool lose_when_due(Clock::time_point now);
  void ask_to_stop();
  // Nobody takes over what it reports any more: it waits for nothing from here on.
  void stop_waiting() { reports_->close(); }

  [[nodiscard]] bool is_asked_to_stop() const;
  [[nodiscard]] bool is_lost() const;
  [[nodiscard]] bool has_stopped() const;
  [[nodiscard]] Clock::time_point deadline() const;

  const StartCommand start;
  const std::string token;
  const std::vector<std::pair<std::string, std::string>> headers;

  // Of the handler's thread.
  std::optional<nlohmann::json> args;
  std::optional<nlohmann::json> cursor;
  std::optional<std::vector<Item>> items;
  ItemOutcomes outcomes;  // of them
  Clock::time_point next_progress{};

 private:
  void note_alive();  // alive(), under the lock
  [[nodiscard]] OutcomeValue call(const HandlerFunction& handler);
  [[nodiscard]] std::size_t bytes_of(const FollowUp& job, bool has_id) const;
  [[nodiscard]] std::vector<FollowUp> take_enqueued();

  mutable std::mutex mutex_;
  std::vector<FollowUp> enqueued_;  // since the last checkpoint
  std::size_t enqueued_bytes_ = 0;
  AttemptDeadline<Clock::time_point> deadline_;
  // Shared with the receipts of what it has reported, which the loop may keep for longer.
  const std::shared_ptr<ReportWindow> reports_ = std::make_shared<ReportWindow>();
  int waiting_ = 0;  // calls that wait for room there
  bool is_lost_ = false;
  bool is_asked_to_stop_ = false;
  bool has_stopped_ = false;  // at a checkpoint, which has thrown
};

[[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs(
    const std::vector<Header>& headers);
[[nodiscard]] OutcomeValue to_value(const Outcome& outcome);

}  // namespace penstock
