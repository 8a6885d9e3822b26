#include "cli/replay/replay_look_commands.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/program/table.h"
#include "cli/replay/replay_choice.h"
#include "cli/replay/replay_view.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

struct ReplayList : ReplayCommand {
  std::string queue;

 private:
  Exit run(Program& program, ReplayDesk& desk) override {
    const auto views = desk.list(queue);
    if (!views) return fail(program, views.error());
    Output& output = program.output();
    Table table(output, {"QUEUE", "ID", "STATE", "STARTED", "RECORDS", "LEFT", "COPIES", "DEAD"});
    for (const ReplayView& view : *views) {
      if (output.is_json()) {
        output.json(to_json(view, wall_now(), true));
        continue;
      }
      const ReplayTotals& totals = view.totals;
      table.add({{view.target.queue},
                 {view.target.name},
                 {std::string(state_name(view.record, totals))},
                 {format_rfc3339(view.record.started_at)},
                 {std::to_string(totals.records)},
                 {std::to_string(totals.left)},
                 {std::to_string(totals.counts.admitted + totals.counts.sent)},
                 {std::to_string(totals.counts.ended[end_of(JobState::kDead)])}});
    }
    return Exit::kDone;
  }
};

struct ReplayShow : ReplayCommand {
  ReplayTarget chosen;

 private:
  Exit run(Program& program, ReplayDesk& desk) override {
    const auto target = find_chosen(desk, chosen);
    if (!target) return fail(program, target.error());
    const auto view = desk.show(*target);
    if (!view) return fail(program, view.error());
    show_replay(program.output(), *view, wall_now());
    return Exit::kDone;
  }
};

}  // namespace

void add_replay_list_command(Program& program, CLI::App& replay) {
  auto command = std::make_unique<ReplayList>();
  ReplayList& list = *command;
  CLI::App& app =
      program.add_command(replay, "list", "List the replays of all queues", std::move(command));
  app.add_option("--queue", list.queue, "Only those of this queue");
}

void add_replay_show_command(Program& program, CLI::App& replay) {
  auto command = std::make_unique<ReplayShow>();
  ReplayShow& show = *command;
  CLI::App& app = program.add_command(replay, "show", "Show one replay", std::move(command));
  add_replay_choice(app, show.chosen);
}

}  // namespace penstock
