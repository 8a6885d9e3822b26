// What stands behind a penstock::Attempt while its handler runs: the request, and whether it still
// counts. Shared by the handler's thread, the pool's clock and the callers of request_stop and
// kill: what changes is guarded by the mutex. The handler's thread owns it.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consumer/attempt_deadline.h"
#include "consumer/handlers/inbox.h"
#include "penstock/worker.h"

namespace penstock {

struct Attempt::State {
  using Clock = std::chrono::steady_clock;

  explicit State(StartCommand start);

  // Runs the handler and makes what comes of it, an exception included, an outcome.
  [[nodiscard]] AttemptEnded run(const HandlerFunction& handler);

  // Extends the deadline and posts. Throws AttemptLost when the attempt is lost, and AttemptStopped
  // when it has stopped at a checkpoint before.
  void post_alive(HandlerMessage message);
  // As post_alive(), with what has been asked for since the last one. Throws AttemptStopped when
  // the attempt has been asked to stop: from then on nothing counts that the handler does.
  void checkpoint(std::string cursor);
  // Throws std::length_error when there would be more than one commit takes.
  void enqueue(const JobRequest& job);
  // From now on nothing counts that the handler does. False: it was lost already.
  bool lose();
  // Loses it when its deadline has come; false when not, or when it was lost already.
  bool lose_when_due(Clock::time_point now);
  void ask_to_stop();

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
  [[nodiscard]] OutcomeValue call(const HandlerFunction& handler);
  [[nodiscard]] std::size_t bytes_of(const FollowUp& job, bool has_id) const;
  [[nodiscard]] std::vector<FollowUp> take_enqueued();

  mutable std::mutex mutex_;
  std::vector<FollowUp> enqueued_;  // since the last checkpoint
  std::size_t enqueued_bytes_ = 0;
  AttemptDeadline<Clock::time_point> deadline_;
  bool is_lost_ = false;
  bool is_asked_to_stop_ = false;
  bool has_stopped_ = false;  // at a checkpoint, which has thrown
};

[[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs(
    const std::vector<Header>& headers);
[[nodiscard]] OutcomeValue to_value(const Outcome& outcome);

}  // namespace penstock
