// What a partition's owner sees: the store under the commits that are in flight and the one being
// written. Every change goes into the batch of the commit being written and into the overlay; when
// a commit counts, the store takes its rows, and the overlay forgets them when the store has
// written them.
//
// Used by the partition's one thread. A scan must not outlive a change.
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
  // Rows that lie one after the other, in their order and with none between them: one operation of
  // the commit.
  void erase_rows(std::span<const std::string> keys);
  // For rows that are never read through the view again (dedup chunks, outbox rows that are gone).
  void erase_range_unseen(std::string_view from, std::string_view to);
  // A row that is written but not read back through get() or scan() before its commit counts; it
  // costs no place in the overlay.
  void put_unseen(std::string_view key, std::string_view value) { batch_.put(key, value); }

  [[nodiscard]] bool get(std::string_view key, std::string* value);

  // Calls `row` for the rows in [from, to) in order until it returns false.
  using RowFunction = std::function<bool(std::string_view key, std::string_view value)>;
  void scan(std::string_view from, std::string_view to, const RowFunction& row);

  // As scan(), but passes over rows: each call returns the key to go on at, which lies behind the
  // row's own, or nothing to stop. One iterator serves the whole scan.
  using SkipFunction =
      std::function<std::optional<std::string>(std::string_view key, std::string_view value)>;
  void scan_skipping(std::string_view from, std::string_view to, const SkipFunction& row);

  [[nodiscard]] const Batch& batch() const { return batch_; }
  [[nodiscard]] bool dirty() const { return !batch_.empty(); }

  // Writes a row again as it stands, into the commit being written (for the trim's sweep).
  void carry(std::string_view key, std::string_view value) { batch_.put(key, value); }

  // The batch has been sent as commit `seq`: what follows belongs to the next one.
  void sent(std::uint64_t seq);
  // Commit `seq` counts, and the store has just taken it.
  void applied(std::uint64_t seq);

  [[nodiscard]] Store& store() { return store_; }

 private:
  struct Change {
    std::optional<std::string> value;  // absent: erased
    std::uint64_t version = 0;         // of the change, growing
  };
  using Overlay = std::map<std::string, Change, std::less<>>;
  // A change's place stays valid: only the latest change of a key takes it out, and commits count
  // in order.
  struct Made {
    Overlay::iterator at;
    std::uint64_t version;
  };
  struct Sent {
    std::uint64_t seq;
    std::vector<Made> changes;
    std::uint64_t taken = 0;  // the store has written it when it has written so many
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
