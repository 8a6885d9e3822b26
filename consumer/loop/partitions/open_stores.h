// Which loop of the process has the rows of which partition open. A partition can move between two
// loops of one process, which have one store for it: the one that has it is told that it is wanted,
// as a request in the log tells a worker on another machine.
//
// Thread-safe: all loops of the process share one.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "topics/values/types.h"

namespace penstock {

class OpenStores {
 public:
  // Whether `loop` may open the rows. If another loop has them, they are wanted from now on, until
  // that loop has closed them.
  [[nodiscard]] bool open(const std::string& topic, PartitionId partition, std::size_t loop);
  void close(const std::string& topic, PartitionId partition);
  [[nodiscard]] bool is_wanted(const std::string& topic, PartitionId partition) const;

 private:
  using Key = std::pair<std::string, PartitionId>;
  struct Holder {
    std::size_t loop;
    bool wanted = false;
  };

  mutable std::mutex mutex_;
  std::map<Key, Holder> holders_;
};

}  // namespace penstock
