// Many runs in processes of their own, so that a failed check ends one process and its seed is
// known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::simulation {

struct Campaign {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;  // at most
  int processes = 1;
  bool stop_at_first = false;    // violation
  bool foreign_trims = false;    // in every run somebody else cuts the logs
  bool recreate_topics = false;  // in every run somebody creates topics again
  bool silent = false;           // what a run says on standard error is thrown away
};

// A violation begins with the name of the rule that was broken and ": ", or with one of these where
// the run has ended its process: by a failed check or a bad access, by a loop without end.
inline constexpr std::string_view kCrashed = "crashed", kHung = "hung";

struct CampaignResult {
  std::uint64_t runs = 0, jobs = 0;
  std::map<std::uint64_t, std::string> violations;  // by seed
  std::vector<std::string> failures;           // of the machine below: what then ran proves nothing
  std::map<std::string, std::uint64_t> rules;  // how often each was put to the test
  std::map<std::string, std::uint64_t> faults;  // how often each fired
};

[[nodiscard]] CampaignResult run_campaign(const Campaign& campaign);

// The command that runs a seed again, with its trace.
[[nodiscard]] std::string replay_command(std::uint64_t seed);

}  // namespace penstock::simulation
