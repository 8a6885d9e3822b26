// Sends dead records back to their queue and counts what became of each. Blocks; used from one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/dead/dead_entry.h"
#include "api/dead/record_sender.h"
#include "api/dead/resend_plan.h"
#include "topics/values/result.h"

namespace penstock {

struct ResendCounts {
  std::uint64_t listed = 0;    // dead records that matched: the sum of the others
  std::uint64_t sent = 0;      // acknowledged by Kafka; in a dry run, what would be sent
  std::uint64_t already = 0;   // not sent, because the queue knows the id and would drop it
  std::uint64_t left_out = 0;  // by the program
  std::map<std::string, std::uint64_t, std::less<>> failed;  // by reason: not sent

  [[nodiscard]] std::uint64_t all_failed() const;
};
// {"listed","sent","already","left_out","failed":{reason: n}}
[[nodiscard]] nlohmann::ordered_json resend_json(const ResendCounts& counts);

// A program's answer for a dead record: a record, nothing (to leave it out), or an error of this
// record alone.
struct Repair {
  std::optional<RepairedRecord> record = {};
  std::string bad = {};  // unless empty: why the answer cannot be used
};

class Resend {
 public:
  struct Parts {
    RecordSender* sender = nullptr;  // null: a dry run, which only counts
    // What the queue has under the account and id.
    std::function<Standing(const std::string& account, const std::string& id)> ask = {};
    // The queue remembers the ids of jobs that ended at this time or later. Empty: unknown.
    std::optional<Time> remembers_from = {};
    // Empty: records are sent as they are. An error ends everything.
    std::function<Result<Repair>(const DeadEntry&)> repair = {};
    // Told of each record that is not sent because of a rule.
    std::function<void(const DeadEntry&, const NotSent&)> on_failed = {};
  };

  explicit Resend(Parts parts) : parts_(std::move(parts)) {}

  // An error: nothing more can be sent (Kafka does not answer, the program has ended).
  [[nodiscard]] Status take(const DeadEntry& entry);
  // Waits until Kafka has acknowledged everything. Call it after an error, too: the counts are
  // right only then.
  [[nodiscard]] Status finish();
  [[nodiscard]] const ResendCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] std::vector<ResendRecord> records(const DeadEntry& entry,
                                                  const Candidate& candidate) const;
  void fail(const DeadEntry& entry, const NotSent& why);

  const Parts parts_;
  ResendPlan plan_;
  ResendCounts counts_;
};

inline constexpr std::string_view kUnansweredReason = "not_acknowledged";

}  // namespace penstock
