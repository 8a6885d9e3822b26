#include "topics/simulated/host.h"

#include <algorithm>
#include <utility>

#include "topics/simulated/cluster.h"
#include "topics/simulated/session.h"

namespace penstock {
namespace {

using simulated::Nanos;

constexpr Nanos kReconnectsWithin = std::chrono::milliseconds(200);
constexpr std::int64_t kMillion = 1'000'000;

void tell(SimulatedCluster& cluster, const SimulatedHost& host, bool connected) {
  for (SimulatedSession* session : cluster.sessions_of(host)) session->connection(connected);
}

}  // namespace

SimulatedHost::SimulatedHost(SimulatedCluster& cluster, std::size_t index, std::int64_t rate_ppm,
                             Instant booted)
    : cluster_(&cluster), index_(index), rate_ppm_(rate_ppm), booted_(booted) {}

Now SimulatedHost::now() const {
  const Nanos passed = cluster_->now().time_since_epoch();
  const Nanos local = passed + Nanos(passed.count() / kMillion * rate_ppm_);
  return {cluster_->first_time() + std::chrono::duration_cast<Duration>(local), booted_ + local};
}

Nanos SimulatedHost::true_time(Nanos local) const {
  return local - Nanos(local.count() / kMillion * rate_ppm_);
}

void SimulatedHost::after(Nanos delay, std::function<void()> what) {
  cluster_->timeline().after(true_time(delay),
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
  for (SimulatedSession* session : cluster_->sessions_of(*this)) session->end();
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
  cluster_->timeline().after(kNoticesCutAfter, [this] { notice_cut(); });
}

void SimulatedHost::cut_group(Instant until) {
  group_cut_until_ = std::max(group_cut_until_, until);
}

void SimulatedHost::heal() {
  data_cut_until_ = group_cut_until_ = cluster_->now();
  if (notices_cut_) notice_heal();
}

void SimulatedHost::notice_cut() {
  if (cluster_->now() >= data_cut_until_ || notices_cut_) return;
  notices_cut_ = true;
  run([this] { tell(*cluster_, *this, false); });
  notice_heal();
}

void SimulatedHost::notice_heal() {
  const Nanos reconnecting = cluster_->random().between(Nanos{0}, kReconnectsWithin);
  cluster_->timeline().at(data_cut_until_ + reconnecting, [this] {
    if (!notices_cut_) return;
    if (data_cut_until_ > cluster_->now()) return notice_heal();
    notices_cut_ = false;
    run([this] { tell(*cluster_, *this, true); });
  });
}

}  // namespace penstock
