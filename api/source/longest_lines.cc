#include "api/source/longest_lines.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

bool longer(const AccountLoad& a, const AccountLoad& b, AccountOrder order) {
  if (order == AccountOrder::kRunning && a.running != b.running) return a.running > b.running;
  return a.jobs != b.jobs ? a.jobs > b.jobs : a.account < b.account;
}

}  // namespace

void LongestLines::add(AccountLoad load) {
  if (open_ && open_->account == load.account) {
    load.jobs += open_->jobs;
  } else {
    close();
  }
  open_ = std::move(load);
}

std::vector<AccountLoad> LongestLines::take() {
  close();
  cut();
  return std::move(kept_);
}

void LongestLines::close() {
  if (open_) kept_.push_back(*std::exchange(open_, std::nullopt));
  // Not after each account, because sorting that often would cost more than it saves.
  if (kept_.size() >= 2 * limit_ + 64) cut();
}

void LongestLines::cut() {
  std::sort(kept_.begin(), kept_.end(),
            [this](const AccountLoad& a, const AccountLoad& b) { return longer(a, b, order_); });
  if (kept_.size() > limit_) kept_.resize(limit_);
}

}  // namespace penstock
