#include "tests/simulation/campaign.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "tests/simulation/simulation.h"
#include "topics/values/check.h"

namespace penstock::simulation {
namespace {

constexpr unsigned kSecondsARun = 60;  // a run that loops for ever is ended

// How a process ends for which the machine has no room: no rule was broken.
constexpr int kNotSilent = 2, kNotWritten = 3, kNoMemory = 4;

std::string failure_of(int status) {
  switch (status) {
    case kNotSilent:
      return "standard error cannot be sent to /dev/null";
    case kNotWritten:
      return "there is no room for what a run has found";
    case kNoMemory:
      return "there is no memory left";
    default:
      return "the process exited with " + std::to_string(status);
  }
}

// What a run's own fault ends its process with; any other signal comes from elsewhere.
std::optional<std::string> violation_of(int signal) {
  const std::string number = ": signal " + std::to_string(signal);
  switch (signal) {
    case SIGPROF:
      return std::string(kHung) + number + ", after " + std::to_string(kSecondsARun) + " s";
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
      return std::string(kCrashed) + number;
    default:
      return std::nullopt;
  }
}

// A line each: "run SEED", "broken TEXT", "rule COUNT NAME", "fault COUNT NAME", "jobs COUNT".
void run_seeds(const Campaign& campaign, int process, std::FILE* out) {
  for (std::uint64_t i = static_cast<std::uint64_t>(process); i < campaign.seeds;
       i += static_cast<std::uint64_t>(campaign.processes)) {
    // Of the processor's time: a busy machine is no hang.
    const itimerval limit{{0, 0}, {kSecondsARun, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    Settings settings(campaign.first + i);
    if (campaign.foreign_trims) settings.let_others_trim();
    if (campaign.recreate_topics) settings.recreate_topics();
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
  const bool written = std::ferror(out) == 0;
  if (std::fclose(out) != 0 || !written) _exit(kNotWritten);
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
  if (campaign.silent && !std::freopen("/dev/null", "w", stderr)) _exit(kNotSilent);
  std::set_new_handler([] { _exit(kNoMemory); });
  run_seeds(campaign, process, out);
  _exit(0);
}

void finish(const Child& child, CampaignResult& result) {
  int status = 0;
  PENSTOCK_CHECK(waitpid(child.pid, &status, 0) == child.pid, "a process that was begun ends");
  std::rewind(child.out);
  std::uint64_t seed = 0;
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, child.out) > 0) {
    const std::size_t end = std::strcspn(line, "\n");
    if (line[end] == 0) break;  // cut off
    line[end] = 0;
    read_line(line, seed, result);
  }
  std::free(line);
  if (std::ferror(child.out)) result.failures.emplace_back("what a run has found cannot be read");
  std::fclose(child.out);
  if (WIFSIGNALED(status)) {
    const auto violation = seed > 0 ? violation_of(WTERMSIG(status)) : std::nullopt;
    if (violation) result.violations[seed] = *violation;
    if (!violation)
      result.failures.push_back("the process ended with signal " +
                                std::to_string(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    result.failures.push_back(failure_of(WEXITSTATUS(status)));
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

std::string replay_command(std::uint64_t seed) {
  return "simulation_test --seed " + std::to_string(seed) + " --trace";
}

}  // namespace penstock::simulation
