// A replay, as the control topic keeps it (consumer/control/control.h has the keys), and what each
// partition reports of it. Values; pure.
//
//   record := {"terms": terms, "ranges": [[from, to], ...], "removed": n, "oldest": ms,
//              "started_at": ms, "started_by": text,
//              "state": "running" | "paused" | "cancelled", "reason": text, "at": ms, "by": text,
//              "resumes": n}
//
// `ranges` has the offsets that the replay reads, by partition of its source, `to` excluded: what
// was there when it started. It never changes, so every owner of a partition reads the same records.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consumer/replay/replay_terms.h"
#include "state/rows/job_row.h"

namespace penstock {

struct ReplayRange {
  Offset from{0}, to{0};

  [[nodiscard]] std::int64_t records() const { return to < from ? 0 : to.value - from.value; }
  friend bool operator==(const ReplayRange&, const ReplayRange&) = default;
};

enum class ReplayState : std::uint8_t { kRunning, kPaused, kCancelled };
[[nodiscard]] std::string_view to_string(ReplayState state);

struct ReplayRecord {
  ReplayTerms terms;
  std::vector<ReplayRange> ranges;  // by partition
  std::int64_t removed = 0;         // records that were asked for and that retention has removed
  Time oldest{};                    // of what was left at the start; zero: nothing was removed
  Time started_at{};
  std::string started_by;
  ReplayState state = ReplayState::kRunning;
  std::string reason;  // why it is paused; empty: an operator asked for it
  Time at{};           // since when it is in this state
  std::string by;
  std::uint64_t resumes = 0;

  [[nodiscard]] std::int64_t records() const;  // in its ranges
  friend bool operator==(const ReplayRecord&, const ReplayRecord&) = default;
};

// Whether the record comes too late: this one of the same replay was said after it. Who says
// something of a replay may not have heard of what another operator has said since.
[[nodiscard]] bool is_outdated(const ReplayRecord& record, const ReplayRecord& known);
[[nodiscard]] std::string to_json_text(const ReplayRecord& record);
[[nodiscard]] Result<ReplayRecord> parse_replay_record(std::string_view json);

// That a partition pauses the replay itself: {"started_at": ms, "resumes": n, "reason": text,
// "at": ms}. A record of its own, so that one that comes late replaces nothing that operators have
// said: it counts for the replay that was started then, until it has been resumed again.
struct ReplayPause {
  Time started_at{};
  std::uint64_t resumes = 0;
  std::string reason;
  Time at{};

  [[nodiscard]] bool counts_for(const ReplayRecord& record) const {
    return record.state == ReplayState::kRunning && started_at == record.started_at &&
           resumes == record.resumes;
  }
};
[[nodiscard]] std::string to_json_text(const ReplayPause& pause);
[[nodiscard]] Result<ReplayPause> parse_replay_pause(std::string_view json);
// By partition; absent: it has paused nothing.
using ReplayPauses = std::vector<std::optional<ReplayPause>>;
// The record, paused if one of these counts for it.
[[nodiscard]] ReplayRecord in_force(ReplayRecord record, const ReplayPauses& pauses);

// Why a record of the range that the filters select, or that has none, is not copied.
enum class LeftOut : std::uint8_t {
  kCommand,    // cancel, retry, and so on
  kBad,        // no job record
  kCopy,       // a copy of this or another replay
  kForwarded,  // a record that was forwarded here: it is copied from where it was first
  kRepeat,     // its id was seen before in the range
  kRefused,    // the filter program answered with null, or with no job record
  kLost,       // removed by retention while the replay ran
};
inline constexpr std::size_t kLeftOutReasons = 7;
[[nodiscard]] std::string_view to_string(LeftOut reason);

// What one partition has done of a replay, or all of them together.
struct ReplayCounts {
  static constexpr std::size_t kEnds = 5;  // the terminal states, by end_of()

  std::int64_t scanned = 0, matched = 0;
  std::array<std::int64_t, kLeftOutReasons> left_out{};
  std::int64_t admitted = 0;  // copies here
  std::int64_t sent = 0;      // copies for another queue
  // Copies of records that were in the wrong partition, and copies that came from such.
  std::int64_t forwarded = 0, received = 0;
  std::array<std::int64_t, kEnds> ended{};

  [[nodiscard]] std::int64_t all_ended() const;
  [[nodiscard]] std::int64_t live() const { return admitted - all_ended(); }
  ReplayCounts& operator+=(const ReplayCounts& other);
  friend bool operator==(const ReplayCounts&, const ReplayCounts&) = default;
};
[[nodiscard]] constexpr std::size_t end_of(JobState terminal) {
  return static_cast<std::size_t>(terminal) - static_cast<std::size_t>(JobState::kSucceeded);
}
[[nodiscard]] std::string_view end_name(std::size_t end);

// A partition's report: {"next": n, "counts": {...}, "running": n, "at": ms, "done": bool,
// "commit": n}. Each replaces the one before; but a report may arrive a second time behind a later
// one, and is to be ignored then.
struct ReplayProgress {
  Offset next{0};
  ReplayCounts counts;
  std::int64_t running = 0;
  Time at{};                 // of the report
  bool done = false;         // the range was read, and every copy has ended
  std::uint64_t commit = 0;  // that it is in, which all owners of the partition count on

  [[nodiscard]] bool is_before(const ReplayProgress& other) const {
    return std::pair(commit, at) < std::pair(other.commit, other.at);
  }

  friend bool operator==(const ReplayProgress&, const ReplayProgress&) = default;
};
[[nodiscard]] std::string to_json_text(const ReplayProgress& progress);
[[nodiscard]] Result<ReplayProgress> parse_replay_progress(std::string_view json);

// The whole replay, from its record and the newest report of each partition.
struct ReplayTotals {
  ReplayCounts counts;
  std::int64_t records = 0;  // in the ranges
  std::int64_t left = 0;     // of them not read yet
  std::int64_t running = 0;
  Time last_report{};
  bool finished = false;

  [[nodiscard]] std::int64_t waiting() const { return counts.live() - running; }
};
// `progress` by partition; absent: none was reported yet.
[[nodiscard]] ReplayTotals totals_of(const ReplayRecord& record,
                                     const std::vector<std::optional<ReplayProgress>>& progress);
// "running", "paused", "cancelled" or "finished".
[[nodiscard]] std::string_view state_name(const ReplayRecord& record, const ReplayTotals& totals);

}  // namespace penstock
