// Bounds the reports of an attempt (checkpoints, progress) that its loop has not taken over yet.
// While Kafka accepts nothing, a handler that checkpoints in a loop waits here instead of filling
// the memory. Each report holds a receipt until it has been taken over or discarded.
//
// Thread-safe. Shared by an attempt and the receipts of its reports; either may outlive the other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "consumer/job/handler.h"

namespace penstock {

// How much a checkpoint uses of the window.
[[nodiscard]] std::size_t report_bytes(std::string_view cursor, std::span<const FollowUp> jobs);

class ReportWindow : public std::enable_shared_from_this<ReportWindow> {
 public:
  static constexpr std::size_t kMaxReports = 16;
  // A report that begins below this may exceed it, so that any single report can pass.
  static constexpr std::size_t kMaxReportBytes = 256 << 10;

  // `on_room` is called when there is room again, either before close() returns or not at all.
  explicit ReportWindow(std::function<void()> on_room = {}) : on_room_(std::move(on_room)) {}

  [[nodiscard]] bool has_room() const;
  // Returns when there is room or the window has been closed.
  void wait();
  // Adds a report, whether or not there is room.
  [[nodiscard]] Receipt add(std::size_t bytes);
  // The attempt has ended: nothing waits any more.
  void close();

 private:
  [[nodiscard]] bool fits() const { return reports_ < kMaxReports && bytes_ < kMaxReportBytes; }
  void taken(std::size_t bytes);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> on_room_;
  std::size_t reports_ = 0;
  std::size_t bytes_ = 0;
  bool is_closed_ = false;
};

}  // namespace penstock
