#include "api/gateway/job_wait.h"

#include <algorithm>
#include <utility>

#include "consumer/policy/duration.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::string_view kFoldedInto = "folded into \"";

tl::unexpected<Problem> bad(const char* member, std::string detail) {
  return tl::unexpected(
      Problem{.detail = std::move(detail), .member = member, .kind = "bad-parameter"});
}

}  // namespace

tl::expected<AskedWait, Problem> AskedWait::of(const ApiRequest& request) {
  AskedWait asked;
  const std::string_view wait = request.parameter("wait"), timeout = request.parameter("timeout");
  if (wait == "admitted") {
    asked.what = For::kAdmission;
  } else if (wait == "ended") {
    asked.what = For::kEnd;
  } else if (request.parameters.contains("wait")) {
    return bad("wait", "found wait=" + std::string(wait) + ", expected admitted or ended");
  }
  if (!request.parameters.contains("timeout")) return asked;
  if (asked.what == For::kNothing)
    return bad("timeout", "a timeout is for a wait: give wait=admitted or wait=ended as well");
  const auto duration = parse_duration(timeout);
  if (!duration) return bad("timeout", duration.error().message);
  if (*duration < Duration{1} || *duration > kMaxWait)
    return bad("timeout", "found timeout=" + std::string(timeout) + ", expected 1ms to 60s");
  asked.timeout = *duration;
  return asked;
}

WaitedState waited_state(const JobIdentity& job, const WatchedChange& change) {
  WaitedState state{
      .state = std::string(to_string(change.event)), .duplicate_of = {}, .reason = change.reason};
  if (change.event != EventKind::kDuplicate) return state;
  const std::string_view reason = change.reason;
  // A job that was folded names the other one; otherwise it repeats its own identity.
  state.duplicate_of =
      reason.starts_with(kFoldedInto)
          ? reason.substr(kFoldedInto.size(), reason.size() - kFoldedInto.size() - 1)
          : std::string_view(job.id);
  return state;
}

JobWait::JobWait(std::vector<JobIdentity> jobs, const AskedWait& asked)
    : jobs_(std::move(jobs)),
      asked_(asked),
      offsets_(jobs_.size()),
      watched_(jobs_.size(), true),
      board_(std::make_shared<WatchBoard>(jobs_.size())) {}

tl::expected<JobWait, SourceError> JobWait::begin(Source& source, const std::string& queue,
                                                  const std::vector<JobIdentity>& jobs,
                                                  const AskedWait& asked) {
  JobWait wait(jobs, asked);
  const auto not_watched = source.watch(queue, jobs, wait.board_);
  if (!not_watched) return tl::unexpected(not_watched.error());
  for (const std::size_t number : *not_watched) wait.watched_[number] = false;
  return wait;
}

// The change that answers the wait for this job.
const WatchedChange* JobWait::decisive(std::size_t number,
                                       const std::vector<WatchedChange>& changes) const {
  for (const WatchedChange& change : changes) {
    if (change.offset != *offsets_[number]) continue;
    if (asked_.what == AskedWait::For::kAdmission || is_terminal(change.event)) return &change;
  }
  return nullptr;
}

bool JobWait::enough(const WatchBoard::Changes& changes) const {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (watched_[i] && offsets_[i] && decisive(i, changes[i]) == nullptr) return false;
  }
  return true;
}

std::vector<WaitedState> JobWait::wait(const std::function<bool()>& stopped) {
  const auto end = std::chrono::steady_clock::now() + asked_.timeout;
  for (auto now = end - asked_.timeout; now < end && !stopped();
       now = std::chrono::steady_clock::now()) {
    // In short waits, so that a stop is noticed.
    const auto until = std::min(end, now + kLookEvery);
    if (board_->wait(until, [this](const auto& changes) { return enough(changes); })) break;
  }
  const WatchBoard::Changes changes = board_->changes();
  std::vector<WaitedState> states(jobs_.size());
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (!offsets_[i]) continue;
    const WatchedChange* change = decisive(i, changes[i]);
    // Of a job whose end did not come in time, at least its admission is known.
    for (auto at = changes[i].begin(); change == nullptr && at != changes[i].end(); ++at) {
      if (at->offset == *offsets_[i]) change = &*at;
    }
    if (change != nullptr) states[i] = waited_state(jobs_[i], *change);
  }
  return states;
}

}  // namespace penstock
