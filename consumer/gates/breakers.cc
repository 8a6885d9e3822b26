#include "consumer/gates/breakers.h"

#include <algorithm>

#include "consumer/policy/retry.h"
#include "consumer/schedule/forget_some.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

constexpr std::size_t kMaxRowBytes = 32;

enum class Verdict : std::uint8_t { kUndecided, kFailed, kSucceeded };  // the later goes first

// A failure that the policy discards is the fault of the job, and says nothing about what the type
// depends on.
Verdict verdict_of(const OutcomeValue& outcome, const RetryPolicy& policy) {
  if (std::holds_alternative<Done>(outcome) || std::holds_alternative<NextIteration>(outcome)) {
    return Verdict::kSucceeded;
  }
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  return failed && !discard_reason(policy, failed->error_class) ? Verdict::kFailed
                                                                : Verdict::kUndecided;
}

// In a batch, an item that succeeded shows that what the type depends on works.
Verdict verdict_of(const OutcomeValue& outcome, const ItemOutcomes& items, std::size_t batch_size,
                   const RetryPolicy& policy) {
  if (items.empty()) return verdict_of(outcome, policy);
  Verdict all = Verdict::kUndecided;
  for (std::size_t i = 0; i < batch_size; ++i) {
    const bool own = i < items.size() && items[i];
    all = std::max(all, verdict_of(own ? *items[i] : outcome, policy));
  }
  return all;
}

std::string key_of(const LiveJob& job) { return keys::breaker(job.row.account, job.row.type); }

}  // namespace

bool Breakers::restore_some(const TypeTable& types, std::string& from, std::size_t max_rows) {
  std::vector<std::string> over;
  const std::string all(1, keys::kBreaker);
  bool more = false;
  view_.scan(from.empty() ? all : from, keys::after_prefix(all),
             [&](std::string_view key, std::string_view row) {
               more = max_rows-- == 0;
               if (more) {
                 from = key;
                 return false;
               }
               if (!restore_row(types, key, row)) over.emplace_back(key);
               return true;
             });
  for (const std::string& key : over) view_.erase(key);
  return more;
}

// False: the type has no breaker any more.
bool Breakers::restore_row(const TypeTable& types, std::string_view key, std::string_view row) {
  const keys::BreakerKey names = keys::parse_breaker(key);
  const TypeRuntime* const type = types.find(names.type);
  if (!type || !type->policy.retry.breaker) return false;
  auto breaker =
      std::make_unique<Breaker>(names.type, names.account, *type->policy.retry.breaker, now_);
  breaker->restore(row);
  breakers_.insert_or_assign(std::string(key), std::move(breaker));
  return true;
}

Breaker* Breakers::find(const LiveJob& job) {
  if (breakers_.empty() || !job.type->policy.retry.breaker) return nullptr;
  const auto found = breakers_.find(key_of(job));
  return found == breakers_.end() ? nullptr : found->second.get();
}

Gate* Breakers::closed(LiveJob* job, const Line& line) {
  Breaker* const breaker = find(*job);
  return breaker && !breaker->admits(line) ? breaker : nullptr;
}

void Breakers::started(LiveJob* job) {
  Breaker* const breaker = find(*job);
  if (!breaker) return;
  breaker->started(job->token.number, job->row.id);
  list(*job, *breaker);
}

Breaker* Breakers::ended(const LiveJob& job, const OutcomeValue& outcome, const ItemOutcomes& items,
                         std::size_t batch_size) {
  const RetryPolicy& policy = job.type->policy.retry;
  if (!policy.breaker) return nullptr;
  Breaker* breaker = find(job);
  const Verdict verdict = verdict_of(outcome, items, batch_size, policy);
  if (!breaker) {
    // A healthy type has no breaker.
    if (verdict != Verdict::kFailed) return nullptr;
    // No breaker can count the failure, so a metric does.
    if (breakers_.size() >= kMost) {
      ++uncounted_;
      return nullptr;
    }
    auto made = std::make_unique<Breaker>(job.row.type, job.row.account, *policy.breaker, now_);
    breaker = breakers_.emplace(key_of(job), std::move(made)).first->second.get();
  }
  switch (verdict) {
    case Verdict::kFailed:
      breaker->failed(job.token.number);
      break;
    case Verdict::kSucceeded:
      breaker->succeeded();
      break;
    case Verdict::kUndecided:
      breaker->undecided(job.token.number);
      break;
  }
  list(job, *breaker);
  if (verdict == Verdict::kSucceeded && !breaker->has_row() && breaker->idle()) {
    // Most breakers count one failure and then a success.
    breakers_.erase(key_of(job));
    return nullptr;
  }
  return breaker;
}

void Breakers::list(const LiveJob& job, Breaker& breaker) {
  if (breaker.listed || !breaker.outdated()) return;
  breaker.listed = true;
  unsaved_.push_back(key_of(job));
  unsaved_bytes_ += unsaved_.back().size() + kMaxRowBytes;
}

void Breakers::forget_idle() {
  forget_some(breakers_, looked_to_, kLookedAtPerStep, [this](const auto& entry) {
    const auto& [key, breaker] = entry;
    if (!breaker->idle()) return false;
    if (breaker->has_row()) view_.erase(key);
    return true;
  });
}

void Breakers::save() {
  for (const std::string& key : unsaved_) {
    Breaker& breaker = *breakers_.at(key);
    breaker.listed = false;
    // It may have been closed again since it was listed, before any row told of it.
    if (!breaker.outdated()) continue;
    if (const std::optional<std::string> row = breaker.row()) {
      view_.put(key, *row);
    } else {
      view_.erase(key);
    }
    breaker.saved();
  }
  unsaved_.clear();
  unsaved_bytes_ = 0;
}

}  // namespace penstock
