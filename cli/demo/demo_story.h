// The story that `demo` plays: a noisy account sends thousands of jobs, followed by other accounts
// with a few each, repeated ids, a job that fails twice, and one for later. Handlers begin to work
// once all of that has been admitted. This class contains the queue, its handlers and the sending;
// cli/demo/demo_findings.h judges the outcome.
#pragma once

#include <chrono>
#include <string>

#include "cli/demo/demo_trace.h"
#include "cli/work/local_worker.h"
#include "consumer/handlers/native/pool_executor.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

struct DemoScale {
  std::size_t noisy_jobs = 5'000;
  std::chrono::milliseconds job_length{5};
  int places = 10;  // running attempts, of the worker and of one account
  std::size_t others = 20;
  std::size_t jobs_each = 5;  // per other account
  Duration backoff{500};      // before the first retry; doubled before the second
  std::chrono::milliseconds later{1'000};
};

inline constexpr const char* kDemoQueue = "demo";
inline constexpr const char* kNoisyAccount = "acme";
inline constexpr const char* kFlakyAccount = "globex";
inline constexpr const char* kLaterAccount = "initech";
inline constexpr int kDemoFailures = 2;
inline constexpr std::chrono::seconds kDemoPatience{60};  // for the whole story

[[nodiscard]] QueuePolicy demo_policy(const DemoScale& scale);

// What happened in a story that was played, as input for its findings.
struct DemoTold {
  DemoScale scale;
  std::string flaky_id, later_id;
  std::chrono::system_clock::time_point run_at{};  // that of the job for later
  DemoTime opened{};                               // when the first job could run
  std::uint64_t duplicates = 0;                    // records that the worker counted as duplicates
  std::vector<DemoSend> sends;
  std::vector<DemoRun> runs;
};

// `run` identifies one run of the demo: the ids of its jobs begin with it, and other jobs are not
// run.
class DemoStory {
 public:
  DemoStory(const DemoScale& scale, std::string run) : scale_(scale), run_(std::move(run)) {}

  [[nodiscard]] HandlerTable handlers();
  // Sends everything and waits until all of it has ended. To be called from one thread.
  [[nodiscard]] Status play(LocalWorker& worker);
  // Ends play() early. May be called from any thread.
  void give_up() { trace_.give_up(); }

  [[nodiscard]] const DemoScale& scale() const { return scale_; }
  [[nodiscard]] DemoTold told() const;

 private:
  [[nodiscard]] std::string id(std::string_view name, std::size_t number) const;
  [[nodiscard]] std::string flaky_id() const { return id("flaky", 1); }
  [[nodiscard]] std::string later_id() const { return id("later", 1); }
  void send(Producer& producer, const std::string& account, NewJob job, bool repeat = false);
  void send_noisy(Producer& producer);
  void send_others(Producer& producer);
  void send_flaky_and_later(Producer& producer);
  [[nodiscard]] Status wait_until_admitted(LocalWorker& worker, DemoTime until) const;
  [[nodiscard]] std::size_t jobs_to_run() const;

  const DemoScale scale_;
  const std::string run_;
  DemoTrace trace_;
  std::uint64_t duplicates_ = 0;
  std::chrono::system_clock::time_point run_at_{};
};

}  // namespace penstock
