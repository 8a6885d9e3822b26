// The path of one session's messages to the brokers and to the group's coordinator, and back.
// Messages in flight hold a copy of it. Messages to a session that has ended are dropped; those to
// a paused host are held back. Belongs to the simulator's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "topics/simulated/network/host.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

// kReliable: the connection itself sends a lost message again.
enum class Care : std::uint8_t { kReliable, kLossy };

// One direction of a connection: the time of the last arrival.
struct Line {
  Instant last{};
};

class Link {
 public:
  Link(World& world, SimulatedHost& host, std::uint64_t session)
      : world_(&world), host_(&host), session_(session) {}

  [[nodiscard]] World& world() const { return *world_; }
  [[nodiscard]] SimulatedHost& host() const { return *host_; }
  [[nodiscard]] std::uint64_t id() const { return session_; }
  // False once the session has ended.
  [[nodiscard]] bool alive() const { return host_->has(session_); }

  template <typename F>
  bool to_broker(Care care, Line* line, F what) const {
    return send(host_->data_cut_until(), care, line, std::move(what));
  }
  template <typename F>
  bool to_coordinator(Care care, F what) const {
    return send(host_->group_cut_until(), care, nullptr, std::move(what));
  }
  // `what` is called only while the session lives, so it may point into it.
  template <typename F>
  bool from_broker(Care care, Line* line, F what) const {
    return send(host_->data_cut_until(), care, line, arriving(std::move(what)));
  }
  template <typename F>
  bool from_coordinator(Care care, F what) const {
    return send(host_->group_cut_until(), care, nullptr, arriving(std::move(what)));
  }
  template <typename F>
  void at(Instant when, F what) const {
    world_->timeline().at(when, arriving(std::move(what)));
  }
  // `delay` is on the host's clock.
  template <typename F>
  void after(Nanos delay, F what) const {
    at(world_->now() + host_->true_time(delay), std::move(what));
  }

 private:
  template <typename F>
  bool send(Instant cut_until, Care care, Line* line, F what) const {
    const auto when = arrival(cut_until, care, line);
    if (when) world_->timeline().at(*when, std::move(what));
    return when.has_value();
  }

  template <typename F>
  auto arriving(F what) const {
    return [link = *this, what = std::move(what)] { link.arrive(what); };
  }

  template <typename F>
  void arrive(const F& what) const {
    if (!alive()) return;
    if (!host_->paused()) return what();
    host_->run([link = *this, what] { link.arrive(what); });
  }

  // When a message sent now arrives; empty if it never does.
  [[nodiscard]] std::optional<Instant> arrival(Instant cut_until, Care care, Line* line) const;
  [[nodiscard]] Nanos delay() const;

  World* world_;
  SimulatedHost* host_;
  std::uint64_t session_;
};

}  // namespace penstock::simulated
