// The running attempts of each account: over all hosts, never more than the account's concurrency.
// One thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"

namespace penstock::simulation {

class RunningAttempts {
 public:
  explicit RunningAttempts(CheckedRun& run) : run_(run) {}

  // `host` tells attempts of two hosts apart.
  void shown(std::size_t host, const AttemptKey& key, const std::string& account);
  void hidden(std::size_t host, const AttemptKey& key, const std::string& account);
  // Whether one more could start.
  [[nodiscard]] bool has_room(const std::string& account) const;

 private:
  [[nodiscard]] std::size_t most() const;

  CheckedRun& run_;
  std::map<std::string, std::set<std::pair<std::size_t, AttemptKey>>> running_;
};

}  // namespace penstock::simulation
