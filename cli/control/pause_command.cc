#include "cli/control/pause_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/control/control_list.h"
#include "cli/jobs/job_selection.h"
#include "cli/program/operator_name.h"
#include "cli/program/queue_choice.h"
#include "cli/program/table.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "consumer/control/pause_table.h"
#include "consumer/worker/control_client.h"

namespace penstock {
namespace {

struct PauseChange : Command {
  explicit PauseChange(bool is_pause) : pauses(is_pause) {}

  const bool pauses;
  std::string what;
  std::string account;

  RemoteOptions worker;

  Exit run(Program& program) override {
    auto reach = find_reach(program, worker);
    if (!reach) return program.usage_error(reach.error().message);
    const Result<PauseTarget> target = read_target();
    if (!target) return program.usage_error(target.error().message);
    return reach->worker ? change_there(program, *reach->worker, *target)
                         : change_in_kafka(program, reach->config, *target);
  }

 private:
  [[nodiscard]] Result<PauseTarget> read_target() const {
    const std::size_t slash = what.find('/');
    PauseTarget target{what.substr(0, slash),
                       slash == std::string::npos ? "" : what.substr(slash + 1), account};
    if (target.queue.empty() || (slash != std::string::npos && target.type.empty())) {
      return failure("found \"" + what + "\", expected QUEUE or QUEUE/TYPE");
    }
    if (const Status good = check_pause_target(target); !good) return tl::unexpected(good.error());
    return target;
  }

  Exit change_in_kafka(Program& program, const Config& config, const PauseTarget& target) const {
    // The pause of a misspelled queue would have no effect, and nobody would notice.
    const auto chosen = chosen_queues(config, {target.queue});
    if (!chosen) return fail(program, chosen.error());
    auto log = program.services().open_log(config);
    if (!log) return program.fail(log.error().message);
    ControlClient client(**log, config.prefix);
    const Time since = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    const auto value =
        pauses ? std::optional(to_json(Pause{since, operator_name()})) : std::nullopt;
    if (const Status set = client.set(pause_key(target), value); !set)
      return program.fail(set.error().message);
    say(program.output(), target);
    return Exit::kDone;
  }

  Exit change_there(Program& program, WorkerClient& client, const PauseTarget& target) const {
    TargetQuery query;
    query.add("type", target.type);
    query.add("account", target.account);
    query.add("by", operator_name());
    const auto answer = client.send(
        "POST", queue_target(target.queue, pauses ? "/pause" : "/resume") + query.text());
    if (!answer) return fail(program, answer.error());
    say(program.output(), target);
    return Exit::kDone;
  }

  void say(Output& output, const PauseTarget& target) const {
    if (output.is_json()) {
      output.json({{"op", pauses ? "pause" : "resume"},
                   {"queue", target.queue},
                   {"type", target.type},
                   {"account", target.account}});
      return;
    }
    output.note(std::string(pauses ? "Paused " : "Resumed ") + what +
                (account.empty() ? "" : ", account " + account) + ".");
  }
};

void add(Program& program, const char* name, const char* description, bool is_pause) {
  auto command = std::make_unique<PauseChange>(is_pause);
  PauseChange& added = *command;
  CLI::App& app = program.add_command(program.root(), name, description, std::move(command));
  app.add_option("QUEUE[/TYPE]", added.what, "A queue, or one of its types")->required();
  app.add_option("--account", added.account, "Only this account of the queue")
      ->check(check_account);
  add_remote_options(app, added.worker, Asks::kWithoutBrokers);
}

class PausesList final : public ControlList {
  const char* name() const override { return "pauses"; }

  Json rows(const Config&, const Control& control) const override {
    Json rows = Json::array();
    for (const PauseEntry& entry : pause_table(control)) rows.push_back(pause_json(entry));
    return rows;
  }

  void show(Output& output, const Json& rows) const override {
    Table table(output, {"QUEUE", "TYPE", "ACCOUNT", "SINCE", "BY"});
    for (const Json& row : rows) {
      std::vector<Cell> cells;
      for (const char* const name : {"queue", "type", "account", "since", "by"}) {
        std::string text = text_of(row, name);
        cells.push_back({text.empty() ? "-" : std::move(text)});
      }
      table.add(std::move(cells));
    }
  }
};

}  // namespace

void add_pause_command(Program& program) {
  add(program, "pause", "Start nothing of a queue, a type or an account until it is resumed", true);
}

void add_resume_command(Program& program) {
  add(program, "resume", "Let a paused queue, type or account continue", false);
}

void add_pauses_command(Program& program) {
  auto command = std::make_unique<PausesList>();
  PausesList& list = *command;
  list.add_options(program.add_command(
      program.root(), "pauses", "List what is paused, since when and by whom", std::move(command)));
}

}  // namespace penstock
