// Waits for file descriptors (epoll). Each is registered with a name that comes back with its
// events; a descriptor that is closed leaves by itself. One thread uses a Poller, except for
// wake().
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
  static constexpr std::size_t kMaxEvents = 256;  // handed on by one wait
  static constexpr std::uint64_t kWoken = ~std::uint64_t{0};

  Poller();

  // Waits for these events of the descriptor, in place of earlier ones.
  void set(int fd, std::uint32_t events, std::uint64_t name);
  void remove(int fd);

  // Until something is ready, wake() was called (an event named kWoken), or `until` has come. The
  // span is valid until the next wait.
  std::span<const epoll_event> wait(std::optional<Clock::time_point> until);

  // From any thread: ends a wait, the next one when none is going on.
  void wake();

 private:
  Fd epoll_;
  Fd event_;
  std::array<epoll_event, kMaxEvents> events_;
};

}  // namespace penstock
