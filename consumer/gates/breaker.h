// The circuit breaker of one type and account (`retry.breaker` of a policy, docs/config.md): after
// a number of failures in a row, it lets one attempt through every `probe`, until one succeeds. It
// is a gate: the lines that it blocks wait here.
//
//   closed --failures in a row--> open --an attempt succeeds--> closed
//   open:  only probes pass, one at a time: the first one `probe` after it opened, the next one
//          `probe` after the last one began, and `probe` after that one failed
//
// What always holds: an attempt that fails counts; one that succeeds (an iteration, too) ends the
// series of failures; any other end changes nothing except that a probe no longer runs. An attempt
// that began before the breaker opened is no probe, but its success closes the breaker.
//
//   row := failures:varint opened_at:i64 next_probe:i64    times in ms since 1970; opened_at is 0
//                                                          while closed
//
// The row is written while the breaker is open, and for a closed one whenever its count has
// doubled, from two on: after a restart more than half of the count is known, and a type that fails
// now and then writes nothing.
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/policy/retry_policy.h"
#include "consumer/schedule/gate.h"

namespace penstock {

class Breaker final : public Gate {
 public:
  // A count is forgotten after this long without a failure (or after `probe`, if that is longer),
  // and an open breaker if no job has come for this long since a probe was due.
  static constexpr Duration kCountKept = std::chrono::hours{1};
  static constexpr Duration kOpenKept = std::chrono::hours{24};

  // `now` is the task's time, which it keeps.
  Breaker(std::string_view type, std::string_view account, const BreakerPolicy& policy,
          const Time& now)
      : type_(type), account_(account), policy_(policy), now_(now) {}

  [[nodiscard]] std::int64_t room() const override;
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] Blocker blocker() const override { return {Waits::kBreaker, type_}; }
  [[nodiscard]] std::optional<Time> opens_at() const override;

  // An attempt starts that the breaker has let through. Each call is followed by one of the others.
  void started(std::uint64_t attempt, std::string_view job);
  void failed(std::uint64_t attempt);
  void succeeded();
  void undecided(std::uint64_t attempt);

  [[nodiscard]] bool is_open() const { return opened_at_ != Time{}; }
  [[nodiscard]] int failures() const { return failures_; }
  // For users. Times of a breaker that is open: since when, and when the next probe may start.
  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] const std::string& account() const { return account_; }
  [[nodiscard]] Time opened_at() const { return opened_at_; }
  [[nodiscard]] Time next_probe() const { return next_probe_; }
  [[nodiscard]] bool probes() const { return probe_ != 0; }

  // What outlives the process; nothing if no row is needed.
  [[nodiscard]] std::optional<std::string> row() const;
  void restore(std::string_view row);
  // Whether the row no longer tells enough.
  [[nodiscard]] bool outdated() const;
  void saved();
  [[nodiscard]] bool has_row() const { return stored_ > 0; }
  bool listed = false;  // among those that the next commit saves

  // Whether nothing is left of it, or nothing that still matters.
  [[nodiscard]] bool idle() const;

 private:
  void open_now();

  std::string type_;
  std::string account_;
  BreakerPolicy policy_;
  const Time& now_;
  int failures_ = 0;
  Time opened_at_{};
  Time next_probe_{};
  Time last_failure_{};
  std::uint64_t probe_ = 0;  // the attempt that runs as such; 0: none
  std::string probe_job_;
  int stored_ = 0;        // failures, as the row has them; 0: there is no row
  bool changed_ = false;  // while open, since it was saved
};

}  // namespace penstock
