#include "consumer/loop/partitions/deferred_reports.h"

#include <utility>

namespace penstock {

void DeferredReports::add(HandlerMessage message) {
  if (const auto* made = std::get_if<ProgressMade>(&message)) {
    // Only the newest counts, and one per attempt keeps this bounded.
    progress_.insert_or_assign(made->key.token, ProgressMade{made->key, made->n, made->total});
  } else {
    reports_.push_back(std::move(message));
  }
}

void DeferredReports::clear() {
  reports_.clear();
  progress_.clear();
}

std::optional<HandlerMessage> DeferredReports::take_progress() {
  if (progress_.empty()) return std::nullopt;
  std::optional<HandlerMessage> next(std::move(progress_.begin()->second));
  progress_.erase(progress_.begin());
  return next;
}

std::optional<HandlerMessage> DeferredReports::take_report() {
  if (reports_.empty()) return std::nullopt;
  std::optional<HandlerMessage> next(std::move(reports_.front()));
  reports_.pop_front();
  return next;
}

}  // namespace penstock
