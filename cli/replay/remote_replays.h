// Replays through a worker's HTTP interface (docs/http.md): what ReplayDesk does, for commands that
// have no brokers. Answers are as JSON. Used from one thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/output.h"
#include "cli/remote/worker_client.h"
#include "consumer/operate/replay_desk.h"

namespace penstock {

// How many records a replay has still to read.
[[nodiscard]] std::int64_t records_left(const JobJson& replay);

class RemoteReplays {
 public:
  explicit RemoteReplays(WorkerClient worker) : worker_(std::move(worker)) {}

  struct Started {
    JobJson replay;
    bool made = false;  // by this call
  };
  [[nodiscard]] ReplayAnswer<Started> start(const ReplayTarget& target, const ReplayTerms& terms,
                                            const std::string& by);
  [[nodiscard]] ReplayAnswer<JobJson> count(const std::string& queue, const ReplayTerms& terms);
  [[nodiscard]] ReplayAnswer<JobJson> show(const ReplayTarget& target);
  // Of one queue or, if it is empty, of all queues of the worker's config.
  [[nodiscard]] ReplayAnswer<std::vector<JobJson>> list(const std::string& queue);
  // Without a change, the replay is deleted.
  [[nodiscard]] ReplayAnswer<JobJson> change(const ReplayTarget& target,
                                             std::optional<ReplayChange> change,
                                             const std::string& by);
  // Without a queue, the only replay of this name.
  [[nodiscard]] ReplayAnswer<ReplayTarget> find_chosen(const ReplayTarget& chosen);
  // Until it does not run any more, or `wait` says that nobody follows it any more.
  [[nodiscard]] ReplayAnswer<JobJson> follow(Output& output, const ReplayTarget& target,
                                             const std::function<bool()>& wait);

 private:
  WorkerClient worker_;
};

}  // namespace penstock
