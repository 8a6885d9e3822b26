#include "consumer/limits/shared_limit.h"

#include <algorithm>
#include <utility>

#include "consumer/schedule/lines/lines.h"
#include "state/rows/encoding.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

// What the line could start at once, if all slots were free.
int could_start(const Line& line, int account_concurrency) {
  const int place = account_concurrency - static_cast<int>(line.flow->running.size());
  const int jobs =
      line.more ? place : static_cast<int>(std::min<std::size_t>(line.jobs.size(), kMaxSlots));
  return std::max(1, std::min(place, jobs));
}

}  // namespace

// -- As a gate

// A rate alone has no slots that could be short, so the lack of an allotment is a case of its own.
std::int64_t SharedLimit::room() const { return target_.slots == 0 ? 0 : Limit::room(); }

std::optional<Time> SharedLimit::opens_at() const {
  return target_.slots == 0 ? std::nullopt : Limit::opens_at();
}

std::optional<int> SharedLimit::slots() const {
  if (!in_force().slots) return std::nullopt;
  if (is_lowered()) return slots_of_lowered(target_.slots, target_.of, *in_force().slots);
  return std::min(target_.slots, *in_force().slots);
}

bool SharedLimit::is_lowered() const { return in_force().slots && *in_force().slots < target_.of; }

// A part of the rate is a longer period, rounded up. The burst is at least 1, or nothing would
// start.
std::optional<Gcra> SharedLimit::pace() const {
  if (!in_force().rate || target_.slots == 0) return Limit::pace();
  const std::int64_t of = std::max(target_.of, target_.slots), slots = target_.slots;
  const std::int64_t period = (in_force().rate->period.count() * of + slots - 1) / slots;
  const std::int64_t burst = std::max<std::int64_t>(1, in_force().burst * slots / of);
  return Gcra(in_force().rate->count, std::min(Duration(period), Gcra::kMaxPeriod),
              static_cast<int>(burst));
}

void SharedLimit::take(std::uint64_t attempt, std::string_view job) {
  Limit::take(attempt, job);
  most_used_ = std::max(most_used_, static_cast<int>(used()));
  changed(nullptr);
}

void SharedLimit::release(std::uint64_t attempt) {
  Limit::release(attempt);
  changed(nullptr);
}

void SharedLimit::set(const Control* control) {
  Limit::set(control);
  changed(nullptr);
}

bool SharedLimit::ask(const LimitPolicy& policy) {
  // The first job of this tenure replaces what a row or another process had said.
  if (std::exchange(asked_for_, true)) return Limit::ask(policy);
  ask_anew(policy);
  return true;
}

bool SharedLimit::idle() const {
  return Limit::idle() && target_.slots == 0 && behind == 0 && demand_ == 0 && !is_touched &&
         told_.demand == 0 && told_.version == target_.version;
}

std::string SharedLimit::what() const {
  const std::string limit = "the limit \"" + name() + "\"";
  if (in_force().slots == 0) return limit + ", which is set to 0 slots";
  if (const auto at = opens_at()) {
    return limit + ", whose rate of " + rate_text(*in_force().rate) +
           " for all partitions lets the next one start here at " + format_rfc3339(*at);
  }
  const std::string all = in_force().slots ? std::to_string(*in_force().slots) + " slots" : "rate";
  if (is_lowered()) {
    return limit + ", which was lowered to " + all + ": " + std::to_string(used()) + " of the " +
           std::to_string(*slots()) +
           " that this partition has until they are divided anew are in use" + holders_text();
  }
  if (target_.slots == 0)
    return limit + ": none of its " + all + " is allotted to this partition; who holds them is " +
           "known to the partitions that have some";
  return limit + ": " + std::to_string(used()) + " of the " + std::to_string(target_.slots) +
         " slots that this partition has of its " + all + " are in use" + holders_text();
}

// -- With its owner

bool SharedLimit::set_target(const SlotTarget& target) {
  if (target.version <= target_.version) return false;
  target_ = target;
  changed(nullptr);
  return true;
}

// A halted limit keeps its demand, so that slots come as soon as it is no longer 0.
int SharedLimit::cap() const {
  int slots = slots_to_allot(in_force());
  if (slots == 0) slots = slots_to_allot(configured());
  return std::max(1, slots);
}

int SharedLimit::wanted(int account_concurrency) const {
  const int most = cap();
  if (in_force().rate) {
    const bool waits = waiting() > 0 || promised() > 0;
    // Delayed by the rate: it asks for all, so that the rate is split evenly between such
    // partitions.
    if (waits && (!in_force().slots || opens_at())) return most;
    if (!in_force().slots) return most_used_ > 0 || behind > 0 ? demand_ : 0;
  }
  std::int64_t wanted = promised() + behind + static_cast<std::int64_t>(used());
  for (const Line* const line : waiting_lines()) {
    if (wanted >= most) break;
    wanted += could_start(*line, account_concurrency);
  }
  return static_cast<int>(std::min<std::int64_t>(wanted, most));
}

