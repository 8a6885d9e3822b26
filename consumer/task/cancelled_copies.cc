#include "consumer/task/cancelled_copies.h"

#include <utility>
#include <vector>

namespace penstock {

void CancelledCopies::step(Now now) {
  if (!core_.replays.has_unwanted() || core_.now < next_look_ || !core_.has_room()) return;
  std::vector<Waiting> found;
  JobWalk::Piece piece;
  piece.after = after_;
  piece.containing = {std::string(kCopyPrefix)};
  piece.ended = false;
  auto after = parts_.walk.walk(piece, now, [&](const JobInfo& info) {
    if (core_.replays.is_cancelled(info.row)) found.push_back({info.row.account, info.row.id});
    return true;
  });
  after_ = std::move(after).value_or("");
  if (after_.empty()) next_look_ = core_.now + kLookAgain;
  for (const Waiting& copy : found) end(copy);
}

void CancelledCopies::end(const Waiting& copy) {
  LiveJob* const job = parts_.placement.take(copy.account, copy.id);
  // One that runs goes on: what it does cannot be undone.
  if (!job || job->running) return;
  if (is_terminal(job->row.state)) return core_.store.release(job);
  parts_.endings.end(job, JobState::kCancelled, kCancelledReplay);
}

std::optional<Time> CancelledCopies::next_time() const {
  if (!core_.replays.has_unwanted()) return std::nullopt;
  return after_.empty() ? next_look_ : Time{};
}

}  // namespace penstock
