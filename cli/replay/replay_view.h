// How the commands show a replay, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/program/output.h"
#include "cli/program/program.h"
#include "cli/program/table.h"
#include "cli/remote/remote_options.h"
#include "cli/replay/remote_replays.h"
#include "consumer/operate/replay_desk.h"
#include "consumer/operate/replay_dry_run.h"

namespace penstock {

// The time of this machine.
[[nodiscard]] Time wall_now();

// A replay as JSON, of the desk or from a worker.
void show_replay(Output& output, const nlohmann::ordered_json& replay);
// A row of `replay list`.
[[nodiscard]] std::vector<Cell> replay_row(const nlohmann::ordered_json& replay);
// `now`: what the estimated end counts from. As text: the totals by line, then a row per partition.
void show_replay(Output& output, const ReplayView& view, Time now);
void show_dry_run(Output& output, const nlohmann::ordered_json& run);
// "running: 1200 of 5000 records read, 300 copies, 12 dead"
[[nodiscard]] std::string progress_text(const ReplayView& view);

// "Retention has removed 12 records that may have belonged to it"
[[nodiscard]] std::string removed_text(std::int64_t removed, Time oldest);

[[nodiscard]] Exit fail(Program& program, const ReplayProblem& problem);

// The log and the desk of a command that works with replays.
struct OpenDesk {
  std::unique_ptr<Log> log;
  ReplayDesk desk;
};
[[nodiscard]] Result<OpenDesk> open_desk(Program& program, const Config& config);

// Such a command, once the desk is open; or through a worker, where no brokers are given.
class ReplayCommand : public Command {
 public:
  Exit run(Program& program) final;

  RemoteOptions worker;

 private:
  [[nodiscard]] virtual Exit run(Program& program, ReplayDesk& desk) = 0;
  [[nodiscard]] virtual Exit run_there(Program& program, RemoteReplays& replays) = 0;
};

}  // namespace penstock
