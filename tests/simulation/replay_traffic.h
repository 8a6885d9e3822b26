// What operators do with replays in a run: start one, and perhaps another, pause and resume it, or
// cancel it. All of it follows from random number generators of its own: in half of the runs, one
// draws what the replays select and where their copies go. One thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/replay/replay_record.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

class ReplayTraffic {
 public:
  ReplayTraffic(const Settings& settings, SimulatedCluster& cluster);
  void start();
  // Deletes all there are.
  void remove();

  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  void start_more(Instant first);
  void begin(const std::string& name);
  void pause(const std::string& name);
  void resume(const std::string& name);
  void cancel(const std::string& name);
  void erase(const std::string& name);
  void erase_once_ended(bool comes_again, Instant::duration waits);
  void resume_what_pauses_itself(const std::string& name);
  // A command that names a copy, which may be there or not.
  void command();
  void say(const std::string& name, ReplayRecord record);
  // What the control topic says of it last.
  [[nodiscard]] Control everything_said() const;
  [[nodiscard]] ReplayRecord newest(const std::string& name) const;
  [[nodiscard]] ReplayTerms draw_terms();
  // More of what a replay can have.
  [[nodiscard]] ReplayTerms draw_more_terms(const std::string& name);
  void draw_source(nlohmann::json& terms);
  // Of records of the queue's topic.
  [[nodiscard]] std::vector<std::string> some_ids();
  [[nodiscard]] Time some_time();

  const Settings& settings_;
  SimulatedCluster& cluster_;
  simulated::Random random_, more_;
  const bool has_more_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace penstock::simulation
