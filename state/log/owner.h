// One tenure of a partition: from the claim to the release or the loss. A pure state machine; the
// host carries out what it asks for and tells it what came of it. models/statelog.py in the design
// documents is its executable specification, and the simulation breaks each of its rules in turn.
//
//   bounds -> preread -> claiming -> restoring -> waiting -> running -> releasing -> released
//                                        any -> dropped
//
//  - A claim names the epoch that it replaces, so the log is read up to its end first.
//  - A commit counts when every offset since the previous counted one is known: its own offset is
//  the
//    next one, or the gap has been read and holds no rival claim. Only then are its rows applied,
//    the lease renewed, and the host told.
//  - Any doubt about an append ends the tenure: the log says what happened, to the next claim.
//  - An append that finds the log's buffer full waits, and nothing is appended before it. The lease
//    counts from when it is sent.
//  - Rows may change (admission) from restored on; attempts start only while `may_start` holds.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "state/log/follower.h"
#include "state/log/lease.h"
#include "state/log/predecessor.h"
#include "topics/log.h"

namespace penstock {

// What an owner asks of the loop that hosts it. Calls back into the owner only from the loop,
// later.
class OwnerHost {
 public:
  virtual ~OwnerHost() = default;

  virtual void ask_state_bounds() = 0;
  virtual void read_state(Offset from) = 0;
  virtual void stop_reading_state() = 0;
  // `number` comes back in Owner::appended. False: the log's buffer is full; the owner tries again.
  [[nodiscard]] virtual bool append_state(std::uint64_t number, std::string_view record) = 0;
  virtual void delete_state_before(Offset before) = 0;

  virtual void restored() = 0;                  // the rows are those of the log: rebuild the heads
  virtual void running() = 0;                   // the take-over wait is over
  virtual void counted(std::uint64_t seq) = 0;  // that commit is in the log and in the store
  virtual void released() = 0;
  virtual void dropped(const std::string& reason) = 0;
  // The store failed: the process must stop, loudly.
  virtual void broken(const std::string& reason) = 0;
  // The log is not the one that the state is of, has lost records, or cannot be read: the queue
  // must stop, loudly. `reason` goes on from the topic's name.
  virtual void refused(const std::string& reason) = 0;
};

class Owner {
 public:
  enum class Phase : std::uint8_t {
    kBounds,
    kPreread,
    kClaiming,
    kRestoring,
    kWaiting,
    kRunning,
    kReleasing,
    kReleased,
    kDropped,
  };
  struct Options {
    std::string instance;
    ClaimNonce nonce;  // differs for every claim of every process
    LeaseRules lease;
    LastTenure last;
    // Claims only while nobody else has since the last tenure; drops with kTaken otherwise.
    bool only_after_last = false;
  };

  static constexpr const char* kTaken = "another worker has the partition";

  Owner(Store& store, OwnerHost& host, Options options);

  void start();

  // What came of what was asked for.
  void bounds(const Result<Bounds>& bounds, Now now);
  void records(std::span<const LogRecord> records, Now now);
  void out_of_range(Now now);
  void appended(std::uint64_t number, const Appended& result, Now now);
  void tick(Now now);

  // Appends a commit of these rows (a batch's bytes) and returns its seq. At most kMaxInFlight may
  // be unaccounted for; only while `may_commit`.
  static constexpr std::size_t kMaxInFlight = 5;
  std::uint64_t commit(std::string_view rows, Now now);
  [[nodiscard]] bool may_commit() const;
  [[nodiscard]] std::size_t in_flight() const { return pending_.size(); }
  // The log's buffer has no room for the claim or the last commit, which goes first.
  [[nodiscard]] bool waits_for_room() const {
    return claim_waits_ || (!pending_.empty() && !pending_.back().taken);
  }
  // Ends a tenure that runs, whose attempts have all ended: the next owner need not wait.
  void release(Now now);
  void drop(const std::string& reason);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool restored() const {
    return phase_ >= Phase::kWaiting && phase_ <= Phase::kRunning;
  }
  [[nodiscard]] bool ended() const { return phase_ >= Phase::kReleased; }
  // Until attempts are asked to stop: one that starts later would be asked at once.
  [[nodiscard]] bool may_start(Now now) const {
    return phase_ == Phase::kRunning && now.boot < stop_asked_at();
  }
  [[nodiscard]] Instant lease_until() const { return lease_until_; }
  [[nodiscard]] Instant stop_asked_at() const {
    return lease_until_ - options_.lease.lease + options_.lease.ask_to_stop();
  }
  [[nodiscard]] Instant wait_until() const { return wait_until_; }
  [[nodiscard]] Offset epoch() const { return epoch_; }
  [[nodiscard]] std::uint32_t generation() const { return generation_; }
  [[nodiscard]] std::uint64_t seq() const { return seq_; }
  [[nodiscard]] Offset last_counted() const { return last_offset_; }
  [[nodiscard]] Instant last_commit() const { return last_commit_; }
  [[nodiscard]] LastTenure tenure() const { return {epoch_, wait_until_, since_}; }
  // The partition has not been another's since this epoch; once restored.
  [[nodiscard]] Offset since() const { return since_; }
  [[nodiscard]] std::uint64_t bytes_restored() const { return follower_.bytes_read(); }

 private:
  struct Pending {
    std::uint64_t number = 0;
    std::uint64_t seq = 0;
    std::string record;
    bool release = false;
    Instant sent;        // or, until it is taken, since when it waits
    bool taken = false;  // by the log's buffer
    bool acknowledged = false;
    std::optional<Offset> offset;
  };

  // A log that ends before the local copy does is believed to when it has done so for this long:
  // an answer may be an old one, or of a leader that has just begun.
  static constexpr std::chrono::seconds kShortFor{20};
  static constexpr std::chrono::milliseconds kAskShortAgain{500};

  void begin_reading(Now now);
  [[nodiscard]] bool is_too_short(Now now);
  void append_claim(Now now);
  void send_claim(Now now);
  void send_last(Now now);
  [[nodiscard]] bool gives_up(Now now);
  void claimed(const Appended& result, Now now);
  void restore_record(const LogRecord& record, Now now);
  void finish_restore(Now now);
  [[nodiscard]] Predecessor::Held held() const;
  void append_pending(std::string record, bool release, Now now);
  void confirm_ready();
  void confirm_front(Offset at);
  void gap_record(const LogRecord& record);
  void restart_from_log_start();
  void set_local_copy_aside();
  void mismatch(Offset at);
  void refuse_torn();
  void refuse(const std::string& reason);
  void refuse_with_copy(const std::string& reason);

  Store& store_;
  OwnerHost& host_;
  Options options_;
  Follower follower_;
  Phase phase_ = Phase::kBounds;

  Bounds bounds_{};
  std::optional<Instant> short_since_;
  std::optional<Instant> ask_bounds_at_;
  Offset next_read_{};        // the offset that the read under way shows next
  std::uint64_t number_ = 0;  // of appends; 0 is the claim
  Offset epoch_{-1}, since_{-1};
  std::uint32_t generation_ = 0;
  Instant claim_sent_{};
  std::string waiting_claim_;  // while the log's buffer has no room for it
  bool claim_waits_ = false;
  Instant waits_since_{};
  Predecessor predecessor_;

  Instant lease_until_{};
  Instant wait_until_{};
  Instant last_commit_{};
  std::uint64_t seq_ = 0;
  std::uint64_t hash_ = 0;
  Offset last_offset_{-1};  // of the last counted record
  std::deque<Pending> pending_;
  bool reading_gap_ = false;
};

}  // namespace penstock
