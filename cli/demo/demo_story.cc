#include "cli/demo/demo_story.h"

#include <algorithm>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "consumer/loop/loop.h"

namespace penstock {
namespace {

constexpr const char* kQuick = "demo.quick";
constexpr const char* kFlaky = "demo.flaky";
constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::chrono::seconds kAnswerWithin{10};

TaskCounters counters_of(Loop& loop) {
  TaskCounters counters = loop.past_counters();
  for (const PartitionId partition : loop.partitions()) {
    Tenure* const tenure = loop.tenure(partition);
    if (tenure) counters += tenure->commits().counters();
  }
  return counters;
}

// Asks every loop on its own thread. The promise is shared, because a loop may answer late.
TaskCounters ask_counters(Runtime& runtime) {
  TaskCounters counters;
  for (const auto& queue : runtime.loops()) {
    for (Loop* const loop : queue.loops) {
      auto promise = std::make_shared<std::promise<TaskCounters>>();
      auto answer = promise->get_future();
      loop->mailbox().call([promise](Loop& asked, Now) { promise->set_value(counters_of(asked)); });
      // A loop that does not answer is left out; the caller asks again.
      if (answer.wait_for(kAnswerWithin) == std::future_status::ready) counters += answer.get();
    }
  }
  return counters;
}

}  // namespace

QueuePolicy demo_policy(const DemoScale& scale) {
  QueuePolicy queue;
  queue.name = kDemoQueue;
  queue.account_concurrency = scale.places;     // a single account could fill the worker
  queue.types[kQuick].timeout = kDemoPatience;  // the first ones wait for the gate
  TypePolicy& flaky = queue.types[kFlaky];
  flaky.retry.base = scale.backoff;
  flaky.retry.factor = 2;
  flaky.retry.jitter = 0;
  return queue;
}

HandlerTable DemoStory::handlers() {
  const auto is_ours = [this](const Attempt& attempt) { return attempt.id().starts_with(run_); };
  HandlerTable table;
  table[kQuick] = [this, is_ours](Attempt& attempt) {
    if (!is_ours(attempt)) return cancel("left behind by an earlier demo");
    if (!trace_.wait_for_gate()) return cancel("the demo was given up");
    const std::size_t run = trace_.started(attempt);
    std::this_thread::sleep_for(scale_.job_length);  // the job's work
    trace_.ended(run, true);
    return done();
  };
  table[kFlaky] = [this, is_ours](Attempt& attempt) {
    if (!is_ours(attempt)) return cancel("left behind by an earlier demo");
    const bool good = attempt.attempt() > kDemoFailures;
    trace_.ended(trace_.started(attempt), good);
    return good ? done() : retry("the other side is away");
  };
  return table;
}

std::string DemoStory::id(std::string_view name, std::size_t number) const {
  return run_ + "-" + std::string(name) + "-" + std::to_string(number);
}

void DemoStory::send(Producer& producer, const std::string& account, NewJob job, bool repeat) {
  job.queue = kDemoQueue;
  job.account = account;
  if (job.type.empty()) job.type = kQuick;
  // Before the job is sent, because its handler may run before enqueue() has returned.
  const std::size_t number = trace_.sent(account, job.id, repeat);
  producer.enqueue(job, [this, number](const Delivery& delivery) {
    if (!delivery.failure) trace_.acknowledged(number);
  });
}

void DemoStory::send_noisy(Producer& producer) {
  for (std::size_t i = 1; i <= scale_.noisy_jobs; ++i) {
    send(producer, kNoisyAccount, {.id = id("noisy", i)});
  }
}

// Round by round, so that the accounts arrive at the same time. Before the last round, each
// account's first job is sent again, as by a client that never learned that it had arrived.
void DemoStory::send_others(Producer& producer) {
  for (std::size_t round = 1; round <= scale_.jobs_each; ++round) {
    for (std::size_t i = 1; i <= scale_.others; ++i) {
      const std::string account = "account-" + std::to_string(i);
      if (round == scale_.jobs_each) send(producer, account, {.id = id("job", 1)}, true);
      send(producer, account, {.id = id("job", round)});
    }
  }
}

void DemoStory::send_flaky_and_later(Producer& producer) {
  send(producer, kFlakyAccount, {.type = kFlaky, .id = flaky_id()});
  send(producer, kFlakyAccount, {.id = id("after-flaky", 1)});
  run_at_ =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::system_clock::now()) + scale_.later;
  send(producer, kLaterAccount, {.id = later_id(), .run_at = run_at_});
}

DemoTold DemoStory::told() const {
  return {scale_,          flaky_id(),  later_id(),     run_at_,
          trace_.opened(), duplicates_, trace_.sends(), trace_.runs()};
}

std::size_t DemoStory::jobs_to_run() const {
  // The last three are the flaky job, the one behind it, and the one for later.
  return scale_.noisy_jobs + scale_.others * scale_.jobs_each + 3;
}

// From here on, what starts next is the scheduler's choice among all accounts' jobs, and does not
// depend on how fast this machine sends and reads.
Status DemoStory::wait_until_admitted(LocalWorker& worker, DemoTime until) const {
  const std::size_t sent = trace_.sends().size();
  for (;;) {
    const TaskCounters counters = ask_counters(worker.runtime());
    // Repeats are not admitted; they end as duplicates.
    if (counters.admitted + counters.duplicate >= sent) return {};
    if (trace_.given_up()) return failure("the demo was given up");
    if (std::chrono::steady_clock::now() >= until) {
      return failure("the worker has admitted only " + std::to_string(counters.admitted) + " of " +
                     std::to_string(sent) + " jobs when the story had to end");
    }
    std::this_thread::sleep_for(kLookEvery);
  }
}

Status DemoStory::play(LocalWorker& worker) {
  const DemoTime until = std::chrono::steady_clock::now() + kDemoPatience;
  Producer& producer = worker.producer();
  send_noisy(producer);
  send_others(producer);
  send_flaky_and_later(producer);
  while (!producer.flush(kLookEvery)) {
    if (std::chrono::steady_clock::now() >= until) return failure("the log acknowledges nothing");
  }
  if (Status admitted = wait_until_admitted(worker, until); !admitted) return admitted;
  trace_.open_gate();
  if (!trace_.wait_for_successes(jobs_to_run(), until)) {
    const auto runs = trace_.runs();
    const auto ended =
        std::count_if(runs.begin(), runs.end(), [](const DemoRun& run) { return run.succeeded; });
    return failure("only " + std::to_string(ended) + " of " + std::to_string(jobs_to_run()) +
                   " jobs have ended when the story had to");
  }
  duplicates_ = ask_counters(worker.runtime()).duplicate;
  return {};
}

}  // namespace penstock
