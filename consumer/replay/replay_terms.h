// What an operator asks of a replay: which records, in which way (docs/replay.md). The command
// line, the HTTP interface and the control topic share one JSON form of it:
//
//   terms := {
//     "from": time, "to": time           of the records; with "dead", of the deaths
//     "offsets": {partition: [from, to]} of the queue's topic, `to` excluded or null; not with times
//     "dead": true, "reasons": [reason]  the queue's dead jobs, of these reasons
//     "ids": [id]                        the jobs with these ids
//     "types": [type], "accounts": [account], "where": {pointer: value}
//     "rate": "100/s", "concurrency": n, "max_dead": "1%", "to_queue": queue,
//     "through": [program, argument...], "keep_expiry": true }
//
// All members are optional; none means every job of the queue's topic. Times are RFC 3339 texts or
// milliseconds since 1970, and `to` is excluded. Two replays have the same terms exactly if to_json()
// gives the same text. Values; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/policy/rate.h"
#include "topics/json/json_pointer.h"
#include "topics/record/dead_letter.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxReplayNameBytes = 64;
// A replay is one record of the control topic, which accepts no larger ones.
inline constexpr std::size_t kMaxReplayBytes = 800 << 10;
inline constexpr int kMaxReplayConcurrency = 1'000'000;

struct ReplayTerms {
  // Of the records that are read, `to` excluded; absent: as far as there are any.
  struct Offsets {
    Offset from{0};
    std::optional<Offset> to;
    friend bool operator==(const Offsets&, const Offsets&) = default;
  };
  // An argument that a job must have: the value at the pointer, in canonical JSON.
  struct Where {
    JsonPointer pointer;
    std::string value;
    friend bool operator==(const Where&, const Where&) = default;
  };

  std::optional<Time> from = {}, to = {};
  std::map<PartitionId, Offsets> offsets = {};  // empty: of all partitions
  bool dead = false;
  std::vector<std::string> reasons = {};  // sorted, as all of these lists are
  std::vector<std::string> ids = {}, types = {}, accounts = {};
  std::vector<Where> where = {};
  std::optional<Rate> rate = {};
  std::optional<int> concurrency = {};
  std::optional<double> max_dead = {};  // percent of the copies that have ended
  std::string to_queue = {};
  std::vector<std::string> through = {};  // an absolute path and its arguments
  bool keep_expiry = false;

  friend bool operator==(const ReplayTerms&, const ReplayTerms&) = default;
};

// 1 to kMaxReplayNameBytes of A-Za-z0-9._-
[[nodiscard]] Status check_replay_name(std::string_view name);

// The error names the member at fault, and `at_fault` receives its JSON pointer (empty: the whole
// text).
[[nodiscard]] Result<ReplayTerms> parse_replay_terms(const nlohmann::json& json,
                                                     std::string* at_fault = nullptr);
[[nodiscard]] nlohmann::ordered_json to_json(const ReplayTerms& terms);

// "1%", "0.5%". The message reads: found "x", expected a percentage such as "1%".
[[nodiscard]] Result<double> parse_percentage(std::string_view text);

// The id of the copy of a job with the id `of`: `replay/<name>/<of>`. Where that is longer than an
// id may be, the first bytes of `of`, "~" and its digest stand for it.
[[nodiscard]] std::string copy_id(std::string_view name, std::string_view of);
// The same, into `out`.
void write_copy_id(std::string& out, std::string_view name, std::string_view of);
// What the ids of a replay's copies begin with.
[[nodiscard]] std::string copy_id_prefix(std::string_view name);
inline constexpr std::string_view kCopyPrefix = "replay/";
// Whether it may be one: an ordinary job may have such an id, too.
[[nodiscard]] constexpr bool is_copy_id(std::string_view id) { return id.starts_with(kCopyPrefix); }
// The name of the replay that made the copy of this id.
[[nodiscard]] std::string_view replay_of_copy(std::string_view copy_id);

}  // namespace penstock
