#include "cli/bench_command.h"

#include <nlohmann/json.hpp>
#include <string>

#include "bench/rig/bench.h"

namespace penstock {
namespace {

class BenchCommand final : public Command {
 public:
  explicit BenchCommand(const Bench& bench) : bench_(bench) {}

  [[nodiscard]] Exit run(Program& program) override {
    auto config = program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    options_.properties = std::move(config->kafka);
    options_.note = [&program](const std::string& line) { program.output().note(line); };
    const auto report = bench_.run(options_);
    if (!report)
      return program.fail("bench " + std::string(bench_.name) + ": " + report.error().message);
    program.output().json(*report);
    return Exit::kDone;
  }

  void add_options(CLI::App& command) {
    command.add_option("--jobs", options_.jobs, "Number of jobs, instead of the benchmark's own");
    command.add_option("--accounts", options_.accounts, "Number of accounts");
    command.add_option("--rows", options_.rows, "Number of rows in the state");
    command.add_option("--state-mb", options_.state_mb, "Sizes of a partition's state, in MB")
        ->delimiter(',')
        ->check(CLI::Range(1, 4000));
    command.add_option("--partitions", options_.partitions, "Number of partitions")
        ->check(CLI::Range(1, 1000));
    command.add_option("--rounds", options_.rounds, "How often the two are measured alternately")
        ->check(CLI::Range(1, 100));
    command.add_option("--seconds", options_.seconds, "How long an idle worker is watched")
        ->check(CLI::Range(1, 3600));
    command.add_option("--threads", options_.threads, "Loop threads per queue")
        ->check(CLI::Range(1, 64));
  }

 private:
  const Bench& bench_;
  BenchOptions options_;
};

}  // namespace

void add_bench_command(Program& program) {
  CLI::App& group = program.add_group("bench", "The project's benchmarks, on a real Kafka");
  for (const Bench& bench : program.services().benches) {
    auto command = std::make_unique<BenchCommand>(bench);
    BenchCommand& options = *command;
    options.add_options(
        program.add_command(group, bench.name, bench.description, std::move(command)));
  }
}

}  // namespace penstock
