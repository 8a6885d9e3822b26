#include "consumer/loop/watch/job_watches.h"

#include <algorithm>

namespace penstock {
namespace {

// Changes that nobody waits for.
bool is_between(EventKind event) { return event != EventKind::kAdmitted && !is_terminal(event); }

}  // namespace

bool JobWatches::add(const std::string& account, const std::string& id,
                     const std::shared_ptr<WatchBoard>& board, std::size_t number) {
  if (watches_.size() >= forget_at_) forget_left();
  if (watches_.size() >= kMaxWatches) return false;
  watches_.emplace(Identity(account, id), Watch{board, number});
  return true;
}

// Those whose board is gone.
void JobWatches::forget_left() {
  std::erase_if(watches_, [](const auto& entry) { return entry.second.board.expired(); });
  // As many may come again as are left, so that looking at all of them is rare.
  forget_at_ = std::max<std::size_t>(64, 2 * watches_.size());
}

void JobWatches::changed(const JobChange& change) {
  if (is_between(change.event)) return;
  Identity job(change.row.account, change.row.id);
  if (!watches_.contains(job)) return;
  told_.push_back({change.commit,
                   std::move(job),
                   {change.row.offset, change.event, std::string(change.reason)}});
}

void JobWatches::counted(std::uint64_t seq) {
  while (!told_.empty() && told_.front().commit <= seq) {
    tell(told_.front());
    told_.pop_front();
  }
}

void JobWatches::tell(const Told& told) {
  auto [at, end] = watches_.equal_range(told.job);
  while (at != end) {
    if (const auto board = at->second.board.lock()) {
      board->tell(at->second.number, told.change);
      ++at;
    } else {
      at = watches_.erase(at);
    }
  }
}

void JobWatches::clear() {
  watches_.clear();
  told_.clear();
}

}  // namespace penstock
