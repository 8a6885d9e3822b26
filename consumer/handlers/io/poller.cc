#include "consumer/handlers/io/poller.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "topics/values/check.h"

namespace penstock {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;

constexpr milliseconds kLongestWait{60'000};

// Rounded up, because a wait that ends early would spin until its time has come.
int timeout_ms(std::optional<Poller::Clock::time_point> until) {
  if (!until) return -1;
  const auto left = ceil<milliseconds>(*until - Poller::Clock::now());
  return static_cast<int>(std::clamp(left, milliseconds{0}, kLongestWait).count());
}

}  // namespace

Poller::Poller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PENSTOCK_CHECK(epoll_.is_open() && event_.is_open(), "no file descriptors left; raise ulimit -n");
  set(event_.get(), EPOLLIN, kWoken);
}

void Poller::set(int fd, std::uint32_t events, std::uint64_t name) {
  epoll_event event{.events = events, .data = {.u64 = name}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return;
  PENSTOCK_CHECK(errno == EEXIST,
                 "a descriptor to wait for is not open, or the kernel is out of memory");
  PENSTOCK_CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0, "it was there just now");
}

// A descriptor that was closed has already been removed.
void Poller::remove(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

std::span<const epoll_event> Poller::wait(std::optional<Clock::time_point> until) {
  const int count = epoll_wait(epoll_.get(), events_.data(), kMaxEvents, timeout_ms(until));
  if (count < 0) {
    // A debugger or a stop and continue interrupts the wait even though signals are blocked.
    PENSTOCK_CHECK(errno == EINTR, "epoll_wait refuses its arguments");
    return {};
  }
  const std::span ready(events_.data(), static_cast<std::size_t>(count));
  for (const epoll_event& event : ready) {
    if (event.data.u64 != kWoken) continue;
    std::uint64_t wakes = 0;
    [[maybe_unused]] const auto read = ::read(event_.get(), &wakes, sizeof wakes);
  }
  return ready;
}

void Poller::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
}

}  // namespace penstock
