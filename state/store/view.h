// The rows as a partition's owner sees them: the store, overlaid with the commits in flight and the
// one being built. Every change goes into the batch of the commit being built and into the overlay.
// When a commit counts, the store accepts its rows; once the store has written them, the overlay
// drops them.
//
// Used only by the partition's thread. A scan must not outlive a change.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "state/store/batch.h"
#include "state/store/store.h"

namespace penstock {

class View {
 public:
  explicit View(Store& store) : store_(store) {}

  void put(std::string_view key, std::string value);
  void erase(std::string_view key);
  // Erases adjacent rows, given in order and with no other row between them, as one operation of
  // the commit.
  void erase_rows(std::span<const std::string> keys);
  // For rows that are never read through the view again (dedup chunks, removed outbox rows).
  void erase_range_unseen(std::string_view from, std::string_view to);
  // Writes a row that get() and scan() need not show before its commit counts; it takes no space in
  // the overlay.
  void put_unseen(std::string_view key, std::string_view value) { batch_.put(key, value); }

  [[nodiscard]] bool get(std::string_view key, std::string* value);

  // Calls `row` for the rows in [from, to), in order, until it returns false.
  using RowFunction = std::function<bool(std::string_view key, std::string_view value)>;
  void scan(std::string_view from, std::string_view to, const RowFunction& row);

  // Like scan(), but skips rows: each call returns the key at which to continue, which must be
  // greater than the row's own, or nothing to stop. The whole scan uses one iterator.
  using SkipFunction =
      std::function<std::optional<std::string>(std::string_view key, std::string_view value)>;
  void scan_skipping(std::string_view from, std::string_view to, const SkipFunction& row);

  [[nodiscard]] const Batch& batch() const { return batch_; }
  [[nodiscard]] bool dirty() const { return !batch_.empty(); }

  // Writes an unchanged row again, into the commit being built (for the sweep of a trim).
  void carry(std::string_view key, std::string_view value) { batch_.put(key, value); }

  // The batch has been sent as commit `seq`; later changes belong to the next commit.
  void sent(std::uint64_t seq);
  // Commit `seq` counts, and the store has just accepted it.
  void applied(std::uint64_t seq);

  [[nodiscard]] Store& store() { return store_; }

 private:
  struct Change {
    std::optional<std::string> value;  // absent: erased
    std::uint64_t version = 0;         // of the change, increasing
  };
  using Overlay = std::map<std::string, Change, std::less<>>;
  // The iterator stays valid, because only the latest change of a key removes it, and commits count
  // in order.
  struct Made {
    Overlay::iterator at;
    std::uint64_t version;
  };
  struct Sent {
    std::uint64_t seq;
    std::vector<Made> changes;
    std::uint64_t taken = 0;  // written once the store has written this many
  };

  void change(std::string_view key, std::optional<std::string> value);
  void forget_written();

  Store& store_;
  Batch batch_;
  Overlay overlay_;
  std::uint64_t version_ = 0;
  std::vector<Made> changes_;
  std::deque<Sent> sent_;
  std::size_t counted_ = 0;  // of sent_, from the front
};

}  // namespace penstock
