#include "bench/failover/group_worker.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/failover/partition_load.h"

namespace penstock {
namespace {

std::string write_config(const BenchQueue& queue, const StartPipe& pipe,
                         const GroupWorkerOptions& options) {
  nlohmann::json policy = {
      {"partitions", queue.policy().partitions},
      {"types", {{PartitionLoad::kType, {{"handler", pipe.handler(options.number)}}}}}};
  if (options.standbys) policy["standbys"] = 1;
  const nlohmann::json config = {{"kafka", queue.properties()},
                                 {"state_dir", options.directory + "/state"},
                                 {"prefix", queue.prefix()},
                                 {"http", {{"listen", "127.0.0.1:0"}}},
                                 {"queues", {{queue.policy().name, policy}}}};
  std::filesystem::create_directories(options.directory);
  const std::string path = options.directory + "/penstock.json";
  std::ofstream(path) << config.dump();
  return path;
}

}  // namespace

Result<std::unique_ptr<GroupWorker>> GroupWorker::start(const BenchQueue& queue,
                                                        const StartPipe& pipe,
                                                        const GroupWorkerOptions& options) {
  std::vector<std::string> arguments{"--config", write_config(queue, pipe, options), "work"};
  if (!options.instance.empty()) {
    arguments.emplace_back("--instance");
    arguments.push_back(options.instance);
  }
  auto child = Child::run_self(arguments);
  if (!child) return tl::unexpected(child.error());
  return std::unique_ptr<GroupWorker>(new GroupWorker(std::move(*child), options.number));
}

void GroupWorker::kill() const { ::kill(child_->pid(), SIGKILL); }

}  // namespace penstock
