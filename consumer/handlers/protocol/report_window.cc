#include "consumer/handlers/protocol/report_window.h"

#include <utility>

namespace penstock {

std::size_t report_bytes(std::string_view cursor, std::span<const FollowUp> jobs) {
  std::size_t bytes = cursor.size();
  for (const FollowUp& job : jobs) {
    bytes += follow_up_bytes(job.record, job.account, job.queue) + follow_up_bytes(job.headers);
  }
  return bytes;
}

bool ReportWindow::has_room() const {
  const std::lock_guard lock(mutex_);
  return is_closed_ || fits();
}

void ReportWindow::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_closed_ || fits(); });
}

Receipt ReportWindow::add(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  ++reports_;
  bytes_ += bytes;
  // The receipt may outlive the attempt: the loop can drop its report at any time.
  return Receipt([window = shared_from_this(), bytes] { window->taken(bytes); });
}

void ReportWindow::taken(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const bool was_full = !fits();
  --reports_;
  bytes_ -= bytes;
  if (!was_full || !fits()) return;
  changed_.notify_all();
  // With the mutex held, so that it cannot be called any more once close() has returned.
  if (on_room_) on_room_();
}

void ReportWindow::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  on_room_ = nullptr;
  changed_.notify_all();
}

}  // namespace penstock
