// A RowWriter that writes down what it is told, for tests of what a batch replays.
#pragma once

#include <string>
#include <vector>

#include "state/store/batch.h"

namespace penstock {

struct RowLog final : RowWriter {
  std::vector<std::string> operations;

  void put(std::string_view key, std::string_view value) override {
    operations.push_back("put " + std::string(key) + "=" + std::string(value));
  }
  void erase(std::string_view key) override { operations.push_back("erase " + std::string(key)); }
  void erase_range(std::string_view from, std::string_view to) override {
    operations.push_back("range " + std::string(from) + ".." + std::string(to));
  }
};

}  // namespace penstock
