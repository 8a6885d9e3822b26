#include "consumer/worker/run_state.h"

#include <utility>

namespace penstock {

void RunState::ask_to_stop() {
  const std::lock_guard lock(mutex_);
  stop_asked_ = true;
  changed_.notify_all();
}

void RunState::broken(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  // The first reason is the cause; later ones often follow from it.
  if (broken_.empty()) broken_ = reason;
  changed_.notify_all();
}

std::string RunState::why_broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

bool RunState::set_connected(bool connected) {
  const std::lock_guard lock(mutex_);
  return std::exchange(connected_, connected) != connected;
}

bool RunState::waits_for(const std::string& what) {
  const std::lock_guard lock(mutex_);
  // The start must not go on waiting when the process is to end.
  if (!broken_.empty() || stop_asked_) return false;
  waiting_for_ = what;
  return true;
}

void RunState::loops_made() {
  const std::lock_guard lock(mutex_);
  loops_made_ = true;
  waiting_for_ = "partitions are being restored";
}

bool RunState::has_loops() const {
  const std::lock_guard lock(mutex_);
  return loops_made_;
}

void RunState::looked(bool all_run, std::string trouble) {
  const std::lock_guard lock(mutex_);
  ready_ = all_run;
  trouble_ = std::move(trouble);
}

void RunState::stopping() {
  const std::lock_guard lock(mutex_);
  ready_ = false;
  trouble_.clear();
  waiting_for_ = "stopping";
}

std::string RunState::not_ready() const {
  const std::lock_guard lock(mutex_);
  // First, because it explains the troubles below.
  if (!connected_) return "no broker can be reached";
  if (!trouble_.empty()) return trouble_;
  return ready_ ? std::string() : waiting_for_;
}

bool RunState::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return stop_asked_ || !broken_.empty(); });
  return !stop_asked_ && broken_.empty();
}

bool RunState::wait_stopping(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return !broken_.empty(); });
  return broken_.empty();
}

}  // namespace penstock
