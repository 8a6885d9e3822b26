#include "cli/demo/demo_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cli/demo/demo_findings.h"
#include "cli/demo/demo_report.h"
#include "cli/demo/demo_story.h"
#include "cli/produce/cli_producer.h"
#include "cli/work/local_worker.h"
#include "cli/work/work_log.h"
#include "consumer/worker/in_place/stop_signals.h"

namespace penstock {
namespace {

class ScratchDirectory {
 public:
  [[nodiscard]] Status make() {
    path_ = (std::filesystem::temp_directory_path() / "penstock-demo-XXXXXX").string();
    if (mkdtemp(path_.data())) return {};
    return failure("cannot create a directory in " +
                   std::filesystem::temp_directory_path().string() +
                   ": does it exist, and is it writable?");
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Distinguishes this run from others on the same brokers.
std::string run_name() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return "run-" + std::to_string(std::chrono::duration_cast<Duration>(now).count()) + "-" +
         std::to_string(getpid());
}

class DemoCommand final : public Command {
 public:
  [[nodiscard]] Exit run(Program& program) override;

 private:
  [[nodiscard]] Result<RuntimeOptions> worker_options(const Program& program, DemoStory& story,
                                                      const std::string& directory) const;
  [[nodiscard]] Result<std::unique_ptr<LocalWorker>> open(Program& program, RuntimeOptions options,
                                                          Runtime::Sink sink) const;
  [[nodiscard]] Status play(LocalWorker& worker, DemoStory& story, StopSignals& signals) const;
};

Result<RuntimeOptions> DemoCommand::worker_options(const Program& program, DemoStory& story,
                                                   const std::string& directory) const {
  auto config = program.config();
  if (!config) return tl::unexpected(config.error());
  RuntimeOptions options;
  options.config = *std::move(config);
  options.config.state_dir = directory;
  options.config.queues = {demo_policy(story.scale())};
  options.concurrency = story.scale().places;
  options.handler_threads = story.scale().places;
  options.functions = story.handlers();
  options.reports_failed_attempts = false;  // failures are part of the story
  return options;
}

// Uses Kafka only if brokers were named for this call: a demo must not accidentally run on the
// brokers of a config file.
Result<std::unique_ptr<LocalWorker>> DemoCommand::open(Program& program, RuntimeOptions options,
                                                       Runtime::Sink sink) const {
  if (!program.brokers_named()) {
    return LocalWorker::open_embedded_in(std::move(options), std::move(sink));
  }
  auto log = program.services().open_log(options.config);
  if (!log) return tl::unexpected(log.error());
  auto producer = open_cli_producer(options.config, SendPattern::kMany);
  if (!producer) return tl::unexpected(producer.error());
  return LocalWorker::open_on(*std::move(log), *std::move(producer), std::move(options),
                              std::move(sink));
}

// The worker runs on this thread and the story on another.
Status DemoCommand::play(LocalWorker& worker, DemoStory& story, StopSignals& signals) const {
  signals.on_first([&] {
    // The worker may have stopped by itself, and then the story would wait for it in vain.
    story.give_up();
    worker.runtime().stop();
  });
  Status played = failure("the worker ended before the story began");
  std::jthread teller;
  const int status = worker.runtime().run([&] {
    teller = std::jthread([&] {
      played = story.play(worker);
      worker.runtime().stop();
    });
  });
  story.give_up();
  if (teller.joinable()) teller.join();
  signals.on_first([] {});  // nothing is left to stop
  if (played && status != 0) return failure("the worker could not stop cleanly");
  return played;
}

Exit DemoCommand::run(Program& program) {
  const auto began = std::chrono::steady_clock::now();
  ScratchDirectory directory;
  if (Status made = directory.make(); !made) return program.fail(made.error().message);
  // Declared before the worker, whose handlers use it.
  DemoStory story({}, run_name());
  auto options = worker_options(program, story, directory.path());
  if (!options) return program.usage_error(options.error().message);

  // Before any thread is started: threads inherit the blocked signals, and those that existed
  // before could be interrupted.
  StopSignals signals;
  WorkLog log(false);
  auto worker =
      open(program, *std::move(options), [&](std::string_view level, const std::string& text) {
        if (level != "info") log.write(level, text);
      });
  if (!worker) return program.fail(worker.error().message);
  DemoReport report(program.output());
  report.introduce(story, program.brokers_named());
  if (Status played = play(**worker, story, signals); !played) {
    return program.fail(played.error().message);
  }
  const DemoFindings findings = judge(story.told());
  report.conclude(findings, std::chrono::steady_clock::now() - began);
  return findings.all_held() ? Exit::kDone : Exit::kFailed;
}

}  // namespace

void add_demo_command(Program& program) {
  program.add_command(program.root(), "demo",
                      "Play and measure the story of a noisy account; needs no Kafka",
                      std::make_unique<DemoCommand>());
}

}  // namespace penstock
