// How much an attempt may have reported (checkpoints, progress) that its loop has not taken over:
// while Kafka accepts nothing, a handler that checkpoints in a loop waits here instead of filling
// the memory. Each report holds a receipt until it has been taken over or thrown away.
//
// Thread-safe. Shared by an attempt and by the receipts of its reports, either of which may outlive
// the other.
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

// What a checkpoint takes of it.
[[nodiscard]] std::size_t report_bytes(std::string_view cursor, std::span<const FollowUp> jobs);

class ReportWindow : public std::enable_shared_from_this<ReportWindow> {
 public:
  static constexpr std::size_t kMaxReports = 16;
  // A report that begins below this may exceed it: one is always let through.
  static constexpr std::size_t kMaxReportBytes = 256 << 10;

  // `on_room` is called when there is room again, without fail before close() returns or not at
  // all.
  explicit ReportWindow(std::function<void()> on_room = {}) : on_room_(std::move(on_room)) {}

  [[nodiscard]] bool has_room() const;
  // Returns when there is room, or when the window is closed.
  void wait();
  // Counts a report, whether there is room or not.
  [[nodiscard]] Receipt add(std::size_t bytes);
  // The attempt is over: nobody waits any more.
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
