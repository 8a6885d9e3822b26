#include "cli/replay/replay_start_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/program/operator_name.h"
#include "cli/program/progress.h"
#include "cli/program/stoppable_wait.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "cli/replay/replay_follow.h"
#include "cli/replay/replay_options.h"
#include "cli/replay/replay_view.h"
#include "consumer/worker/control_client.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

// "replay-20260301T120000Z"
std::string name_for(Time now) {
  std::string name = "replay-";
  for (const char c : format_rfc3339(now).substr(0, 19)) {
    if (c != '-' && c != ':') name += c;
  }
  return name + "Z";
}

class ReplayStart : public Command {
 public:
  explicit ReplayStart(bool names_itself) : names_itself_(names_itself) {}

  ReplayOptions options;
  RemoteOptions worker;

  Exit run(Program& program) override {
    const Time now = wall_now();
    if (options.queue.empty()) return program.usage_error("--queue is required");
    if (options.name.empty() && names_itself_) options.name = name_for(now);
    if (options.name.empty() && !options.dry_run) return program.usage_error("--id is required");
    auto reach = find_reach(program, worker);
    if (!reach) return program.usage_error(reach.error().message);
    const auto terms = options.terms(now);
    if (!terms) return program.usage_error(terms.error().message);
    if (reach->worker) {
      RemoteReplays replays(*std::move(reach->worker));
      return start_there(program, replays, *terms);
    }
    auto opened = open_desk(program, reach->config);
    if (!opened) return program.fail(opened.error().message);
    if (options.dry_run) return count(program, opened->desk, *terms);
    const auto view =
        opened->desk.start({options.queue, options.name}, *terms, operator_name(), now);
    if (!view) return refuse(program, view.error());
    return show_and_follow(program, *opened, *view);
  }

 private:
  Exit refuse(Program& program, ReplayProblem problem) const {
    if (problem.kind == ReplayProblem::Kind::kConflict && options.has_age())
      problem.message += ". An age such as 2h counts from now: name the time instead";
    return fail(program, problem);
  }

  Exit count(Program& program, ReplayDesk& desk, const ReplayTerms& terms) const {
    std::unique_ptr<Progress> progress;
    DryRunBounds bounds;
    bounds.told = [&](std::int64_t read, std::int64_t all) {
      if (!progress) {
        progress = std::make_unique<Progress>(program.output(), "records",
                                              static_cast<std::uint64_t>(all));
      }
      progress->update(static_cast<std::uint64_t>(read));
    };
    const auto found = dry_run(desk, options.queue, terms, bounds);
    progress.reset();
    if (!found) return fail(program, found.error());
    show_dry_run(program.output(), to_json(*found));
    return Exit::kDone;
  }

  Exit show_and_follow(Program& program, OpenDesk& opened, const ReplayView& view) const {
    Output& output = program.output();
    std::string told = (view.made ? "Started the replay \"" : "The replay exists: \"") +
                       view.target.name + "\", which reads " + std::to_string(view.totals.records) +
                       " records.";
    if (view.record.removed > 0)
      told += " " + removed_text(view.record.removed, view.record.oldest) + ".";
    output.note(told);
    if (options.detach || !view.made) {
      show_replay(output, view, wall_now());
      return Exit::kDone;
    }
    output.note("Ctrl-C stops following it, not the replay.");
    const auto last = follow(output, opened, view);
    if (!last) return fail(program, last.error());
    show_replay(output, *last, wall_now());
    return exit_of(program, last->target, state_name(last->record, last->totals),
                   last->record.reason);
  }

  Exit start_there(Program& program, RemoteReplays& replays, const ReplayTerms& terms) const {
    if (options.dry_run) {
      const auto counted = replays.count(options.queue, terms);
      if (!counted) return fail(program, counted.error());
      show_dry_run(program.output(), *counted);
      return Exit::kDone;
    }
    const ReplayTarget target{options.queue, options.name};
    const auto started = replays.start(target, terms, operator_name());
    if (!started) return refuse(program, started.error());
    Output& output = program.output();
    output.note((started->made ? "Started the replay \"" : "The replay exists: \"") +
                printable(target.name) + "\", which reads " +
                std::to_string(count_member(started->replay, "records")) + " records.");
    if (options.detach || !started->made) {
      show_replay(output, started->replay);
      return Exit::kDone;
    }
    output.note("Ctrl-C stops following it, not the replay.");
    StoppableWait stoppable;
    const auto last = replays.follow(output, target, [&] { return stoppable.wait(kLookEvery); });
    if (!last) return fail(program, last.error());
    show_replay(output, *last);
    return exit_of(program, target, text_member(*last, "state"), text_member(*last, "reason"));
  }

  static ReplayAnswer<ReplayView> follow(Output& output, OpenDesk& opened, const ReplayView& view) {
    const auto away = [](const Error& error) {
      return tl::unexpected(ReplayProblem{ReplayProblem::Kind::kUnavailable,
                                          error.message + " (the replay goes on meanwhile)"});
    };
    const auto control = ControlFollower::open(*opened.log, opened.desk.prefix());
    if (!control) return away(control.error());
    StoppableWait stoppable;
    return ReplayFollow(output, {.look = [&]() -> ReplayAnswer<ReplayView> {
                                   const auto now = (*control)->read();
                                   if (!now) return away(now.error());
                                   return find_replay(**now, view.target);
                                 },
                                 .wait = [&] { return stoppable.wait(kLookEvery); }})
        .run(view);
  }

  // 0 only if it has finished, because what comes next may rely on that.
  static Exit exit_of(Program& program, const ReplayTarget& target, std::string_view state,
                      const std::string& reason) {
    if (state == "finished") return Exit::kDone;
    if (state == "running") {
      return program.fail(
          "stopped following the replay, which goes on; see `penstock replay show " + target.name +
          " --queue " + target.queue + "`");
    }
    return program.fail("the replay \"" + target.name + "\" is " + std::string(state) +
                        (reason.empty() ? "" : ": " + reason));
  }

  const bool names_itself_;
};

CLI::App& add(Program& program, CLI::App& parent, const char* name, const char* description,
              bool names_itself) {
  auto command = std::make_unique<ReplayStart>(names_itself);
  ReplayStart& start = *command;
  CLI::App& app = program.add_command(parent, name, description, std::move(command));
  add_replay_options(app, start.options);
  add_remote_options(app, start.worker, Asks::kWithoutBrokers);
  return app;
}

}  // namespace

CLI::App& add_replay_short_form(Program& program) {
  return add(program, program.root(), "replay",
             "Reprocess jobs that Kafka still holds (without a command: start)", true);
}

void add_replay_start_command(Program& program, CLI::App& replay) {
  add(program, replay, "start", "Start a replay, and follow it", false);
}

}  // namespace penstock
