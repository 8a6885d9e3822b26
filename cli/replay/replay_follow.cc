#include "cli/replay/replay_follow.h"

#include "cli/program/progress.h"
#include "cli/replay/replay_view.h"

namespace penstock {

ReplayAnswer<ReplayView> ReplayFollow::run(ReplayView view) {
  Progress progress(output_, "records", static_cast<std::uint64_t>(view.totals.records));
  for (int looks = 1; state_name(view.record, view.totals) == "running"; ++looks) {
    if (!parts_.wait()) return view;
    auto now = parts_.look();
    if (!now) return now;
    view = *std::move(now);
    progress.update(static_cast<std::uint64_t>(view.totals.records - view.totals.left));
    if (looks >= kNoReportFor) tell_of_silence(view);
    if (!output_.terminal().err && looks % kTellEvery == 0) output_.note(progress_text(view));
  }
  return view;
}

void ReplayFollow::tell_of_silence(const ReplayView& view) {
  if (told_of_silence_) return;
  std::size_t silent = 0;
  for (std::size_t i = 0; i < view.record.ranges.size(); ++i) {
    const bool told = i < view.reports.size() && view.reports[i];
    if (!told && view.record.ranges[i].records() > 0) ++silent;
  }
  if (silent == 0) return;
  told_of_silence_ = true;
  output_.note("No worker has reported anything of " + std::to_string(silent) +
               (silent == 1 ? " partition" : " partitions") +
               " yet: the replay goes on when workers of the queue run (`penstock work`).");
}

}  // namespace penstock
