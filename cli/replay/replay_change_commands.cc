#include "cli/replay/replay_change_commands.h"

#include <memory>
#include <optional>

#include "cli/program/operator_name.h"
#include "cli/replay/replay_choice.h"
#include "cli/replay/replay_view.h"

namespace penstock {
namespace {

struct ChangeReplay : ReplayCommand {
  ChangeReplay(std::optional<ReplayChange> the_change, const char* what_was_done)
      : change(the_change), done(what_was_done) {}

  const std::optional<ReplayChange> change;  // absent: it is deleted
  const char* const done;
  ReplayTarget chosen;

 private:
  Exit run(Program& program, ReplayDesk& desk) override {
    const auto target = find_chosen(desk, chosen);
    if (!target) return fail(program, target.error());
    const auto view =
        change ? desk.change(*target, *change, operator_name(), wall_now()) : desk.remove(*target);
    if (!view) return fail(program, view.error());
    if (change) show_replay(program.output(), *view, wall_now());
    program.output().note(std::string(done) + " the replay \"" + target->name + "\".");
    return Exit::kDone;
  }

  Exit run_there(Program& program, RemoteReplays& replays) override {
    const auto target = replays.find_chosen(chosen);
    if (!target) return fail(program, target.error());
    const auto replay = replays.change(*target, change, operator_name());
    if (!replay) return fail(program, replay.error());
    if (change) show_replay(program.output(), *replay);
    program.output().note(std::string(done) + " the replay \"" + printable(target->name) + "\".");
    return Exit::kDone;
  }
};

void add(Program& program, CLI::App& replay, const char* name, const char* description,
         std::optional<ReplayChange> change, const char* done) {
  auto command = std::make_unique<ChangeReplay>(change, done);
  ChangeReplay& added = *command;
  CLI::App& app = program.add_command(replay, name, description, std::move(command));
  add_replay_choice(app, added.chosen);
  add_remote_options(app, added.worker, Asks::kWithoutBrokers);
}

}  // namespace

void add_replay_pause_command(Program& program, CLI::App& replay) {
  add(program, replay, "pause", "Make no more copies, and start none", ReplayChange::kPause,
      "Paused");
}

void add_replay_resume_command(Program& program, CLI::App& replay) {
  add(program, replay, "resume", "Let a paused replay go on", ReplayChange::kResume, "Resumed");
}

void add_replay_cancel_command(Program& program, CLI::App& replay) {
  add(program, replay, "cancel", "End a replay; copies that wait are cancelled",
      ReplayChange::kCancel, "Cancelled");
}

void add_replay_delete_command(Program& program, CLI::App& replay) {
  add(program, replay, "delete", "Forget a replay that has finished or was cancelled", std::nullopt,
      "Deleted");
}

}  // namespace penstock
