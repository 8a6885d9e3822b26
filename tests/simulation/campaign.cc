#include "tests/simulation/campaign.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/simulation/simulation.h"
#include "topics/check.h"

namespace penstock::simulation {
namespace {

constexpr unsigned kSecondsARun = 60;  // a run that loops for ever is ended

// A line each: "run SEED", "broken TEXT", "rule COUNT NAME", "fault COUNT NAME", "jobs COUNT".
void run_seeds(const Campaign& campaign, int process, std::FILE* out) {
  plant(campaign.bug);
  for (std::uint64_t i = static_cast<std::uint64_t>(process); i < campaign.seeds;
       i += static_cast<std::uint64_t>(campaign.processes)) {
    // Of the processor's time: a busy machine is no hang.
    const itimerval limit{{0, 0}, {kSecondsARun, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    Settings settings(campaign.first + i);
    if (needs_foreign_trims(campaign.bug)) settings.foreign_trims = true;
    std::fprintf(out, "run %llu\n", static_cast<unsigned long long>(settings.seed));
    std::fflush(out);
    Simulation simulation(settings);
    const Report report = simulation.run();
    if (report.violation) std::fprintf(out, "broken %s\n", report.violation->c_str());
    for (std::size_t rule = 0; rule < kRules; ++rule) {
      std::fprintf(out, "rule %llu %s\n", static_cast<unsigned long long>(report.exercised[rule]),
                   std::string(to_string(static_cast<Rule>(rule))).c_str());
    }
    for (const auto& [fault, count] : report.faults) {
      std::fprintf(out, "fault %llu %s\n", static_cast<unsigned long long>(count), fault.c_str());
    }
    std::fprintf(out, "jobs %llu\n", static_cast<unsigned long long>(report.jobs));
    if (report.violation && campaign.stop_at_first) break;
  }
  std::fclose(out);
}

void read_line(const std::string& line, std::uint64_t& seed, CampaignResult& result) {
  const std::size_t space = line.find(' ');
  const std::string word = line.substr(0, space), rest = line.substr(space + 1);
  if (word == "run") {
    seed = std::stoull(rest);
    ++result.runs;
  } else if (word == "broken") {
    result.violations[seed] = rest;
  } else if (word == "jobs") {
    result.jobs += std::stoull(rest);
  } else {
    const std::size_t name = rest.find(' ');
    auto& counts = word == "rule" ? result.rules : result.faults;
    counts[rest.substr(name + 1)] += std::stoull(rest);
  }
}

struct Child {
  pid_t pid;
  std::FILE* out;
};

// What a child has to say goes into a file: a pipe that nobody reads yet would hold it up.
Child begin(const Campaign& campaign, int process) {
  std::FILE* const out = std::tmpfile();
  PENSTOCK_CHECK(out, "there is room for a temporary file");
  std::fflush(nullptr);
  const pid_t pid = fork();
  PENSTOCK_CHECK(pid >= 0, "there is a process to be had");
  if (pid != 0) return {pid, out};
  if (campaign.bug != Bug::kNone && !std::freopen("/dev/null", "w", stderr)) _exit(1);
  run_seeds(campaign, process, out);
  _exit(0);
}

void finish(const Child& child, CampaignResult& result) {
  int status = 0;
  waitpid(child.pid, &status, 0);
  std::rewind(child.out);
  std::uint64_t seed = 0;
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, child.out) > 0) {
    line[std::strcspn(line, "\n")] = 0;
    read_line(line, seed, result);
  }
  std::free(line);
  std::fclose(child.out);
  if (WIFSIGNALED(status)) {
    result.violations[seed] = "the process ended with signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    result.violations[seed] = "the process exited with " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

CampaignResult run_campaign(const Campaign& campaign) {
  std::vector<Child> children;
  for (int i = 0; i < campaign.processes; ++i) children.push_back(begin(campaign, i));
  CampaignResult result;
  for (const Child& child : children) finish(child, result);
  return result;
}

std::string replay_command(Bug bug, std::uint64_t seed) {
  std::string command = kHasBugs ? "simulation_planted_test" : "simulation_test";
  command += " --seed " + std::to_string(seed);
  if (bug != Bug::kNone) command += " --bug " + std::string(to_string(bug));
  return command + " --trace";
}

}  // namespace penstock::simulation
