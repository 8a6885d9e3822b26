// Replays over HTTP (docs/replay.md), in the terms of the command line.
//
//   POST   /v1/queues/{q}/replays            {"id": R, terms...}; with ?dry_run=true it only counts
//   GET    /v1/queues/{q}/replays            GET .../replays/{id}
//   POST   /v1/queues/{q}/replays/{id}/pause|resume|cancel
//   DELETE /v1/queues/{q}/replays/{id}
//
// Any worker answers for all partitions, because it reads topics itself. Thread-safe. A call blocks
// for a bounded time; stop() ends every dry run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "api/request/message.h"
#include "api/route/route_table.h"
#include "consumer/operate/replay_desk.h"

namespace penstock {

class ReplayRoutes {
 public:
  // Records that a dry run may read here.
  static constexpr std::int64_t kMaxDryRunRecords = 1'000'000;
  static constexpr std::chrono::milliseconds kMaxDryRunTime{20'000};
  // At once: the other threads that answer requests stay free for changes.
  static constexpr int kMaxDryRuns = 2;

  using MakeDesk = std::function<ReplayDesk()>;
  explicit ReplayRoutes(MakeDesk desk) : desk_(std::move(desk)) {}

  void add_to(RouteTable& table);
  void stop() { stopping_.store(true); }

 private:
  [[nodiscard]] ApiReply list(const ApiRequest& request);
  [[nodiscard]] ApiReply start(const ApiRequest& request);
  [[nodiscard]] ApiReply show(const ApiRequest& request);
  [[nodiscard]] ApiReply remove(const ApiRequest& request);
  [[nodiscard]] ApiReply change(const ApiRequest& request, ReplayChange change);
  [[nodiscard]] ApiReply count(const std::string& queue, const ReplayTerms& terms);

  MakeDesk desk_;
  std::atomic<int> dry_runs_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace penstock
