// What the checker holds replays against: each record that one is to copy becomes one job that ends
// once, copies wait for the account's live jobs and keep their order, nothing of a paused one
// starts, and what the rows count is what has happened. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/job/handler.h"
#include "consumer/replay/replay_row.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checks/replay_model.h"

namespace penstock::simulation {

class ReplayChecks {
 public:
  explicit ReplayChecks(CheckedRun& run)
      : run_(run), model_(run.cluster(), run.settings().queue.partitions) {}

  void control_appended(const LogRecord& record);
  // A copy that another partition has sent, or a job that has a copy's identity, is in the input.
  void arrived(const Input& input);
  // A command that may name a copy.
  void commanded(const Input& input);
  // An honoured commit has taken what has arrived.
  void taken(const CommitFacts& facts, const Input& input);

  // Whether the attempt is of copies, or of a job that has a copy's identity.
  [[nodiscard]] bool are_copies(const AttemptRequest& request);
  // One of them.
  void started(const AttemptRequest& request);
  void shown(std::size_t host, const AttemptRequest& request);
  void shown(std::size_t host, const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key);
  // By a process that has read this of the control topic.
  void started_knowing(const AttemptRequest& request, const Control& control);

  // Whether the job that an honoured commit ends is a copy.
  [[nodiscard]] bool ended(const CommitFacts& facts, const Digest& digest);

  // What is left to do; empty: nothing.
  [[nodiscard]] std::string not_done() const;
  void check_end();
  // All of them are over, and are deleted: nothing is to stay of them.
  void deleted();

 private:
  using Attempt = std::pair<std::size_t, AttemptKey>;

  void reported(const LogRecord& record);
  void begins(const std::string& name, const ReplayRecord& record);
  void check_told(const Copy& copy, const std::string& told);
  void check_live(const Copy& copy, const AttemptRequest& request);
  void check_order(const Copy& copy);
  void check_running(const std::string& name);
  void check_row(const ReplayPlan& plan, PartitionId partition);
  [[nodiscard]] int allowed_ends(const Copy& copy) const;
  [[nodiscard]] ReplayRow row_of(const std::string& name, PartitionId partition) const;
  [[nodiscard]] std::string not_done(const ReplayPlan& plan) const;

  CheckedRun& run_;
  bool deleted_ = false;
  ReplayModel model_;
  ReplayModel::Copies copies_;
  std::map<std::string, ReplayPlan> replays_;
  std::map<std::string, ReplayProgress> reports_;  // the newest, by key
  // Those of one replay, account and type, by the order of their originals.
  std::map<std::string, std::vector<const Copy*>> lines_;
  std::map<Attempt, std::string> attempts_;           // the replay of each
  std::map<std::string, std::set<Attempt>> running_;  // by replay
};

}  // namespace penstock::simulation
