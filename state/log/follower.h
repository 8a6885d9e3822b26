// Reads a state log and applies the records that count to a Store. Restores, standbys and the
// checker all use this implementation of the rules. It must be fed every record of the log in
// offset order, beginning at the store's position or at the log's start. Used on the thread of the
// partition's loop.
//
// Which records count (are honoured):
// - the first record read, whatever it is (the root). Nothing precedes it only if it is the first
//   claim of all, at offset 0: a commit there was sent to a log that has since been deleted, and
//   was retried onto the log in its place;
// - a claim, if the epoch that it replaces is the current one;
// - a commit or release, if its epoch is the current one and has not been released, and its seq and
//   chain continue those of the last one.
//
// A request to hand over never counts. Whatever a displaced owner appends later satisfies none of
// these, and every reader ignores it.
// docs/design.md explains the protocol.
#pragma once

#include <optional>
#include <string>

#include "state/log/log_entry.h"
#include "state/store/store.h"

namespace penstock {

class Follower {
 public:
  // Continues from the store's position, if it has one. The store must outlive the follower.
  explicit Follower(Store& store);

  // Says which topic the log is, before the first feed(). False: the local copy was made from
  // another topic, which has since been deleted.
  [[nodiscard]] bool is_of(TopicUuid log);
  // The offset to begin reading at: that of the store's last record, to check it, or `log_start`.
  [[nodiscard]] Offset begin(Offset log_start) const;

  enum class Verdict : std::uint8_t {
    kHonoured,
    kIgnored,
    kMismatch,  // the record differs from the one that the local copy was made from
  };
  [[nodiscard]] Result<Verdict> feed(Offset offset, std::string_view record, Time timestamp);

  // Completes the copy: everything that was fed is in the store, the rows may be read, and
  // generation() and whole() are valid.
  [[nodiscard]] Status settle();

  // Begins to write what was fed, as far as nothing else is being written (see Store).
  [[nodiscard]] Result<bool> begin_settling();

  // Sets the local copy aside and begins again at the log's start.
  [[nodiscard]] Status set_aside();
  [[nodiscard]] TopicUuid log() const { return log_; }

  // False: the copy, whether begun by this process or an earlier one, begins after records that no
  // owner had trimmed (see state/log/sweep.h). A later record can make it whole.
  [[nodiscard]] bool whole() const;
  [[nodiscard]] Offset root() const { return root_.value_or(Offset{0}); }

  [[nodiscard]] Offset epoch() const { return epoch_; }  // -1: none
  // That of the epoch's claim, if the claim has been read.
  [[nodiscard]] std::optional<std::uint64_t> nonce() const { return nonce_; }
  // The lease of the epoch's owner, if its claim has been read.
  [[nodiscard]] std::optional<std::chrono::milliseconds> claimed_lease() const { return lease_; }
  // Valid once the copy has settled. An owner with the usual lease writes no such row, and leaves
  // that of an earlier one.
  [[nodiscard]] std::optional<LeaseRow> stored_lease() const;
  // The lease of the epoch's owner, as far as it is known.
  [[nodiscard]] std::chrono::milliseconds owners_lease() const;
  [[nodiscard]] std::uint64_t seq() const { return seq_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::optional<std::uint32_t> generation() const { return generation_; }
  [[nodiscard]] bool empty() const { return !started_; }
  // The epoch whose owner was last asked to hand over; -1: none.
  [[nodiscard]] Offset asked_for() const { return asked_for_; }

  // The broker time of the last honoured record, and whether it was a release. The time is unknown
  // until a record has been fed.
  [[nodiscard]] std::optional<Time> last_time() const { return last_time_; }
  [[nodiscard]] bool released() const { return released_; }

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  // What settle() may have to write, unless it is being written: the bytes that have been read since
  // the last time.
  [[nodiscard]] std::uint64_t bytes_unsettled() const { return bytes_read_ - bytes_settled_; }

 private:
  [[nodiscard]] Verdict check_local(Offset offset, std::string_view record, Time timestamp);
  [[nodiscard]] Verdict feed_claim(Offset offset, const Claim& claim, Time timestamp);
  [[nodiscard]] Result<Verdict> feed_placed(Offset offset, const Commit& entry, bool release,
                                            std::string_view record, Time timestamp);
  void load_generation();
  [[nodiscard]] static Offset root_of(Offset offset, const LogEntry& entry);

  Store& store_;
  bool started_ = false;
  bool check_local_ = false;
  std::optional<Offset> root_;
  TopicUuid log_;
  Offset at_{-1};
  Offset epoch_{-1};
  Offset asked_for_{-1};
  std::optional<std::uint64_t> nonce_;
  std::optional<std::chrono::milliseconds> lease_;
  std::uint64_t seq_ = 0;
  std::uint64_t hash_ = 0;
  bool released_ = false;
  std::optional<Time> last_time_;
  std::optional<std::uint32_t> generation_;
  std::uint64_t bytes_read_ = 0, bytes_settled_ = 0;
};

// The value of kMetaLease, which an owner writes with its commits when it changes.
[[nodiscard]] std::string encode(const LeaseRow& row);

}  // namespace penstock
