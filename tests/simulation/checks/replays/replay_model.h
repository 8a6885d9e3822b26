// What a replay is to copy: worked out from the records that its ranges have, by the rules of
// docs/replay.md and not by the product's code. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "consumer/replay/replay_row.h"
#include "state/rows/digest.h"
#include "tests/simulation/checks/replays/copy_content.h"
#include "tests/simulation/reference_store.h"
#include "topics/record/job_decoder.h"
#include "topics/simulated/cluster.h"

namespace penstock::simulation {

// The queue that replays send copies to. Nobody works on them there.
inline constexpr std::string_view kShadowQueue = "shadow";
inline constexpr int kShadowPartitions = 3;

// A record of a range.
struct FoundRecord {
  bool matches = false;
  std::optional<LeftOut> left_out = {};
  std::optional<Digest> copy = {};  // that is to be made of it
  std::string line = {};            // that its program gets; empty: none
  bool lost = false;                // it was removed before it was read
};

// A replay from its start to its deletion: a later one of the name is another one.
struct ReplayPlan {
  std::string name;
  ReplayRecord record;                          // the newest
  std::vector<std::vector<FoundRecord>> found;  // by partition, of its range
  bool was_cancelled = false, deleted = false;

  [[nodiscard]] bool sends() const { return !record.terms.to_queue.empty(); }
  // What the partition finds, without what it does.
  [[nodiscard]] ReplayCounts counts(PartitionId partition) const;
};

// One copy, with what has become of it so far. Replays of one name may ask for the same one.
struct Copy {
  struct Record {
    const ReplayPlan* plan = nullptr;
    PartitionId partition = 0;
    Offset offset;
  };
  std::string replay, account, id, of, type;
  PartitionId home = 0;
  Offset offset{-1};            // of the first record of it that lies at home
  std::vector<Record> records;  // of which it may be made: none when all of them were lost
  // What it is to be, by where its records were first stored.
  std::map<std::string, std::vector<CopyContent>> contents;
  bool plain = true;        // no time, no expiry, no command
  bool keeps_times = true;  // no command
  int sent = 0;             // records of it that lie elsewhere
  int twins = 0;            // jobs of its identity that are no copies
  int reruns = 0;           // `retry` commands
  int starts = 0, ends = 0;
  std::int64_t ended_in = -1;  // the last end's epoch

  // The one replay that asks for it; null: several do, or none any more.
  [[nodiscard]] const ReplayPlan* only_plan() const;
  [[nodiscard]] bool is_of(const ReplayPlan& plan) const;
};

[[nodiscard]] std::string name_of(const Copy& copy);

class ReplayModel {
 public:
  using Copies = std::map<Digest, Copy>;

  ReplayModel(const SimulatedCluster& cluster, int partitions)
      : cluster_(cluster), partitions_(partitions) {}

  // A replay begins. Adds what it is to copy, and those that it is to send to the other queue.
  ReplayPlan& plan(const std::string& name, const ReplayRecord& record, Copies& copies,
                   Copies& sent);
  // In the order of their starts.
  [[nodiscard]] const std::deque<ReplayPlan>& plans() const { return plans_; }

 private:
  [[nodiscard]] FoundRecord read(const ReplayPlan& plan, PartitionId partition,
                                 const LogRecord& record, Copies& copies);
  [[nodiscard]] bool selects(const ReplayTerms& terms, const JobRecord& job,
                             const std::string& id) const;
  void answered(FoundRecord& found, const ReplayPlan& plan, PartitionId partition,
                const LogRecord& record, const std::string& of, Copies& copies);
  [[nodiscard]] Digest add(const ReplayPlan& plan, PartitionId partition, const LogRecord& record,
                           const JobRecord& job, std::string of, const std::string& line,
                           Copies& copies);

  const SimulatedCluster& cluster_;
  const int partitions_;
  std::deque<ReplayPlan> plans_;
  JobDecoder decoder_;
};

// All that the parts of the checker know of the replays of a run.
struct ReplayBook {
  ReplayModel model;
  ReplayModel::Copies copies, sent;           // those of this queue, and those for the other one
  std::map<std::string, ReplayPlan*> newest;  // by name

  // Null: none of the name was started.
  [[nodiscard]] const ReplayPlan* find(const std::string& name) const {
    const auto found = newest.find(name);
    return found == newest.end() ? nullptr : found->second;
  }
  // Whether some job of the account has the identity of a copy, and is none: a follow-up job of a
  // copy may have that of a follow-up job's copy.
  [[nodiscard]] bool has_twin(const std::string& account) const {
    return std::any_of(copies.begin(), copies.end(), [&](const auto& entry) {
      return entry.second.twins > 0 && entry.second.account == account;
    });
  }
};

// What a partition has of the replay of this name; a fresh row where it has none.
[[nodiscard]] ReplayRow replay_row(const ReferenceStore& store, const std::string& name);

}  // namespace penstock::simulation
