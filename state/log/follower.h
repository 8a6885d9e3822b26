// Reads a state log and applies what counts to a Store: the one rule book of restores, standbys and
// of the checker. Fed with every record of the log in offset order, from the store's position or
// from the log's start.
//
// Which records count ("honoured", DESIGN section 3):
//  - the first record read, whatever it is (the root). Nothing lies before it only if it is the
//    first claim of all, at offset 0: a commit there was sent to a log that has been deleted, and
//    retried onto the one in its place;
//  - a claim, if the epoch that it replaces is the current one;
//  - a commit or release, if its epoch is the current one, not yet released, and its seq and chain
//    follow the last one's.
// Whatever a displaced owner appends later matches none of these and is ignored by everyone alike.
#pragma once

#include <optional>
#include <string>

#include "state/log/log_entry.h"
#include "state/store/store.h"

namespace penstock {

class Follower {
 public:
  // Goes on from the store's position, if it has one. The store must outlive the follower.
  explicit Follower(Store& store);

  // Which topic the log is, before anything is fed; what is fed is a copy of it. False: the local
  // copy is of another one, which was deleted since.
  [[nodiscard]] bool is_of(TopicUuid log);
  // Where reading begins: the store's last record again (to check it), or `log_start`.
  [[nodiscard]] Offset begin(Offset log_start) const;

  enum class Verdict : std::uint8_t {
    kHonoured,
    kIgnored,
    kMismatch,  // the log has another record where the local copy was made from this one
  };
  [[nodiscard]] Result<Verdict> feed(Offset offset, std::string_view record, Time timestamp);

  // All that was fed is in the store from here on: the rows may be read, and generation() and
  // whole() tell.
  [[nodiscard]] Status settle();

  // Begins anew at the log's start, and sets the local copy aside.
  [[nodiscard]] Status set_aside();
  [[nodiscard]] TopicUuid log() const { return log_; }

  // False: the copy was begun behind records that no owner had given up (see Owner, trim), by this
  // process or an earlier one. It may become whole with a later record.
  [[nodiscard]] bool whole() const;
  [[nodiscard]] Offset root() const { return root_.value_or(Offset{0}); }

  [[nodiscard]] Offset epoch() const { return epoch_; }  // -1: none
  // Of the epoch's claim, where that has been read.
  [[nodiscard]] std::optional<std::uint64_t> nonce() const { return nonce_; }
  [[nodiscard]] std::uint64_t seq() const { return seq_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::optional<std::uint32_t> generation() const { return generation_; }
  [[nodiscard]] bool empty() const { return !started_; }

  // Of the last honoured record: its broker time, and whether it was a release. The time is unknown
  // until a record was fed.
  [[nodiscard]] std::optional<Time> last_time() const { return last_time_; }
  [[nodiscard]] bool released() const { return released_; }

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

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
  std::optional<std::uint64_t> nonce_;
  std::uint64_t seq_ = 0;
  std::uint64_t hash_ = 0;
  bool released_ = false;
  std::optional<Time> last_time_;
  std::optional<std::uint32_t> generation_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace penstock
