#include "cli/replay/replay_start_command.h"

#include <condition_variable>
#include <memory>
#include <mutex>

#include "cli/program/operator_name.h"
#include "cli/program/progress.h"
#include "cli/replay/replay_follow.h"
#include "cli/replay/replay_options.h"
#include "cli/replay/replay_view.h"
#include "consumer/worker/control_client.h"
#include "consumer/worker/in_place/stop_signals.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

// Waits that Ctrl-C ends, while it exists.
class StoppableWait {
 public:
  StoppableWait() {
    signals_.on_first([this] {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    });
  }

  // False: stopped.
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, at_most, [this] { return stopped_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  StopSignals signals_;  // the first to be destroyed, because it calls what uses the others
};

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

  Exit run(Program& program) override {
    const Time now = wall_now();
    if (options.queue.empty()) return program.usage_error("--queue is required");
    if (options.name.empty() && names_itself_) options.name = name_for(now);
    if (options.name.empty() && !options.dry_run) return program.usage_error("--id is required");
    const auto config = program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    const auto terms = options.terms(now);
    if (!terms) return program.usage_error(terms.error().message);
    auto opened = open_desk(program, *config);
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
    show_dry_run(program.output(), *found);
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
    return exit_of(program, *last);
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
  static Exit exit_of(Program& program, const ReplayView& last) {
    const std::string_view state = state_name(last.record, last.totals);
    if (state == "finished") return Exit::kDone;
    if (state == "running") {
      return program.fail(
          "stopped following the replay, which goes on; see `penstock replay show " +
          last.target.name + " --queue " + last.target.queue + "`");
    }
    return program.fail("the replay \"" + last.target.name + "\" is " + std::string(state) +
                        (last.record.reason.empty() ? "" : ": " + last.record.reason));
  }

  const bool names_itself_;
};

CLI::App& add(Program& program, CLI::App& parent, const char* name, const char* description,
              bool names_itself) {
  auto command = std::make_unique<ReplayStart>(names_itself);
  ReplayStart& start = *command;
  CLI::App& app = program.add_command(parent, name, description, std::move(command));
  add_replay_options(app, start.options);
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
