// Answers users' questions about a partition's jobs, above all why a job is not running, from the
// state alone, and changes nothing. Used by the partition's one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/task/core/core.h"
#include "consumer/task/query/oldest_ready.h"

namespace penstock {

// A job as the API shows it.
struct JobInfo {
  JobRow row;
  JobState state;
  int max_attempts = 0;
  std::string why;  // what a live job waits for, one sentence
  Blocker waits;    // the same as a word, and the name of what stands in the way
};

class Queries {
 public:
  explicit Queries(Core& core) : core_(core), oldest_ready_(core) {}

  [[nodiscard]] std::optional<JobInfo> find(std::string_view account, std::string_view id, Now now);
  using JobFunction = std::function<bool(const JobInfo&)>;  // false: enough
  void each_job(Now now, const JobFunction& function);
  // The job with this row, which is in memory as `live` unless that is null.
  // Briefly, `why` may be left out where it takes long to find.
  enum class Detail : std::uint8_t { kFull, kBrief };
  [[nodiscard]] JobInfo describe(const JobRow& row, const LiveJob* live, Now now,
                                 Detail detail = Detail::kFull);

  // Bulks as Bulks::walk() has them, with how many of their chunks run.
  struct BulkProgress {
    Bulks::Progress bulk;
    std::size_t running = 0;
  };
  using BulkFunction = std::function<void(const BulkProgress&)>;
  [[nodiscard]] std::optional<std::string> walk_bulks(const std::string& after,
                                                      std::string_view account, int most,
                                                      const BulkFunction& function);
  [[nodiscard]] static bool is_bulk_key(std::string_view key);

  // The accounts that have rows in line, in the order of their keys. Returns the key behind which
  // the walk continues.
  struct AccountTally {
    std::string account;
    std::uint64_t jobs = 0;  // rows of this piece
    std::size_t running = 0;
  };
  using TallyFunction = std::function<void(const AccountTally&)>;
  [[nodiscard]] std::optional<std::string> tally_accounts(const std::string& after, int max_rows,
                                                          const TallyFunction& function);

  // The breakers that are open or probe, at most so many.
  using BreakerFunction = std::function<void(const Breaker&)>;
  void each_open_breaker(std::size_t most, const BreakerFunction& function) const;

  // The limits that attempts hold or lines wait at, at most so many.
  using LimitFunction = std::function<void(const Limit&)>;
  void each_used_limit(std::size_t most, const LimitFunction& function) const;

  [[nodiscard]] OldestReady& oldest_ready() { return oldest_ready_; }

 private:
  struct Why {
    Blocker waits;
    std::string text;
  };
  [[nodiscard]] Why why(const JobRow& row, JobState state, const LiveJob* live, Now now,
                        Detail detail);
  [[nodiscard]] Why why_in_line(const JobRow& row, const LiveJob* live, Now now, Detail detail);
  [[nodiscard]] Why why_account(const Flow& flow) const;
  [[nodiscard]] std::string why_blocked(const Line& line, const JobRow& row, Now now) const;
  [[nodiscard]] std::optional<Why> first_waits(const Line& line, const JobRow& row) const;
  [[nodiscard]] std::string whose_turn(const Line& line) const;
  [[nodiscard]] std::string jobs_before(const Line& line, const JobRow& row, const LiveJob* live);
  [[nodiscard]] std::size_t rows_before(const Line& line, const std::optional<LinePlace>& place);

  Core& core_;
  OldestReady oldest_ready_;
};

}  // namespace penstock
