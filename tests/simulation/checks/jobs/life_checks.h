// What the checker holds the end of an attempt's time against: it is over its timeout after it
// began, or after its last sign of life; not before that, and not later, or who hangs would keep
// its place and its slots. Beside hosts that stand still meanwhile. One thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "consumer/job/handler.h"
#include "tests/simulation/rules.h"
#include "topics/values/types.h"

namespace penstock::simulation {

class LifeChecks {
 public:
  explicit LifeChecks(Rules& rules) : rules_(rules) {}

  void started(std::size_t host, const AttemptRequest& request, Instant at);
  void alive(std::size_t host, const AttemptKey& key, Instant at);
  // Before it is hidden.
  void timed_out(std::size_t host, const AttemptKey& key, Instant at);
  void hidden(std::size_t host, const AttemptKey& key);
  void shown(std::size_t host, const AttemptKey& key);
  void check_end(Instant at);

 private:
  struct Life {
    std::string job;
    Duration timeout{0};
    Instant last{};  // sign of it
    bool runs = true;
    bool stood_still = false;  // its host
  };

  void check_late(const Life& life, Instant at);

  Rules& rules_;
  std::map<std::pair<std::size_t, AttemptKey>, Life> lives_;
};

}  // namespace penstock::simulation
