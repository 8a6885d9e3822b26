#include "topics/simulated/network/host.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

using simulated::Nanos;

constexpr Nanos kReconnectsWithin = std::chrono::milliseconds(200);
constexpr std::int64_t kMillion = 1'000'000;

}  // namespace

SimulatedHost::SimulatedHost(simulated::World& world, std::size_t index, std::int64_t rate_ppm,
                             Instant booted)
    : world_(&world), index_(index), rate_ppm_(rate_ppm), booted_(booted) {}

Now SimulatedHost::now() const {
  const Nanos passed = world_->now().time_since_epoch();
  const Nanos local = passed + Nanos(passed.count() / kMillion * rate_ppm_);
  return {world_->options().first_time + std::chrono::duration_cast<Duration>(local),
          booted_ + local};
}

Nanos SimulatedHost::true_time(Nanos local) const {
  // Close enough to the inverse of now(): the error is the square of the rate, at most 0.01 %.
  return local - Nanos(local.count() / kMillion * rate_ppm_);
}

void SimulatedHost::after(Nanos delay, std::function<void()> what) {
  world_->timeline().after(true_time(delay),
                           [this, life = lives_, what = std::move(what)]() mutable {
                             if (life == lives_) run(std::move(what));
                           });
}

void SimulatedHost::run(std::function<void()> what) {
  if (!up_) return;
  if (paused_) return held_.push_back(std::move(what));
  what();
}

void SimulatedHost::crash() {
  if (!up_) return;
  up_ = paused_ = false;
  ++lives_;
  held_.clear();
  // Before the driver hears of the crash, because it then destroys the sessions.
  for (HostedSession* session : all_sessions()) session->end();
  if (events_.crashed) events_.crashed();
}

void SimulatedHost::restart() {
  if (up_) return;
  up_ = true;
  if (events_.restarted) events_.restarted();
}

void SimulatedHost::pause() {
  if (!up_ || paused_) return;
  paused_ = true;
  ++pauses_;
  if (events_.paused) events_.paused();
}

void SimulatedHost::resume() {
  if (!paused_) return;
  paused_ = false;
  if (events_.resumed) events_.resumed();
  auto held = std::exchange(held_, {});
  for (auto& what : held) run(std::move(what));  // one of them may pause the host again
}

void SimulatedHost::cut_data(Instant until) {
  data_cut_until_ = std::max(data_cut_until_, until);
  world_->timeline().after(kNoticesCutAfter, [this] { notice_cut(); });
}

void SimulatedHost::cut_group(Instant until) {
  group_cut_until_ = std::max(group_cut_until_, until);
}

void SimulatedHost::heal() {
  data_cut_until_ = group_cut_until_ = world_->now();
  // The timer that is under way waits for the end that the cut would have had.
  if (notices_cut_) notice_heal();
}

void SimulatedHost::notice_cut() {
  if (world_->now() >= data_cut_until_ || notices_cut_) return;
  notices_cut_ = true;
  run([this] { tell(false); });
  notice_heal();
}

void SimulatedHost::notice_heal() {
  const Nanos reconnecting = world_->random().between(Nanos{0}, kReconnectsWithin);
  world_->timeline().at(data_cut_until_ + reconnecting, [this] {
    // A timer of another call may have been first; the cut may also have been extended meanwhile.
    if (!notices_cut_) return;
    if (data_cut_until_ > world_->now()) return notice_heal();
    notices_cut_ = false;
    run([this] { tell(true); });
  });
}

void SimulatedHost::tell(bool connected) {
  for (HostedSession* session : all_sessions()) session->connection(connected);
}

std::vector<HostedSession*> SimulatedHost::all_sessions() const {
  std::vector<HostedSession*> all;
  for (const auto& [number, session] : sessions_) all.push_back(session);
  return all;
}

}  // namespace penstock
