#include "cli/remote/remote_sender.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace penstock {
namespace {

class RemoteSender final : public CommandSender {
 public:
  explicit RemoteSender(WorkerClient worker) : worker_(std::move(worker)) {}

  // Returns once the worker's log has acknowledged.
  Status send(const JobCommand& command) override {
    TargetQuery query;
    query.add("account", command.account);
    std::string target = queue_target(command.queue, "/jobs/" + percent_encoded(command.id));
    const bool deletes = command.op == "delete";
    if (!deletes) target += "/" + command.op;
    const std::string body =
        command.run_at_ms ? nlohmann::json{{"run_at", *command.run_at_ms}}.dump() : std::string();
    const auto answer = worker_.send(deletes ? "DELETE" : "POST", target + query.text(), body);
    return answer ? Status() : failure(answer.error().message);
  }

  Status finish() override { return {}; }

 private:
  WorkerClient worker_;
};

}  // namespace

std::unique_ptr<CommandSender> make_remote_sender(WorkerClient worker) {
  return std::make_unique<RemoteSender>(std::move(worker));
}

Result<std::unique_ptr<CommandSender>> open_command_sender(Program& program, const Reach& reach,
                                                           const RemoteOptions& options) {
  if (!reach.worker) return program.services().open_sender(reach.config);
  auto worker = worker_client(reach.config, options);
  if (!worker) return tl::unexpected(worker.error());
  return make_remote_sender(*std::move(worker));
}

}  // namespace penstock
