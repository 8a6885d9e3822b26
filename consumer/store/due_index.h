// The jobs that wait for their time. Their rows are in the order of time; the soonest ones are
// known in memory, so that asking what is due costs nothing, and ten million scheduled jobs cost no
// memory.
#pragma once

#include <absl/container/btree_set.h>

#include <optional>

#include "state/rows/keys.h"
#include "state/store/view.h"

namespace penstock {

class DueIndex {
 public:
  static constexpr std::size_t kWindow = 256;

  // `kind` is keys::kDue or keys::kExpiry: any rows whose key is a time and a job's seq.
  DueIndex(View& view, char kind) : view_(view), kind_(kind) {}

  // Forgets what it knows, because the rows were restored.
  void reset();
  // A row was put there, or erased from there.
  void added(Time at, JobSeq seq);
  void removed(Time at, JobSeq seq);
  // Every row up to this one was erased, one after the other.
  void removed_up_to(const keys::TimeKey& last);

  // The first row whose time has come; it stays until removed().
  [[nodiscard]] std::optional<keys::TimeKey> first_due(Time now);
  // When first_due may have something.
  [[nodiscard]] std::optional<Time> next();

 private:
  struct Less {
    bool operator()(const keys::TimeKey& a, const keys::TimeKey& b) const {
      return a.at != b.at ? a.at < b.at : a.seq < b.seq;
    }
  };

  void refill();

  View& view_;
  char kind_;
  absl::btree_set<keys::TimeKey, Less> nearest_;
  // Every row up to here is in nearest_; absent: all rows are.
  std::optional<keys::TimeKey> horizon_;
};

}  // namespace penstock
