// What the checker holds replays against: each record that one is to copy becomes one job that ends
// once, copies wait for the account's live jobs and keep their order, nothing of a paused one
// starts, and what the rows count is what has happened. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checks/replays/pace_checks.h"
#include "tests/simulation/checks/replays/program_checks.h"
#include "tests/simulation/checks/replays/replay_model.h"
#include "tests/simulation/checks/replays/sent_checks.h"

namespace penstock::simulation {

class ReplayChecks {
 public:
  explicit ReplayChecks(CheckedRun& run)
      : run_(run),
        book_{ReplayModel(run.cluster(), run.settings().queue.partitions), {}, {}, {}},
        programs_(run.rules()),
        sent_(run, book_),
        paces_(run, book_) {}
  // Its parts refer to the book.
  ReplayChecks(const ReplayChecks&) = delete;
  ReplayChecks& operator=(const ReplayChecks&) = delete;

  void control_appended(const LogRecord& record);
  // A copy that another partition has sent, or a job that has a copy's identity, is in the input.
  void arrived(const Input& input);
  // A record has entered the topic that replays send copies to. Whether a task would take it there.
  [[nodiscard]] bool arrived_in_shadow(PartitionId partition, const LogRecord& record) {
    return sent_.arrived(partition, record);
  }
  // Somebody has removed the records before this one from the input.
  void cut(PartitionId partition, Offset before) { cuts_[partition].insert(before); }
  [[nodiscard]] ProgramChecks& programs() { return programs_; }
  // A command that may name a copy.
  void commanded(const Input& input);
  // An honoured commit has taken what has arrived.
  void taken(const CommitFacts& facts, const Input& input);

  // Whether the attempt is of copies, or of a job that has a copy's identity.
  [[nodiscard]] bool are_copies(const AttemptRequest& request);
  // One of them.
  void started(const AttemptRequest& request, Now now);
  void shown(std::size_t host, const AttemptRequest& request);
  void shown(std::size_t host, const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key);
  // By a process that has read this of the control topic.
  void started_knowing(const AttemptRequest& request, const Control& control);

  // An honoured commit produces the message; then it has produced all of its messages.
  void produced(const CommitFacts& facts, const Produced& message);
  void committed(const CommitFacts& facts);
  // Whether the job that an honoured commit ends is a copy.
  [[nodiscard]] bool ended(const CommitFacts& facts, const Digest& digest);

  // What is left to do; empty: nothing.
  [[nodiscard]] std::string not_done() const;
  void check_end();

 private:
  using Attempt = std::pair<std::size_t, AttemptKey>;

  void reported(const LogRecord& record);
  void pauses_itself(const LogRecord& record);
  void begins(const std::string& name, const ReplayRecord& record);
  void check_told(const Copy& copy, const std::string& told);
  // By what `differs` says of each record that the copy may be made of; empty: it is the one.
  void check_content(const Copy& copy, const std::string& source, const std::string& where,
                     const std::function<std::string(const CopyContent&)>& differs);
  void check_start(const Copy& copy, const AttemptRequest& request, Now now);
  void check_live(const Copy& copy, const AttemptRequest& request);
  // One of a replay that was cancelled, or whose original has been removed, may never be made. (A
  // record is known to be lost only by the commit that follows.)
  [[nodiscard]] bool may_be_lacking(const Copy& copy) const {
    const auto cuts = cuts_.find(copy.home);
    const bool was_cut = cuts != cuts_.end() && copy.offset < *cuts->second.rbegin();
    return was_cut || copy.only_plan()->was_cancelled;
  }
  void check_order(const Copy& copy);
  void check_running(const std::string& name);
  void note_lost(const CommitFacts& facts, ReplayPlan& plan, const ReplayRow& before,
                 const ReplayRow& row);
  void check_row(const ReplayPlan& plan, PartitionId partition);
  [[nodiscard]] bool keeps_order(const Copy& copy) const;
  [[nodiscard]] bool has_to_end(const Copy& copy) const;
  [[nodiscard]] int allowed_ends(const Copy& copy) const;
  [[nodiscard]] ReplayRow row_of(const std::string& name, PartitionId partition) const {
    return replay_row(run_.reference(partition).store(), name);
  }
  [[nodiscard]] std::string not_done(const ReplayPlan& plan) const;

  CheckedRun& run_;
  ReplayBook book_;
  ProgramChecks programs_;
  SentChecks sent_;
  PaceChecks paces_;
  std::map<std::string, ReplayProgress> reports_;                  // the newest, by key
  std::map<std::pair<std::string, PartitionId>, ReplayRow> rows_;  // after the last commit
  std::map<PartitionId, std::set<Offset>> cuts_;
  // Those of one replay, account and type, by the order of their originals.
  std::map<std::string, std::vector<const Copy*>> lines_;
  std::map<Attempt, std::string> attempts_;           // the replay of each
  std::map<std::string, std::set<Attempt>> running_;  // by replay
};

}  // namespace penstock::simulation
