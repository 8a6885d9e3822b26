#include "topics/kafka/client/wakeup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

constexpr std::uint64_t kOne = 1;  // the value to write to an eventfd

}  // namespace

Wakeup::Wakeup() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  PENSTOCK_CHECK(fd_ >= 0, "no file descriptor left for an eventfd");
}

Wakeup::~Wakeup() { close(fd_); }

void Wakeup::watch(rd_kafka_queue_t* queue) const {
  rd_kafka_queue_io_event_enable(queue, fd_, &kOne, sizeof(kOne));
}

void Wakeup::unwatch(rd_kafka_queue_t* queue) {
  rd_kafka_queue_io_event_enable(queue, -1, nullptr, 0);
}

void Wakeup::signal() const {
  // If the counter is full, it has been signalled already.
  [[maybe_unused]] const ssize_t written = write(fd_, &kOne, sizeof(kOne));
}

void Wakeup::wait(std::chrono::nanoseconds at_most) const {
  const std::int64_t ns = std::max<std::int64_t>(0, at_most.count());
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec timeout{.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond};
  pollfd watched{.fd = fd_, .events = POLLIN, .revents = 0};
  // ppoll and not poll, which would round a wait of microseconds to a whole millisecond. A signal
  // ends the wait early; that does no harm, because callers poll again after any wait.
  if (ppoll(&watched, 1, &timeout, nullptr) <= 0) return;
  // Resets the counter; otherwise, every later wait would end at once.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof(count));
}

}  // namespace penstock::kafka
