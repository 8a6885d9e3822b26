// What operators do with replays: each is a record of the control topic, which the owners of the
// partitions carry out and report into (consumer/replay/replay_record.h). For the command line and
// HTTP alike.
//
// Every function blocks for a bounded time and needs Kafka alone, no worker. May be used from any
// thread; each call has a session of its own.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/operate/replay_ranges.h"
#include "consumer/policy/policy.h"
#include "topics/log.h"

namespace penstock {

struct ReplayView {
  ReplayTarget target;
  ReplayRecord record;
  Control::ReplayReports reports;
  ReplayTotals totals;
  bool made = false;  // by this call
};

enum class ReplayChange : std::uint8_t { kPause, kResume, kCancel };

// Why a call did nothing.
struct ReplayProblem {
  enum class Kind : std::uint8_t {
    kNotFound,     // there is no such replay
    kConflict,     // there is, but not like that
    kBad,          // what was asked for makes no sense; `member` is at fault, as a JSON pointer
                   // (or "queue" or "id", which are no members of the terms)
    kUnavailable,  // Kafka does not answer
  };
  Kind kind;
  std::string message;
  std::string member = {};
};
template <typename T>
using ReplayAnswer = tl::expected<T, ReplayProblem>;

class ReplayDesk {
 public:
  static constexpr std::size_t kMaxReplays = 1'000;  // per queue; deleted ones do not count

  // `queues`: those of the config, all of one prefix. None: any queue may be named, and its topic
  // says how many partitions it has.
  ReplayDesk(Log& log, std::string prefix, std::vector<QueuePolicy> queues)
      : log_(log), prefix_(std::move(prefix)), queues_(std::move(queues)) {}

  // A replay that exists with the same terms is shown; one with others is a conflict. Of several
  // starts at the same moment, one makes the replay, and the others find it.
  [[nodiscard]] ReplayAnswer<ReplayView> start(const ReplayTarget& target, const ReplayTerms& terms,
                                               const std::string& by, Time now);
  [[nodiscard]] ReplayAnswer<ReplayView> show(const ReplayTarget& target);
  // Of one queue or, if it is empty, of all.
  [[nodiscard]] ReplayAnswer<std::vector<ReplayView>> list(const std::string& queue);
  // One that is in that state already is shown.
  [[nodiscard]] ReplayAnswer<ReplayView> change(const ReplayTarget& target, ReplayChange change,
                                                const std::string& by, Time now);
  // Only one that has finished, or was cancelled and has no copies left. Waits so long for the
  // partitions to say so, or to say anything at all.
  static constexpr std::chrono::milliseconds kPatience{5'000};
  [[nodiscard]] ReplayAnswer<ReplayView> remove(const ReplayTarget& target,
                                                std::chrono::milliseconds patience = kPatience);

  // What a replay with these terms would read, resolved now.
  [[nodiscard]] ReplayAnswer<ReplayRanges> ranges(const std::string& queue,
                                                  const ReplayTerms& terms);
  // The topic that it would read.
  [[nodiscard]] std::string source(const std::string& queue, const ReplayTerms& terms) const;
  [[nodiscard]] Log& log() const { return log_; }
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  // An error if the config has queues, but not this one.
  [[nodiscard]] std::optional<ReplayProblem> check_queue(const std::string& queue) const;

 private:
  [[nodiscard]] const QueuePolicy* find(const std::string& queue) const;
  [[nodiscard]] std::optional<ReplayProblem> check(const std::string& queue,
                                                   const ReplayTerms& terms) const;
  [[nodiscard]] ReplayAnswer<Control> read() const;
  [[nodiscard]] std::optional<ReplayProblem> put(const ReplayTarget& target,
                                                 const std::optional<ReplayRecord>& record) const;
  // After `record` was put: whether it counts, as far as the control topic says from `before` on.
  // Otherwise, restores the one that does.
  [[nodiscard]] ReplayAnswer<ReplayView> settle(const ReplayTarget& target,
                                                const ReplayRecord& record, Offset before) const;
  [[nodiscard]] std::optional<ReplayProblem> remove_reports(
      const ReplayTarget& target, const Control::ReplayReports& reports) const;

  Log& log_;
  const std::string prefix_;
  const std::vector<QueuePolicy> queues_;
};

// As far as the control topic was read.
[[nodiscard]] ReplayAnswer<ReplayView> find_replay(const Control& control,
                                                   const ReplayTarget& target);

// {"id","queue","state","reason",...}, as docs/replay.md has it. With `partitions`, of each too.
[[nodiscard]] nlohmann::ordered_json to_json(const ReplayView& view, Time now, bool partitions);

}  // namespace penstock
