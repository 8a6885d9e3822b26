// The circuit breakers of one partition: one for each type and account whose last attempt failed. A
// healthy type has none, and if no policy asks for one, nothing is looked up.
//
// What always holds: what a breaker's row does not tell is less than half of its count
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
  // When there are this many, failures of a further type and account are not counted by a breaker
  // until others are forgotten; uncounted() counts them.
  static constexpr std::size_t kMost = 1 << 16;
  static constexpr std::size_t kLookedAtPerStep = 1000;

  Breakers(View& view, const Time& now) : view_(view), now_(now) {}

  // Restores breakers from their rows: at most `max_rows` per call, from the key `from` on (empty:
  // the first), which is set to where the next call continues. Rows of types that no longer have a
  // breaker are erased. Returns whether there are more.
  [[nodiscard]] bool restore_some(const TypeTable& types, std::string& from, std::size_t max_rows);

  // The breaker that stops this job; null: it may pass.
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  void started(LiveJob* job) override;
  // An attempt has ended. In a batch of `batch_size` items, each has an outcome of its own or the
  // attempt's. Returns the breaker that may have room for others now, if any.
  [[nodiscard]] Breaker* ended(const LiveJob& job, const OutcomeValue& outcome,
                               const ItemOutcomes& items, std::size_t batch_size);

  // Looks at a bounded number of breakers and forgets those of which nothing is left.
  void forget_idle();
  // Writes the rows that are outdated, for the commit that is being built.
  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }
  [[nodiscard]] std::size_t size() const { return breakers_.size(); }
  // All of them, by type and account.
  template <typename Function>
  void each(Function function) const {
    for (const auto& [key, breaker] : breakers_) function(*breaker);
  }
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
