// The combined effect of one or many logged batches: for each key the last change to it, in the
// order of the keys. A row that one commit writes and a later one erases never reaches the store,
// and rows in order are cheap to insert.
//
// Belongs to one thread. Keeps a copy of the batches until clear(); bytes() is its size.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "state/store/batch.h"
#include "topics/values/result.h"

namespace penstock {

class MergedRows {
 public:
  // Adds a batch after those already added. If it fails, they stay as they were.
  [[nodiscard]] Status add(std::string_view batch);

  // Kinds of row (the first bytes of their keys) that follow one another.
  struct Kinds {
    unsigned char first = 0, last = 0xff;
  };
  // All kinds that have changes, divided for tables that go into the store one after the other. A
  // kind with `many` changes that came in the order of their keys is alone: its table continues
  // where the last one ended, and the two need not be merged. In one table with other kinds, it
  // would overlap that one.
  [[nodiscard]] std::vector<Kinds> divided(std::size_t many) const;

  // Writes the result: first the erased ranges, which do not overlap, then the rows that came after
  // them, in the order of their keys. `bare`: the store is empty, so nothing has to be erased.
  void write(RowWriter& into, bool bare = false) { write(into, bare, Kinds()); }
  // Only rows of these kinds, and ranges that begin in them.
  void write(RowWriter& into, bool bare, const Kinds& kinds);

  void clear();
  [[nodiscard]] bool empty() const { return batches_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t kErased = 0xffffffff;

  // A change of a key. The 16 bytes after the key's kind are also stored as numbers, which for most
  // keys is all that a comparison needs.
  struct Change {
    std::uint64_t high = 0, low = 0;
    const char* key = nullptr;
    const char* value = nullptr;
    std::uint32_t key_size = 0;
    std::uint32_t value_size = 0;  // or kErased
    std::uint32_t number = 0;      // of the operation, increasing

    [[nodiscard]] std::string_view key_view() const { return {key, key_size}; }
    [[nodiscard]] int compare(const Change& other) const;
  };
  // The changes of one kind of row (the key's first byte), as they came. For most kinds they come
  // in order.
  struct Kind {
    std::vector<Change> changes;
    bool in_order = true;

    void add(const Change& change);
    void sort(std::vector<std::pair<std::uint64_t, std::uint32_t>>& scratch);
  };
  struct Range {
    std::string_view from, to;
    std::uint32_t number = 0;
  };
  class Collector;

  void take_range(const Range& range);
  void write_kind(Kind& kind, RowWriter& into, bool bare);
  [[nodiscard]] bool erased_by_a_range(const Change& change) const;
  void write_ranges(RowWriter& into, const Kinds& kinds);

  std::deque<LoggedBatch> batches_;  // what the views point into
  std::map<unsigned char, Kind> kinds_;
  std::vector<Range> ranges_;
  std::uint32_t next_number_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> scratch_;
};

}  // namespace penstock
