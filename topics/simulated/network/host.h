// A simulated machine that a worker runs on: its clocks, whether it is running, and the cuts
// between it and the brokers. The driver builds a worker on it, and tears the worker down in
// `crashed`.
//
// - While a host is paused, nothing happens on it: arriving messages and timers are held back, and
//   take effect in order when the host resumes.
// - A crash ends every session at once and drops what was held back; requests in flight may still
//   arrive. crash() must not be called from inside a session's call, because the driver destroys
//   the sessions in it.
//
// Belongs to the simulator's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "topics/simulated/world/world.h"
#include "topics/values/types.h"

namespace penstock {

// How long a connection can be silent before the client considers it broken.
inline constexpr simulated::Nanos kNoticesCutAfter = std::chrono::milliseconds(300);

// A host's notifications to its driver; empty functions are not called.
struct HostEvents {
  std::function<void()> crashed, restarted, paused, resumed;
};

// A session, as its host sees it.
class HostedSession {
 public:
  virtual ~HostedSession() = default;
  // Called when the connection to the brokers is lost or restored.
  virtual void connection(bool connected) = 0;
  // Called when the host has crashed.
  virtual void end() = 0;
};

class SimulatedHost {
 public:
  using Nanos = simulated::Nanos;

  // `rate_ppm`: how much faster than true time the host's clocks run, in millionths.
  SimulatedHost(simulated::World& world, std::size_t index, std::int64_t rate_ppm, Instant booted);
  SimulatedHost(const SimulatedHost&) = delete;
  SimulatedHost& operator=(const SimulatedHost&) = delete;

  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] Now now() const;
  // Runs `what` after `delay` on this host's clock, or never if the host crashes in between.
  void after(Nanos delay, std::function<void()> what);
  // Runs `what` now, or when the host resumes; never on a host that is down.
  void run(std::function<void()> what);

  [[nodiscard]] bool up() const { return up_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }  // the number begun so far
  [[nodiscard]] Instant data_cut_until() const { return data_cut_until_; }
  [[nodiscard]] bool notices_cut() const { return notices_cut_; }
  [[nodiscard]] Instant group_cut_until() const { return group_cut_until_; }
  void set_events(HostEvents events) { events_ = std::move(events); }

  void crash();
  void restart();
  void pause();
  void resume();
  void cut_data(Instant until);
  void cut_group(Instant until);
  void heal();

  // -- the sessions on the host, by number
  void attach(std::uint64_t number, HostedSession& session) { sessions_.emplace(number, &session); }
  void detach(std::uint64_t number) { sessions_.erase(number); }
  [[nodiscard]] bool has(std::uint64_t number) const { return sessions_.contains(number); }
  [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }

  // The true duration of a duration on this host's clock.
  [[nodiscard]] Nanos true_time(Nanos local) const;

 private:
  void notice_cut();
  void notice_heal();
  void tell(bool connected);
  // A copy, because a call on a session can end others.
  [[nodiscard]] std::vector<HostedSession*> all_sessions() const;

  simulated::World* world_;
  std::size_t index_;
  std::int64_t rate_ppm_;
  Instant booted_;
  bool up_ = true, paused_ = false, notices_cut_ = false;
  std::uint64_t lives_ = 0, pauses_ = 0;
  Instant data_cut_until_{}, group_cut_until_{};
  std::vector<std::function<void()>> held_;
  HostEvents events_;
  std::map<std::uint64_t, HostedSession*> sessions_;
};

}  // namespace penstock
