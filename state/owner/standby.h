// A copy of a partition's rows that follows the state log while another worker owns the partition,
// so that this worker has little to read when it gets it.
//
//   bounds -> reading -> stopped
//
// - It applies the rules of every reader (Follower), and appends nothing.
// - What an owner would refuse (a log that was created again or has lost records) stops the copy, and
//   is left for the owner to find, which reports it.
// - A copy that the log no longer continues, because the log was cut, begins anew at the log's start.
//
// It also tells when the partition has no owner that lives: the owner has released it before its
// eyes, or has been silent for longer than its lease. Used on the thread of the partition's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "state/log/follower.h"
#include "state/log/lease.h"
#include "state/owner/owner.h"
#include "topics/log.h"

namespace penstock {

class Standby {
 public:
  // A worker that has asked for the partition claims it once it has been released.
  static constexpr std::chrono::seconds kLeavesToTheAsker{3};
  // Of several standbys, each leaves the partition to those before it for this time.
  static constexpr std::chrono::milliseconds kLeavesToTheFirst{500};
  static constexpr std::chrono::seconds kAskAgainAfter{1};
  // How often what has been read is written, so that little is left when the partition is claimed.
  static constexpr std::chrono::seconds kSettleEvery{1};

  // `rank`: among the standbys of the partition, from 0. Store and log must outlive this.
  Standby(Store& store, StateLog& log, const LeaseRules& rules, int rank);

  void start() { log_.ask_bounds(); }
  void set_rank(int rank) { rank_ = rank; }

  // The results of the requests.
  void bounds(const Result<Bounds>& bounds, Now now);
  void records(std::span<const LogRecord> records, Now now);
  void out_of_range();

  // Asks again, if a question was not answered.
  void tick(Now now);
  // Whether something has been read that has waited for long enough to be written.
  [[nodiscard]] bool wants_to_settle(Instant now) const {
    return unsettled_ && now - settled_at_ >= kSettleEvery;
  }
  // Much of it (the owner sweeps its log) is written on another thread.
  void begin_settling(Instant now);
  // Before the store is closed: reads no more, and writes what has been read.
  void stop();

  // Whether a claim is due: no owner lives, and nobody else is about to claim.
  [[nodiscard]] bool is_vacant(Instant now) const;
  // Whether it follows the log, and has read it up to where it ended when the copy began.
  [[nodiscard]] bool is_current() const { return stage_ == Stage::kReading && next_ >= end_; }
  [[nodiscard]] bool stopped() const { return stage_ == Stage::kStopped; }

 private:
  enum class Stage : std::uint8_t { kBounds, kReading, kStopped };

  void begin_anew();
  void read_one(const LogRecord& record, Now now);
  void give_up();

  Store& store_;
  StateLog& log_;
  LeaseRules rules_;
  int rank_;
  Follower follower_;
  Stage stage_ = Stage::kBounds;
  std::optional<Instant> ask_at_;
  Offset next_{0}, end_{0};
  Instant heard_at_{};              // when the last record that counts was read
  bool was_released_here_ = false;  // the last release was read as it was written
  bool unsettled_ = false;
  Instant settled_at_{};
};

}  // namespace penstock
