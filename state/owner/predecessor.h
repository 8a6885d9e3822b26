// Which owner a claim replaces, and how long the claim's owner must wait for it. Worked out record
// by record while the log is read up to the claim.
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
#include "topics/values/types.h"

namespace penstock {

// What a process remembers of its last tenure of a partition that completed its restore, so that a
// claim directly after its own epoch need not wait for itself. Attempts of that tenure may still be
// running; LeaseWatch::blocks() keeps anything that would overlap with them from starting.
struct LastTenure {
  Offset epoch{-1};
  Instant waited_until{};
  // the first of an unbroken series of this process's epochs that ends with this one
  Offset since{-1};
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
  };

  Predecessor(ClaimNonce nonce, Offset last) : nonce_(nonce), last_(last) {}

  // A claim counts; `before` was the state until then. `nonce` is unknown if the log's root is not
  // a claim.
  void claimed(const Held& before, Offset epoch, std::optional<std::uint64_t> nonce, Time at);
  // A commit or release counts, so its owner has learned its epoch.
  void worked() { is_futile_ = false; }

  // Whether a claim made in the state `now` would replace the loop's own last tenure.
  [[nodiscard]] bool is_last(const Held& now) const;

  // Once the loop's own claim has been read: whether it has replaced the loop's own last tenure,
  // and how long another owner may continue to act.
  [[nodiscard]] bool replaced_last() const;
  [[nodiscard]] std::chrono::nanoseconds wait(const LeaseRules& rules) const;

 private:
  ClaimNonce nonce_;
  Offset last_;
  Held before_;  // before the last claim; of a series of futile ones, before the first
  Time at_{};    // the time of the last claim
  bool is_futile_ = false;
};

}  // namespace penstock
