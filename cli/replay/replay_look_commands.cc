#include "cli/replay/replay_look_commands.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/program/table.h"
#include "cli/program/watch.h"
#include "cli/remote/reach.h"
#include "cli/replay/replay_choice.h"
#include "cli/replay/replay_view.h"

namespace penstock {
namespace {

struct ReplayList : Command {
  std::string queue;
  RemoteOptions worker;
  Watch watch;

  Exit run(Program& program) override {
    auto reach = find_reach(program, worker);
    if (!reach) return program.usage_error(reach.error().message);
    if (reach->worker) {
      RemoteReplays replays(*std::move(reach->worker));
      return watch.run(program, [&] {
        const auto listed = replays.list(queue);
        return listed ? show(program.output(), *listed) : fail(program, listed.error());
      });
    }
    auto opened = open_desk(program, reach->config);
    if (!opened) return program.fail(opened.error().message);
    return watch.run(program, [&] {
      const auto views = opened->desk.list(queue);
      if (!views) return fail(program, views.error());
      std::vector<nlohmann::ordered_json> listed;
      for (const ReplayView& view : *views) listed.push_back(to_json(view, wall_now(), true));
      return show(program.output(), listed);
    });
  }

 private:
  static Exit show(Output& output, const std::vector<nlohmann::ordered_json>& replays) {
    Table table(output, {"QUEUE", "ID", "STATE", "STARTED", "RECORDS", "LEFT", "COPIES", "DEAD"});
    for (const auto& replay : replays) {
      output.is_json() ? output.json(replay) : table.add(replay_row(replay));
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

  Exit run_there(Program& program, RemoteReplays& replays) override {
    const auto target = replays.find_chosen(chosen);
    if (!target) return fail(program, target.error());
    const auto replay = replays.show(*target);
    if (!replay) return fail(program, replay.error());
    show_replay(program.output(), *replay);
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
  list.watch.add_option(app);
  add_remote_options(app, list.worker, Asks::kWithoutBrokers);
}

void add_replay_show_command(Program& program, CLI::App& replay) {
  auto command = std::make_unique<ReplayShow>();
  ReplayShow& show = *command;
  CLI::App& app = program.add_command(replay, "show", "Show one replay", std::move(command));
  add_replay_choice(app, show.chosen);
  add_remote_options(app, show.worker, Asks::kWithoutBrokers);
}

}  // namespace penstock
