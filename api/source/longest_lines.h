// The accounts with the longest lines, or with the most running attempts, of many, in bounded memory.
// Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "api/source/source.h"

namespace penstock {

class LongestLines {
 public:
  LongestLines(std::size_t limit, AccountOrder order) : limit_(limit), order_(order) {}

  // The parts of one account come in a row.
  void add(AccountLoad load);
  [[nodiscard]] std::vector<AccountLoad> take();

 private:
  void close();
  void cut();

  std::size_t limit_;
  AccountOrder order_;
  std::optional<AccountLoad> open_;
  std::vector<AccountLoad> kept_;
};

}  // namespace penstock
