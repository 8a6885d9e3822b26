// The attempts of one tenure: their start, the reports of their handlers, and their end.
//
// What always holds:
//  - Nothing starts while held_back() gives a reason.
//  - A report of an attempt that does not run, or that belongs to another tenure, changes nothing.
// Belongs to the loop's thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <optional>
#include <string>

#include "consumer/loop/watch/job_watches.h"
#include "consumer/loop/tenure/tenure_core.h"
#include "consumer/loop/tenure/tenure_input.h"

namespace penstock {

class TenureAttempts final : public TaskHost {
 public:
  TenureAttempts(TenureCore& core, const TenureInput& input) : core_(core), input_(input) {}

  [[nodiscard]] std::size_t running() const;
  // Whether it could start something now if there were places.
  [[nodiscard]] bool has_ready(Now now) const;
  // Starts up to `capacity` attempts; returns the unused capacity.
  [[nodiscard]] int start_ready(int capacity, Now now);
  // The tenure leaves: nothing new starts, and running attempts are asked to stop.
  void leave();
  void ask_all_to_stop();
  // The tenure has ended: its attempts can no longer report.
  void end_all();

  void on_message(HandlerMessage message, Now now);
  void on_killed(const AttemptKey& key, Now now);
  // A lease can end many large jobs at once: processes no more of them than fit into one commit.
  void settle_killed(Now now);

  [[nodiscard]] JobWatches& watches() { return watches_; }

  // TaskHost
  [[nodiscard]] std::optional<AttemptResult> start(const AttemptStart& start) override;
  void ask_to_stop(const Token& token) override;
  [[nodiscard]] int partitions_of(std::string_view queue) override;
  void attempt_failed(const FailedAttempt& failed) override;
  [[nodiscard]] bool watches_jobs() override { return !watches_.empty(); }
  void job_changed(const JobChange& change) override { watches_.changed(change); }
  [[nodiscard]] bool may_run_suspect(const Token& token) override;
  [[nodiscard]] bool awaits_notice(const JobRow& job, Offset input_next) override;
  [[nodiscard]] std::string held_back(Now now) override;
  [[nodiscard]] bool killed_run() override;
  [[nodiscard]] bool killed_run(std::string_view account) override;

 private:
  [[nodiscard]] AttemptKey key(const Token& token) const;
  [[nodiscard]] bool may_start(Now now) const;
  [[nodiscard]] AttemptRequest request_of(const AttemptStart& start) const;

  TenureCore& core_;
  const TenureInput& input_;
  absl::flat_hash_map<std::uint64_t, Executor*> executors_;  // of running attempts, by token number
  std::deque<Token> killed_;  // attempts whose jobs will be requeued when a commit has room
  JobWatches watches_;
  bool leaving_ = false;
};

}  // namespace penstock