void SharedLimit::declare(int wanted, Time now) {
  look_at_.reset();
  if (wanted >= demand_) {
    lower_at_.reset();
    if (wanted > demand_) raise(wanted, now);
  } else {
    lower(wanted, now);
  }
}

void SharedLimit::raise(int wanted, Time now) {
  // The first demand at once, further ones in steps: not every job that comes sends a report.
  if (demand_ > 0 && now < raised_at_ + kRaiseGap) {
    look_at_ = raised_at_ + kRaiseGap;
    return;
  }
  demand_ = wanted;
  raised_at_ = now;
}

void SharedLimit::lower(int wanted, Time now) {
  // Demand falls to the most that was wanted since it began to fall, so that work that comes and
  // goes sends no reports.
  peak_ = lower_at_ ? std::max(peak_, wanted) : wanted;
  const Duration after = in_force().rate ? kLowerRateAfter : kLowerAfter;
  if (!lower_at_) lower_at_ = now + after;
  if (*lower_at_ <= now) {
    demand_ = peak_;
    peak_ = wanted;
    lower_at_.reset();
    if (wanted < demand_) lower_at_ = now + after;
  }
  look_at_ = lower_at_;
}

std::optional<SlotReport> SharedLimit::settle(Time now, int account_concurrency, bool leaving) {
  const int used_now = static_cast<int>(used());
  if (leaving) {
    look_at_.reset();
    // As long as an attempt runs it needs its slot; the last one's end sets demand to 0.
    if (used_now == 0) demand_ = 0;
  } else {
    // Attempts that have started and ended since the last call needed their slots, too.
    const int busy = in_force().slots ? std::min(cap(), most_used_) : 0;
    const int uses = wanted(account_concurrency);
    declare(std::max(busy, uses), now);
    const bool ended = in_force().slots ? busy > uses : most_used_ > used_now;
    if (ended && !look_at_) look_at_ = now + kRaiseGap;  // attempts have ended: is that all?
  }
  most_used_ = used_now;
  // A target is answered when it is kept: the answer lets the owner give the slots to others.
  if (used_now > target_.slots && in_force().slots) return std::nullopt;
  // From here on nothing starts beyond what the report says is kept.
  target_.slots = std::min(target_.slots, std::max(demand_, used_now));
  Told says{target_.version, demand_, asked_for_ ? written() : told_.written,
            asked_for_ ? to_json(configured()) : told_.limit};
  // Without demand, what the configuration says concerns nobody, and is not worth a report.
  if (says == told_ ||
      (demand_ == 0 && says.demand == told_.demand && says.version == told_.version)) {
    return std::nullopt;
  }
  told_ = std::move(says);
  SlotReport report{{}, target_.version, demand_, target_.slots, {}};
  if (asked_for_) report.said = SaidLimit{written(), configured()};
  return report;
}

// -- Rows

std::string SharedLimit::encode() const {
  std::string row = "1";
  put_u64(row, target_.version);
  put_varint(row, static_cast<std::uint64_t>(target_.slots));
  put_varint(row, static_cast<std::uint64_t>(target_.of));
  put_u64(row, told_.version);
  put_varint(row, static_cast<std::uint64_t>(told_.demand));
  put_text(row, told_.written);
  put_text(row, told_.limit);
  return row;
}

namespace {

struct ShareRow {
  SlotTarget target;
  std::uint64_t told_version;
  int told_demand;
  std::string_view written, told;
};

ShareRow decode_share(std::string_view bytes) {
  Cursor cursor(bytes);
  ShareRow row{};
  cursor.u8();
  row.target.version = cursor.u64();
  row.target.slots = static_cast<int>(cursor.varint());
  row.target.of = static_cast<int>(cursor.varint());
  row.told_version = cursor.u64();
  row.told_demand = static_cast<int>(cursor.varint());
  row.written = cursor.text();
  row.told = cursor.text();
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a row of a share follows its grammar");
  return row;
}

}  // namespace

void SharedLimit::restore(std::string_view bytes) {
  const ShareRow row = decode_share(bytes);
  target_ = row.target;
  told_ = {row.told_version, row.told_demand, std::string(row.written), std::string(row.told)};
  // What the owner counts with until it receives another report.
  demand_ = row.told_demand;
  has_row = true;
}

LimitPolicy SharedLimit::policy_of(std::string_view name, std::string_view bytes) {
  const ShareRow row = decode_share(bytes);
  auto parsed = parse_limit_name(row.written);
  // No slots if nothing was told: the first job that asks brings what the configuration says.
  const LimitOverride limit = parse_limit_override(row.told).value_or(LimitOverride{.slots = 0});
  return {parsed ? *parsed : LimitName{std::string(name), {}}, limit.slots, limit.rate,
          limit.burst};
}

}  // namespace penstock
