// One tenure of a partition, from the claim to the release or the loss. A pure state machine: its
// host carries out the requests and reports their results. It runs on the thread of the partition's
// loop. docs/design.md explains the protocol, and the simulation breaks each of its rules in turn.
//
//   bounds -> preread -> asking -> claiming -> restoring -> waiting -> running -> releasing -> released
//                                            any -> dropped
//
// - A claim names the epoch that it replaces, so the log is first read to its end.
// - An owner that may be working is asked to hand over, in its log, and works on until then; its log
//   is read meanwhile. The claim follows its release, or its silence (HandOver).
// - A commit counts once every offset since the previous counted commit is known: either its own
//   offset is the next one, or the gap has been read and contains no rival claim. Only then are its
//   rows applied, the lease renewed and the host notified.
// - Any doubt about an append ends the tenure: the next claim reads from the log what happened.
// - If the log's buffer is full, the append waits and nothing is appended before it. The lease
//   counts from the moment when it is sent.
// - Rows may change (admission) once the state is restored; attempts start only while `may_start`
//   holds.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "state/log/lease.h"
#include "state/owner/hand_over.h"
#include "state/owner/pending_commits.h"
#include "state/owner/predecessor.h"
#include "state/owner/restore.h"
#include "state/owner/short_log.h"
#include "topics/log.h"

namespace penstock {

// An owner's requests to its partition of the state topic. Answers must be passed to the owner
// later, from the loop, never from inside these calls.
class StateLog {
 public:
  virtual ~StateLog() = default;

  virtual void ask_bounds() = 0;
  virtual void read(Offset from) = 0;
  virtual void stop_reading() = 0;
  // `number` is passed back to Owner::appended(). False: the log's buffer is full; the owner tries
  // again.
  [[nodiscard]] virtual bool append(std::uint64_t number, std::string_view record) = 0;
};

// What happens to an owner.
class OwnerHost {
 public:
  virtual ~OwnerHost() = default;

  virtual void restored(Now now) = 0;  // the rows are those of the log: rebuild the heads in memory
  virtual void counted(std::uint64_t seq, Now now) = 0;  // the commit is in the log and the store
  virtual void released() = 0;
  virtual void dropped(const std::string& reason) = 0;
  // The store has failed: the process must stop and report it.
  virtual void broken(const std::string& reason) = 0;
  // The log is not the one that the state belongs to, has lost records, or cannot be read: the
  // queue must stop and report it. `reason` continues a sentence that begins with the topic's name.
  virtual void refused(const std::string& reason, Now now) = 0;
};

class Owner {
 public:
  enum class Phase : std::uint8_t {
    kBounds,
    kPreread,
    kAsking,
    kClaiming,
    kRestoring,
    kWaiting,
    kRunning,
    kReleasing,
    kReleased,
    kDropped,
  };
  // Whom a claim may replace. The last two drop with kTaken where it may not.
  enum class Claims : std::uint8_t {
    kAnyOwner,  // one that may be working is asked to hand over first
    kOwnLast,   // only the loop's own last tenure, if no other worker has claimed since
    kNobody,    // as a standby claims: only if no other owner can live
  };
  struct Options {
    std::string instance;
    ClaimNonce nonce;  // differs for every claim of every process
    LeaseRules lease;
    LastTenure last;
    Claims claims = Claims::kAnyOwner;
    // How long to wait for an owner that works and does not hand over.
    std::chrono::nanoseconds ask_at_most = std::chrono::minutes(1);
    // Whether this is a good moment to ask it; until then, it works on. Not waited for for long.
    std::function<bool()> may_ask = [] { return true; };
  };

  static constexpr const char* kTaken = "another worker has the partition";

  Owner(Store& store, StateLog& log, OwnerHost& host, Options options);

  void start();

  // The results of the requests.
  void bounds(const Result<Bounds>& bounds, Now now);
  void records(std::span<const LogRecord> records, Now now);
  void out_of_range(Now now);
  void appended(std::uint64_t number, const Appended& result, Now now);
  void tick(Now now);

  // Appends a commit of these rows (the bytes of a batch) and returns its seq. Requires
  // may_commit(). At most PendingCommits::kMaxInFlight commits are unconfirmed at a time.
  std::uint64_t commit(std::string_view rows, Now now);
  [[nodiscard]] bool may_commit() const;
  [[nodiscard]] const PendingCommits& commits() const { return commits_; }
  // The log's buffer has no room for the claim or the last commit, which must be appended first.
  [[nodiscard]] bool waits_for_room() const {
    return (claim_ && !claim_->taken) || commits_.waits_for_room();
  }
  // Ends a running tenure whose attempts have all ended, so that the next owner need not wait.
  void release(Now now);
  void drop(const std::string& reason);

  [[nodiscard]] Phase phase() const { return phase_; }
  // The state is being read up to where the log ends, or there is much of it to write.
  [[nodiscard]] bool reads() const {
    if (phase_ != Phase::kAsking) return phase_ < Phase::kAsking;
    return !hand_over_.has_asked() &&
           (!hand_over_.is_current() || restore_.copy().bytes_unsettled() > kManyBytes);
  }
  [[nodiscard]] bool restored() const {
    return phase_ >= Phase::kWaiting && phase_ <= Phase::kRunning;
  }
  [[nodiscard]] bool ended() const { return phase_ >= Phase::kReleased; }
  // Another worker has asked for the partition, and waits for the release.
  [[nodiscard]] bool is_asked_for() const { return is_asked_for_; }
  // Only until attempts are asked to stop, because one that starts later would be asked at once.
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
  // Valid once restored.
  [[nodiscard]] LastTenure tenure() const {
    return {epoch_, wait_until_, since_, restore_.copy().log()};
  }
  [[nodiscard]] std::uint64_t bytes_restored() const { return restore_.copy().bytes_read(); }

 private:
  // Writing more than this takes longer than the rest of a hand-over.
  static constexpr std::uint64_t kManyBytes = 1 << 20;

  void begin_reading(Now now);
  void claim_or_ask(Now now);
  void ask_or_claim(Now now);
  void append_claim(Now now);
  void send_waiting(Now now);
  void claimed(const Appended& result, Now now);
  void restore_record(const LogRecord& record, Now now);
  void finish_restore(Now now);
  void confirm_ready(Now now);
  void confirm_front(Offset at, Now now);
  void gap_record(const LogRecord& record, Now now);
  void restart_from_log_start();
  void set_local_copy_aside();
  void refuse(const std::string& reason, Now now);
  void refuse_with_copy(const std::string& reason, Now now);

  Store& store_;
  StateLog& log_;
  OwnerHost& host_;
  Options options_;
  Restore restore_;
  Phase phase_ = Phase::kBounds;

  Bounds bounds_{};
  Instant bounds_at_{};    // when they were told
  bool asks_end_ = false;  // the log's end has been asked for once more
  ShortLog short_log_;
  HandOver hand_over_;
  Offset epoch_{-1}, since_{-1};
  std::uint32_t generation_ = 0;
  bool is_asked_for_ = false;
  std::optional<PendingRecord> claim_;  // once it has been appended

  Instant lease_until_{};
  Instant wait_until_{};
  PendingCommits commits_;
  std::optional<Offset> gap_;  // where the next record of the gap that is being read is
};

}  // namespace penstock
