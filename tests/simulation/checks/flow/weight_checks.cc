#include "tests/simulation/checks/flow/weight_checks.h"

namespace penstock::simulation {

void WeightChecks::started(const Job& job) {
  if (job.starts > 0) return;
  if (job.account.starts_with(kPlainPrefix)) ++plain_[job.account];
  if (job.account != kWeightyAccount || ++weighty_ < kWeighedJobs) return;
  for (const auto& [account, started] : plain_) {
    rules_.check(Rule::kWeights, started <= kMaxPlain, [&, &name = account, &count = started] {
      return name + " has had " + std::to_string(count) + " turns when an account of weight " +
             std::to_string(kWeight) + " has had " + std::to_string(weighty_);
    });
  }
}

}  // namespace penstock::simulation
