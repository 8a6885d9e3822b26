#include "topics/embedded/disk/mailbox.h"

#include <iterator>
#include <utility>

namespace penstock::embedded {
namespace {

template <typename T>
void move_onto(std::vector<T>& to, std::vector<T>& from) {
  // Swapping leaves the memory of both in use, so that a busy mailbox allocates nothing.
  if (to.empty()) {
    std::swap(to, from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
  from.clear();
}

}  // namespace

void Mailbox::post(std::vector<AppendAnswer>& appends) {
  const std::lock_guard lock(mutex_);
  move_onto(answers_.appends, appends);
  signal(arrived_);
}

void Mailbox::post(DeleteAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.deletes.push_back(std::move(answer));
  signal(arrived_);
}

void Mailbox::records_arrived() {
  const std::lock_guard lock(mutex_);
  signal(arrived_);
}

void Mailbox::group_changed() {
  // Before the signal, so that the session that wakes up finds it.
  group_changed_ = true;
  const std::lock_guard lock(mutex_);
  signal(arrived_);
}

void Mailbox::wake() {
  const std::lock_guard lock(mutex_);
  signal(woken_);
}

void Mailbox::signal(bool& flag) {
  // If the flag was set already, the waiting thread has been notified.
  if (!std::exchange(flag, true)) signalled_.notify_one();
}

void Mailbox::take(Answers& out) {
  const std::lock_guard lock(mutex_);
  move_onto(out.appends, answers_.appends);
  move_onto(out.deletes, answers_.deletes);
  arrived_ = false;
}

void Mailbox::wait(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  signalled_.wait_for(lock, at_most, [this] { return arrived_ || woken_; });
  // arrived_ stays set until take(): an arrival must not be lost if the session waits twice.
  woken_ = false;
}

}  // namespace penstock::embedded
