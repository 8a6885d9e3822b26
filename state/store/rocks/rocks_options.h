// The place of the database for a process's partitions, and how much memory it may use. A value.
#pragma once

#include <cstddef>
#include <string>

namespace penstock {

struct RocksOptions {
  // The most that all partitions together may collect during restores (not counting the rows that
  // are being written), and the least that one of them writes when they have collected that much.
  static constexpr std::size_t kMaxRestoredBytes = 64 << 20;
  static constexpr std::size_t kMinPieceBytes = 2 << 20;
  static constexpr std::size_t kMaxPieceBytes = 32 << 20;
  // How many changes in order give a kind of row its own table in a piece (see MergedRows).
  static constexpr std::size_t kRowsOfOwnTable = 1'000;

  std::string directory;
  std::size_t partitions = 1;                 // the most that there may be
  std::size_t write_buffer_bytes = 64 << 20;  // for all partitions together
  std::size_t block_cache_bytes = 64 << 20;
};

}  // namespace penstock
