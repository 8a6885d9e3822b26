// What the checker holds weights against: the story of an account of weight 4 beside accounts of
// weight 1, all with as many jobs, however many of them run at once. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/simulation/input_model.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

inline constexpr std::string_view kWeightyAccount = "weighty";
inline constexpr std::string_view kPlainPrefix = "plain-";
inline constexpr int kPlainAccounts = 6;
inline constexpr int kWeight = 4;
inline constexpr int kWeighedJobs = 16;  // of each

class WeightChecks {
 public:
  explicit WeightChecks(Rules& rules) : rules_(rules) {}

  // Before the start is counted in the job.
  void started(const Job& job);

 private:
  // A quarter by weight; half where the weighty one has one place of four, and cannot use more.
  static constexpr int kMaxPlain = kWeighedJobs / 2 + 3;

  Rules& rules_;
  int weighty_ = 0;
  std::map<std::string, int> plain_;  // first starts by account
};

}  // namespace penstock::simulation
