#include "cli/program/progress.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::uint64_t kBarColumns = 40;

}  // namespace

Progress::Progress(Output& output, std::string_view what, std::optional<std::uint64_t> total)
    : output_(output), what_(what), total_(total) {}

Progress::~Progress() {
  if (drawn_step_) output_.redraw("");
}

void Progress::update(std::uint64_t done) {
  if (!output_.terminal().err) return;
  const std::uint64_t step = step_of(done);
  if (drawn_step_ == step) return;
  drawn_step_ = step;
  output_.redraw(picture(done));
}

std::uint64_t Progress::step_of(std::uint64_t done) const {
  if (!total_) return done / kCountStep;
  if (*total_ == 0) return 100;
  return static_cast<std::uint64_t>(100.0 * static_cast<double>(std::min(done, *total_)) /
                                    static_cast<double>(*total_));
}

std::string Progress::picture(std::uint64_t done) const {
  const std::string count = std::to_string(done);
  if (!total_) return count + " " + what_;
  const std::uint64_t percent = step_of(done);
  const std::uint64_t filled = percent * kBarColumns / 100;
  return "[" + std::string(filled, '#') + std::string(kBarColumns - filled, '.') + "] " +
         std::to_string(percent) + "%  " + count + " of " + std::to_string(*total_) + " " + what_;
}

}  // namespace penstock
