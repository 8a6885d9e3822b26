#include "cli/program/watch.h"

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "cli/program/stoppable_wait.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr double kMinWatchSeconds = 0.1, kMaxWatchSeconds = 86'400;
constexpr const char* kUsualWatchSeconds = "2";

std::string check_watch_seconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  if (whole && seconds >= kMinWatchSeconds && seconds <= kMaxWatchSeconds) return {};
  return "found \"" + printable(text) +
         "\", expected a number of seconds from 0.1 to 86400; without a number, put --watch at the "
         "end";
}

std::string watch_time() {
  return format_rfc3339(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
}

}  // namespace

void Watch::add_option(CLI::App& app) {
  option_ = app.add_option("--watch", seconds_,
                           "List again every so many seconds (by default 2), until Ctrl-C")
                ->expected(0, 1)
                ->default_str(kUsualWatchSeconds)
                ->check(check_watch_seconds)
                ->type_name("[SECONDS]");
}

Exit Watch::run(Program& program, const std::function<Exit()>& list) const {
  if (option_ == nullptr || option_->count() == 0) return list();
  StoppableWait stop;
  Output& output = program.output();
  const bool redraws = output.terminal().out && !output.is_json();
  const std::chrono::milliseconds every(
      std::llround(std::strtod(seconds_.c_str(), nullptr) * 1000));
  bool first = true;
  do {
    if (redraws) {
      if (first) output.line("\x1b[2J");
      output.begin_frame();
      output.line("Every " + seconds_ + " s, " + watch_time() + ". Ctrl-C ends it.");
      output.line("");
    } else if (!first && !output.is_json()) {
      output.line("--- " + watch_time());
    }
    const Exit exit = list();
    if (redraws) output.end_frame(TerminalSize::of_process());
    if (!output.flush()) return Exit::kFailed;
    if (first && exit != Exit::kDone) return exit;
    first = false;
  } while (stop.wait(every));
  return Exit::kDone;
}

}  // namespace penstock
