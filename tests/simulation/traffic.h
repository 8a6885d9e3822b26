// What services produce in a run: jobs of a few accounts, now or for later, some of them twice,
// without an id, or in the wrong partition; commands; and rubbish. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/settings.h"

namespace penstock::simulation {

inline constexpr std::uint64_t kAccounts = 5;
[[nodiscard]] std::string account(std::uint64_t number);

class Traffic {
 public:
  Traffic(const Settings& settings, SimulatedCluster& cluster);
  void start();
  // A bulk of one id; `name` tells its chunks from those of another.
  void twin(const std::string& name);

 private:
  struct Known {
    std::string account, id;
  };

  void next();
  void one();
  void job(const std::string& more, bool misrouted = false);
  void bulk();
  void chunk(const std::string& account, const std::string& bulk, std::uint64_t index,
             std::uint64_t size, const std::string& id, const std::string& more);
  void repeat();
  void command(const char* op, const std::string& more);
  void rubbish();
  void oversized(std::size_t bytes);
  void quiet_story();
  void bulk_story();
  void newcomer_story();
  void weight_story();
  void limited();
  void gathered();
  void sized();
  void sized_story();
  void killing_story();
  void led();
  void stream_story();
  void unique_ones();
  void failing();
  void iterating();
  void paused_story();
  void shared();
  void set_shared();
  void set_local();
  void shaken_story();
  void append(const std::string& account, const std::string& value, bool misrouted = false);
  [[nodiscard]] std::string in_ms(std::int64_t least, std::int64_t most);
  [[nodiscard]] const Known& recent();

  const Settings& settings_;
  SimulatedCluster& cluster_;
  simulated::Random random_, sizes_;
  std::vector<Known> known_;
  std::uint64_t ids_ = 0, bulks_ = 0;
};

}  // namespace penstock::simulation
