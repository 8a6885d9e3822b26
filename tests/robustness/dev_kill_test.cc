// `penstock dev` killed with -9 under load, again and again, and started where it was.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/conformance/temporary_directory.h"
#include "tests/robustness/attempt_trace.h"
#include "tests/robustness/process.h"

namespace penstock {
namespace {

using std::chrono::seconds;

constexpr int kAccounts = 6;
constexpr int kJobsAnAccount = 500;
constexpr std::size_t kRounds = 5;
constexpr seconds kPatience{100};  // a restart may wait for the lease of the one that was killed

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A queue, its file of jobs and the processes that work on it one after the other.
class DevKill : public testing::Test {
 protected:
  DevKill() : trace(path("trace")) {
    for (int n = 1; n <= kJobsAnAccount; ++n) {
      for (int a = 1; a <= kAccounts; ++a) add_job("account-" + std::to_string(a), job_id(n));
    }
    std::ofstream(path("penstock.json")) << nlohmann::json{
        {"state_dir", path("state")},
        {"http", {{"listen", "127.0.0.1:0"}}},
        {"queues",
         {{"mail",
           {{"types",
             {{"trace", {{"handler", {{"exec", {TRACER, path("trace")}}, {"children", 4}}}}}}}}}}}};
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return directory.path() + "/" + name;
  }
  // Of the process that was started last.
  [[nodiscard]] std::string out() const { return path("out-" + std::to_string(started)); }
  [[nodiscard]] std::string err() const { return path("err-" + std::to_string(started)); }
  // Of a fixed width, so that ids of an account are ordered as they were sent.
  static std::string job_id(int number) { return "job-" + std::to_string(10'000 + number); }

  void add_job(const std::string& account, const std::string& id) {
    jobs.emplace_back(account, id);
    std::ofstream(path("jobs"), std::ios::app)
        << nlohmann::json{{"account", account}, {"id", id}, {"type", "trace"}} << "\n";
  }

  // One for each account, behind everything else in the file.
  std::set<Identity> add_last_jobs(int number) {
    for (int a = 1; a <= kAccounts; ++a) add_job("account-" + std::to_string(a), job_id(number));
    return {jobs.end() - kAccounts, jobs.end()};
  }

  [[nodiscard]] std::unique_ptr<Process> start(bool with_jobs) {
    ++started;
    std::vector<std::string> argv{PENSTOCK, "--config", path("penstock.json"), "--json", "dev"};
    if (with_jobs) argv.insert(argv.end(), {"--from", path("jobs")});
    return std::make_unique<Process>(argv, Process::Files{out(), err()});
  }

  // What the process that ran last said was acknowledged.
  void note_acknowledged() {
    std::istringstream lines(text_of(out()));
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      const auto sent = nlohmann::json::parse(line);
      acknowledged.emplace(sent.at("account"), sent.at("id"));
    }
  }

  [[nodiscard]] bool all_ran(const std::set<Identity>& wanted) {
    trace.read_on();
    return std::includes(trace.jobs().begin(), trace.jobs().end(), wanted.begin(), wanted.end());
  }

  // From here on SIGTERM is an orderly end.
  [[nodiscard]] bool is_ready() const {
    return text_of(err()).find("info ready") != std::string::npos;
  }

  [[nodiscard]] std::string last_words() const {
    return "start " + std::to_string(started) + ": " + text_of(err());
  }

  // At first while jobs are still being acknowledged, then each time after more attempts, so that
  // it hits other moments.
  void kill_under_load() {
    for (std::size_t round = 1; round <= kRounds; ++round) {
      const auto process = start(true);
      trace.read_on();
      const std::size_t enough = trace.attempts().size() + 70 * round;
      ASSERT_TRUE(process->runs_until(
          [&] {
            trace.read_on();
            return round == 1 ? !text_of(out()).empty() : trace.attempts().size() >= enough;
          },
          kPatience))
          << last_words();
      process->kill();
      note_acknowledged();
    }
  }

  void run_until_done(bool with_jobs, const std::set<Identity>& wanted) {
    const auto process = start(with_jobs);
    const auto done = [&] { return is_ready() && all_ran(wanted); };
    ASSERT_TRUE(process->runs_until(done, kPatience)) << last_words();
    process->signal(SIGTERM);
    ASSERT_EQ(process->wait(kPatience), 0) << last_words();
  }

  const TemporaryDirectory directory;
  AttemptTrace trace;
  std::vector<Identity> jobs;  // in the order of the file
  std::set<Identity> acknowledged;
  int started = 0;
};

// Within one process a job runs once, and jobs of an account in their order; a new process may go
// back to what the killed one had not recorded, with a greater token.
void expect_order_and_tokens(const std::vector<TracedAttempt>& attempts) {
  std::map<std::pair<pid_t, std::string>, std::string> last_id;
  std::map<std::string, std::string> last_token;
  for (const TracedAttempt& seen : attempts) {
    std::string& id = last_id[{seen.worker, seen.job.first}];
    EXPECT_LT(id, seen.job.second) << seen.job.first << " in worker " << seen.worker;
    id = seen.job.second;
    std::string& token = last_token[seen.job.first];
    EXPECT_LT(token, seen.token) << seen.job.first << " " << seen.job.second;
    token = seen.token;
  }
}

TEST_F(DevKill, LosesNothingAndKeepsOrderAndIdentities) {
  ASSERT_NO_FATAL_FAILURE(kill_under_load());
  // Whatever was acknowledged runs without being sent again.
  ASSERT_FALSE(acknowledged.empty());
  ASSERT_NO_FATAL_FAILURE(run_until_done(false, acknowledged));
  // A start that was traced before a kill may have no recorded outcome, so its job may run again.
  // The last job of an account begins when all before it have ended, and an orderly end records
  // that.
  add_last_jobs(5'000);
  const std::set<Identity> all(jobs.begin(), jobs.end());
  ASSERT_NO_FATAL_FAILURE(run_until_done(true, all));
  EXPECT_EQ(trace.jobs(), all);

  // Sent once more, none of it runs. The last jobs lie behind all repeats of their accounts.
  const std::size_t before = trace.attempts().size();
  const std::set<Identity> last = add_last_jobs(6'000);
  ASSERT_NO_FATAL_FAILURE(run_until_done(true, last));
  for (std::size_t i = before; i < trace.attempts().size(); ++i) {
    const Identity& job = trace.attempts()[i].job;
    EXPECT_TRUE(last.contains(job)) << job.first << " " << job.second << " ran again";
  }
  expect_order_and_tokens(trace.attempts());
}

TEST(Demo, HoldsWhatItClaims) {
  const TemporaryDirectory directory;
  const std::string out = directory.path() + "/out", err = directory.path() + "/err";
  Process demo({PENSTOCK, "demo"}, {out, err});
  EXPECT_EQ(demo.wait(kPatience), 0) << text_of(out) << text_of(err);
  EXPECT_EQ(text_of(err), "");
}

}  // namespace
}  // namespace penstock
