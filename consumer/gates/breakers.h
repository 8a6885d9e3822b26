// The circuit breakers of one partition: one for each type and account whose last attempt failed. A
// healthy type has none, and where no policy asks for one nothing is looked up.
//
// What always holds: what the row of one does not tell is less than half of a count
// (consumer/gates/breaker.h); rows are erased when the breaker is closed, or forgotten.
#pragma once

#include <absl/container/btree_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/gates/breaker.h"
#include "consumer/job/handler.h"
#include "consumer/job/live_job.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/condition.h"
#include "state/store/view.h"

namespace penstock {

class Breakers final : public Condition {
 public:
  // At this many the failures of a further type and account are not counted until others are
  // forgotten; how many these were is.
  static constexpr std::size_t kMost = 1 << 16;
  static constexpr std::size_t kLookedAtPerStep = 1000;

  Breakers(View& view, const Time& now) : view_(view), now_(now) {}

  // From the rows, so many per call, from the key `from` on (empty: the first), where the next call
  // goes on; those of types that have no breaker any more are erased. Returns whether there are
  // more.
  [[nodiscard]] bool restore_some(const TypeTable& types, std::string& from, std::size_t max_rows);

  // The breaker that holds this job back; null: it may pass.
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  void started(LiveJob* job) override;
  // Of a batch, so many `items` have an outcome of their own or the attempt's. Returns the breaker
  // at which others may have room now, if any.
  [[nodiscard]] Breaker* ended(const LiveJob& job, const OutcomeValue& outcome,
                               const ItemOutcomes& items, std::size_t batch_size);

  // Forgets those of which nothing is left, looking at a bounded number.
  void forget_idle();
  // Writes what must not be forgotten, for the commit that is being built.
  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }
  [[nodiscard]] std::size_t size() const { return breakers_.size(); }
  // Attempts that failed without being counted by a breaker.
  [[nodiscard]] std::uint64_t uncounted() const { return uncounted_; }

 private:
  using ByKey = absl::btree_map<std::string, std::unique_ptr<Breaker>>;  // by its row's key

  [[nodiscard]] bool restore_row(const TypeTable& types, std::string_view key,
                                 std::string_view row);
  [[nodiscard]] Breaker* find(const LiveJob& job);
  void list(const LiveJob& job, Breaker& breaker);

  View& view_;
  const Time& now_;
  ByKey breakers_;
  std::vector<std::string> unsaved_;  // keys
  std::size_t unsaved_bytes_ = 0;
  std::string looked_to_;  // where forgetting goes on
  std::uint64_t uncounted_ = 0;
};

}  // namespace penstock
