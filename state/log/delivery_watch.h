// Tracks an outbox's deliveries to one destination: since when the oldest message that may leave
// has been unacknowledged, why, and when to try again after the log has refused it. A pure value of
// its outbox, used on the same thread.
#pragma once

#include <chrono>
#include <string>

#include "state/log/growing_pause.h"
#include "topics/values/types.h"

namespace penstock {

class DeliveryWatch {
 public:
  // A message that is undelivered for this long is late: an operator should know.
  static constexpr std::chrono::seconds kLateAfter{10};
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::seconds kMaxPause{5};

  // Some message may leave and is not acknowledged yet.
  void waits(Instant now) {
    if (since_ == Instant{}) since_ = now;
  }
  // A message was acknowledged, or none is left.
  void moved() {
    since_ = {};
    error_.clear();
    pause_.reset();
    not_before_ = {};
  }
  void failed(std::string error) { error_ = std::move(error); }
  // The message is certainly not in the log and is to be sent again.
  void refused(std::string error, Instant now) {
    failed(std::move(error));
    not_before_ = now + pause_.failed();
  }

  [[nodiscard]] bool may_send(Instant now) const { return now >= not_before_; }
  [[nodiscard]] bool late(Instant now) const {
    return since_ != Instant{} && now - since_ >= kLateAfter;
  }
  [[nodiscard]] Instant since() const { return since_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // empty: none so far

 private:
  Instant since_{};
  Instant not_before_{};
  std::string error_;
  GrowingPause pause_{kFirstPause, kMaxPause};
};

}  // namespace penstock
