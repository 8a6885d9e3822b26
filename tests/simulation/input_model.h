// The checker's own reading of the queue's topic: which records are jobs, which repeat one, which
// are commands, bad, in the wrong partition, or messages out of turn. It follows from the order of
// the records alone, so it is known before any worker reads them. One thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "state/rows/digest.h"
#include "topics/log.h"
#include "topics/record/job_decoder.h"

namespace penstock::simulation {

// When all faults are over its bulk ends, and when that has been forgotten comes another one of the
// id.
inline constexpr std::string_view kTwinAccount = "twin";

struct Bulk;

// One identity, with what has become of it so far.
struct Job {
  std::string account, id, type;
  Digest digest;
  PartitionId partition = 0;
  Offset offset;  // its place in the order of admission
  Instant appended{};
  std::optional<Time> run_at, expires_at;
  bool plain = true;  // no time, no expiry, no command
  int repeats = 0;    // records that repeat it
  int reruns = 0;     // `retry` commands
  bool rescheduled = false;
  bool commanded = false;  // a command of any kind names it
  std::optional<std::int64_t>
      cancelled_in;            // the epoch whose honoured commit took its cancel, or delete
  bool deleted = false;        // an honoured commit has taken its delete
  bool kept = false;           // it had a row after its last end
  int ends = 0;                // in the honoured history
  std::int64_t ended_in = -1;  // the last end's epoch
  Time ended_at{};
  int starts = 0;
  bool outcome_terminal = false;  // a handler's outcome should have ended it
  int priority = 0;
  std::string bulk_id;     // of a chunk, counted or not
  Bulk* bulk = nullptr;    // that counts it
  int deaths = 0;          // that were told of
  bool buried = false;     // in the honoured history
  std::string unique_key;  // of a type with uniqueness
  Offset ended_by{-1};     // the honoured commit of its last end
  int failures = 0;        // at most: of attempts that may not have counted too
  int failed_attempt = 0;  // the last attempt that failed, and the earliest next start
  Time retry_from{};
};

// As the rules have it: the first chunk says the size, and an index counts once.
struct Bulk {
  std::string account, id;
  std::int64_t size = 0;
  std::map<std::int64_t, Job*> chunks;
  int on_done = 0;  // produced in the honoured history

  [[nodiscard]] bool whole() const { return static_cast<std::int64_t>(chunks.size()) == size; }
};

// "a/b": how a job is named in what is said about it.
[[nodiscard]] std::string name_of(const Job& job);

enum class Taken : std::uint8_t {
  kIgnored,
  kBad,
  kMisrouted,
  kCommand,
  kNotice,
  kSlots,
  kCopy,
  kJob,
  kRepeat
};

struct Input {
  Taken taken = Taken::kIgnored;
  Job* job = nullptr;  // of kJob, kRepeat, and of a command that names a known one
  Op op = Op::kEnqueue;
  Digest copy;                  // of kCopy, and of a command
  bool is_twin = false;         // of kCopy: it is no copy, but has one's identity
  std::optional<Time> run_at;   // of a reschedule
  std::string source, message;  // the penstock-message it came with: source and number
  std::uint64_t number = 0;
  std::uint64_t oldest = 0, last = 0;  // that its sender waits for; that is taken before it
};

class InputModel {
 public:
  explicit InputModel(int partitions) : inputs_(static_cast<std::size_t>(partitions)) {}

  // Reads the next record of a partition's log.
  const Input& read(PartitionId partition, const LogRecord& record, Instant now);

  [[nodiscard]] const Input& at(PartitionId partition, std::int64_t offset) const {
    return inputs_[static_cast<std::size_t>(partition)][static_cast<std::size_t>(offset)];
  }
  [[nodiscard]] std::int64_t size(PartitionId partition) const {
    return static_cast<std::int64_t>(inputs_[static_cast<std::size_t>(partition)].size());
  }
  [[nodiscard]] Job* find(const Digest& digest);
  [[nodiscard]] Job* find(std::string_view account, std::string_view id) {
    return find(identity_digest(account, id));
  }
  // A replay is to make a job of this identity, which is none of the jobs here.
  void expect_copy(const Digest& digest) { copies_.insert(digest); }
  // The jobs of one account in the order of their admission.
  [[nodiscard]] const std::vector<Job*>& line(const std::string& account) {
    return lines_[account];
  }
  [[nodiscard]] std::deque<Job>& jobs() { return jobs_; }
  [[nodiscard]] const std::map<std::pair<std::string, std::string>, Bulk>& bulks() const {
    return bulks_;
  }
  [[nodiscard]] Bulk* find_bulk(const std::string& account, const std::string& id) {
    const auto found = bulks_.find({account, id});
    return found == bulks_.end() ? nullptr : &found->second;
  }
  // Its id is free from now on.
  void forget_bulk(const std::string& account, const std::string& id) {
    forgotten_bulks_.push_back(bulks_.extract({account, id}));
  }
  [[nodiscard]] const auto& forgotten_bulks() const { return forgotten_bulks_; }
  // The jobs of a unique key in the order of their admission.
  [[nodiscard]] const std::vector<Job*>& of_key(const std::string& key) { return keys_[key]; }
  [[nodiscard]] const std::map<std::string, std::vector<Job*>>& keys() const { return keys_; }
  // The last message taken from a source by a partition.
  [[nodiscard]] std::uint64_t watermark(PartitionId partition, const std::string& source) {
    return watermarks_[{partition, source}];
  }

 private:
  Input classify(PartitionId partition, const LogRecord& record, Instant now);
  void admit(Input& input, PartitionId partition, Offset offset, const JobRecord& record,
             std::string_view id, Instant now);
  void note_key(Job& job, std::string_view args);
  void count_chunk(Job& job, const BulkRef& chunk);
  void command(Input& input, const JobRecord& record);
  void notice(Input& input, const LogRecord& record);

  JobDecoder decoder_;
  std::vector<std::vector<Input>> inputs_;
  std::deque<Job> jobs_;
  std::map<Digest, Job*> by_digest_;
  std::set<Digest> copies_;
  std::map<std::string, std::vector<Job*>> lines_;
  std::map<std::string, std::vector<Job*>> keys_;  // by unique key
  using Bulks = std::map<std::pair<std::string, std::string>, Bulk>;
  Bulks bulks_;  // by account and id
  std::vector<Bulks::node_type> forgotten_bulks_;
  std::map<std::pair<PartitionId, std::string>, std::uint64_t> watermarks_;
};

}  // namespace penstock::simulation
