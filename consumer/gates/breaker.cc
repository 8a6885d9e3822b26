#include "consumer/gates/breaker.h"

#include <algorithm>

#include "state/rows/encoding.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr int kMinStored = 2;
constexpr int kMaxCounted = 2'000'000'000;

}  // namespace

std::int64_t Breaker::room() const {
  if (!is_open()) return kOpen;
  if (probe_ != 0) return 0;
  return now_ < next_probe_ ? 0 : 1;
}

std::optional<Time> Breaker::opens_at() const {
  if (!is_open() || probe_ != 0 || now_ >= next_probe_) return std::nullopt;
  return next_probe_;
}

std::string Breaker::what() const {
  std::string text = "the breaker of the type \"" + type_ + "\" for the account \"" + account_ +
                     "\": it is open since " + format_rfc3339(opened_at_) + ", after " +
                     std::to_string(failures_) +
                     (failures_ == 1 ? " failure" : " failures in a row");
  if (probe_ != 0) return text + "; \"" + probe_job_ + "\" runs as its probe";
  return text + "; the next probe is at " + format_rfc3339(next_probe_);
}

void Breaker::started(std::uint64_t attempt, std::string_view job) {
  // Closed, every attempt passes, and none of them is a probe.
  if (!is_open()) return;
  probe_ = attempt;
  probe_job_ = job;
  next_probe_ = now_ + policy_.probe;
  changed_ = true;
}

void Breaker::failed(std::uint64_t attempt) {
  failures_ = std::min(failures_ + 1, kMaxCounted);
  last_failure_ = now_;
  if (!is_open()) {
    if (failures_ >= policy_.failures) open_now();
    return;
  }
  changed_ = true;
  // An attempt that began before the breaker opened says nothing about the probe.
  if (attempt != probe_) return;
  probe_ = 0;
  next_probe_ = now_ + policy_.probe;
}

void Breaker::open_now() {
  opened_at_ = now_;
  next_probe_ = now_ + policy_.probe;
  changed_ = true;
}

void Breaker::succeeded() {
  probe_ = 0;
  failures_ = 0;
  opened_at_ = next_probe_ = Time{};
  changed_ = false;
}

void Breaker::undecided(std::uint64_t attempt) {
  // The next probe is due as it was: this one has shown nothing.
  if (attempt == probe_) probe_ = 0;
}

std::optional<std::string> Breaker::row() const {
  if (!is_open() && failures_ < kMinStored) return std::nullopt;
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(failures_));
  put_i64(bytes, to_ms(opened_at_));
  put_i64(bytes, to_ms(next_probe_));
  return bytes;
}

void Breaker::restore(std::string_view row) {
  Cursor cursor(row);
  const std::uint64_t failures = cursor.varint();
  opened_at_ = time_from_ms(cursor.i64());
  next_probe_ = time_from_ms(cursor.i64());
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end() && failures > 0,
                 "a breaker's row follows its grammar");
  failures_ = stored_ = static_cast<int>(std::min<std::uint64_t>(failures, kMaxCounted));
  // Not in the row. A time that is too late only keeps the count for longer.
  last_failure_ = now_;
  // The policy may have changed since, and the row's time may be by another machine's clock.
  if (is_open()) next_probe_ = std::min(next_probe_, now_ + policy_.probe);
}

bool Breaker::outdated() const {
  if (is_open()) return changed_;
  if (failures_ < kMinStored) return stored_ > 0;
  // A row at each doubling tells a new owner more than half of the count, at few writes.
  return failures_ < stored_ || failures_ >= 2 * std::max(stored_, 1);
}

void Breaker::saved() {
  stored_ = row() ? failures_ : 0;
  changed_ = false;
}

bool Breaker::idle() const {
  if (!unused() || timer.number != 0 || probe_ != 0 || listed) return false;
  if (failures_ == 0) return true;
  if (is_open()) return now_ >= next_probe_ + std::max(kOpenKept, policy_.probe);
  return now_ >= last_failure_ + std::max(kCountKept, policy_.probe);
}

}  // namespace penstock
