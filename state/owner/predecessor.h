// Which owner a claim replaces, and how long the claim's owner must wait for it and for those before
// it. Worked out record by record while the log is read up to the claim.
//
// An owner may be displaced while it still waits for the one before it, whose lease may be longer.
// So a claim waits for every owner since the last release, each by its own lease. Of owners whose
// claims are not in what is read, the rows tell (kMetaLease): an owner's row covers what was left of
// its own wait.
//
// A claim whose acknowledgement was lost may be in the log nevertheless. The tenure that sent it
// never learned its epoch, so no attempt has run under it. The loop that sent the claim recognizes
// it by its nonce and looks past it to the owner before; otherwise it would wait for its own lease.
//
// A pure value, used on the thread of the partition's loop.
#pragma once

#include <cstdint>
#include <optional>

#include "state/log/lease.h"
#include "topics/values/topic_uuid.h"
#include "topics/values/types.h"

namespace penstock {

// What a process remembers of its last tenure of a partition that completed its restore, so that a
// claim directly after its own epoch need not wait for itself. Attempts of that tenure may still be
// running; LeaseWatch::blocks() keeps anything that would overlap with them from starting.
//
// The tenure may also be that of the previous process on this machine, if nothing of that process
// runs any more (consumer/worker/in_place). Then none of its attempts runs, and what is left to
// wait for is the rest of that tenure's own wait.
struct LastTenure {
  Offset epoch{-1};
  Instant waited_until{};
  // the first of an unbroken series of this process's epochs that ends with this one
  Offset since{-1};
  // The state log that these offsets are of. They say nothing about another one: a topic that was
  // created again, or that of another cluster. Unknown: the brokers have not told.
  TopicUuid log{};
};

// Distinguishes the claims of one loop from all others: its nonces are `first` and those that
// follow.
struct ClaimNonce {
  std::uint64_t first = 0;
  std::uint64_t own = 0;  // of the claim that is being sent

  [[nodiscard]] bool is_of_this_loop(std::uint64_t nonce) const {
    return nonce - first <= own - first;
  }
};

class Predecessor {
 public:
  // The state of a log between two of its records.
  struct Held {
    Offset epoch{-1};
    std::optional<Time> time;  // of the last record that counted; empty until one has been read
    bool released = false;
    bool empty = true;  // nothing has counted yet
    // Its owner's; empty: its claim was not read.
    std::optional<std::chrono::milliseconds> lease;
  };

  Predecessor(ClaimNonce nonce, Offset last, const LeaseRules& rules)
      : nonce_(nonce), last_(last), rules_(rules) {}

  // The last tenure was of another log. Only before the first claim has been read.
  void forget_last() { last_ = Offset{-1}; }

  // A claim counts; `before` was the state until then. `nonce` is unknown if the log's root is not
  // a claim.
  void claimed(const Held& before, Offset epoch, std::optional<std::uint64_t> nonce, Time at);
  // A commit or release counts, so its owner has learned its epoch.
  void worked() {
    is_futile_ = false;
    has_committed_ = true;
  }

  // The current epoch is that of a claim of this loop that never learned that it was one.
  [[nodiscard]] bool is_futile() const { return is_futile_; }
  // Whether a claim made in the state `now` would replace the loop's own last tenure.
  [[nodiscard]] bool is_last(const Held& now) const;

  // Once the loop's own claim has been read: whether it has replaced the loop's own last tenure,
  // and how long other owners may continue to act. `row`: what the rows say.
  [[nodiscard]] bool replaced_last() const;
  [[nodiscard]] std::chrono::nanoseconds wait(const std::optional<LeaseRow>& row) const;

 private:
  using FreeAt = std::chrono::time_point<Time::clock, std::chrono::nanoseconds>;
  // An owner that was displaced without a release.
  struct Displaced {
    Offset epoch;
    Time time;  // of its last record
  };

  void displaced(const Held& owner);

  ClaimNonce nonce_;
  Offset last_;
  LeaseRules rules_;
  Held before_;  // before the last claim; of a series of futile ones, before the first
  Time at_{};    // the time of the last claim
  bool is_futile_ = false;
  bool has_committed_ = false;  // the current owner
  // Since the last release: when the owners whose claims were read have stopped, the owner whose
  // claim was not, and the last one that has committed, whose row is the last that there can be.
  std::optional<FreeAt> free_at_;
  std::optional<Displaced> unread_, last_committed_;
};

}  // namespace penstock
