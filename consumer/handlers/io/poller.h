// Waits for file descriptors (epoll). Each is registered with a name, which is returned with its
// events. A closed descriptor is removed automatically. Belongs to one thread, except for wake().
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "consumer/handlers/io/fd.h"

namespace penstock {

class Poller {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxEvents = 256;  // returned by one wait()
  static constexpr std::uint64_t kWoken = ~std::uint64_t{0};

  Poller();

  // Waits for these events of the descriptor, instead of earlier ones.
  void set(int fd, std::uint32_t events, std::uint64_t name);
  void remove(int fd);

  // Returns when something is ready, when wake() was called (an event named kWoken), or at `until`.
  // The span is valid until the next wait.
  std::span<const epoll_event> wait(std::optional<Clock::time_point> until);

  // Ends the current wait() or, if there is none, the next one. May be called from any thread.
  void wake();

 private:
  Fd epoll_;
  Fd event_;
  std::array<epoll_event, kMaxEvents> events_;
};

}  // namespace penstock
