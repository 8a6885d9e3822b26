// Whom a claim replaces, for how long its owner waits: worked out record by record while the log is
// read up to the claim.
//
// A claim whose acknowledgement was lost may lie in the log all the same. The tenure that sent it
// never learned its epoch, so nothing has run under it: the loop that sent it recognises it by its
// nonce and looks through it to what was there before. Without that it would wait a lease for
// itself.
//
// A value; pure.
#pragma once

#include <cstdint>
#include <optional>

#include "state/log/lease.h"
#include "topics/values/types.h"

namespace penstock {

// What a process remembers of its last tenure of a partition that got through its restore, so that
// claiming again after its own epoch need not wait for itself. Of what that tenure's attempts may
// still run, it holds back what they would overlap with (LeaseWatch::holds_back).
struct LastTenure {
  Offset epoch{-1};
  Instant waited_until{};
  Offset since{-1};  // the first epoch of a row of its own that ends with this one
};

// What tells the claims of one loop from all others: its nonces are `first` and those behind it.
struct ClaimNonce {
  std::uint64_t first = 0;
  std::uint64_t own = 0;  // of the claim that is sent now

  [[nodiscard]] bool is_of_this_loop(std::uint64_t nonce) const {
    return nonce - first <= own - first;
  }
};

class Predecessor {
 public:
  // A log's state between two of its records.
  struct Held {
    Offset epoch{-1};
    std::optional<Time> time;  // of the last record that counted; unknown until one was read
    bool released = false;
    bool empty = true;  // nothing has counted yet
  };

  Predecessor(ClaimNonce nonce, Offset last) : nonce_(nonce), last_(last) {}

  // A claim counts, which this was before; `nonce` is unknown of a log's root that is no claim.
  void claimed(const Held& before, Offset epoch, std::optional<std::uint64_t> nonce, Time at);
  // A commit or release counts: somebody works.
  void worked() { is_futile_ = false; }

  // Whether a claim made now, where this holds, would replace the last tenure of the loop itself.
  [[nodiscard]] bool is_last(const Held& now) const;

  // Behind the loop's own claim: whether it has replaced the loop's own last tenure, and how long
  // another owner may act on.
  [[nodiscard]] bool replaced_last() const;
  [[nodiscard]] std::chrono::nanoseconds wait(const LeaseRules& rules) const;

 private:
  ClaimNonce nonce_;
  Offset last_;
  Held before_;  // of the last claim; of a row of futile ones, of the first
  Time at_{};    // of the last claim
  bool is_futile_ = false;
};

}  // namespace penstock
