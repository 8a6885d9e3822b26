// A progress bar on standard error, drawn only if that is a terminal. Used from one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/output.h"

namespace penstock {

class Progress {
 public:
  // Without a total, it only counts. `what` is the unit: "jobs", "bytes".
  Progress(Output& output, std::string_view what, std::optional<std::uint64_t> total);
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Redraws when the bar changes: at most once per percent or, without a total, every kCountStep.
  void update(std::uint64_t done);

 private:
  static constexpr std::uint64_t kCountStep = 1'000;

  [[nodiscard]] std::uint64_t step_of(std::uint64_t done) const;
  [[nodiscard]] std::string picture(std::uint64_t done) const;

  Output& output_;
  std::string what_;
  std::optional<std::uint64_t> total_;
  std::optional<std::uint64_t> drawn_step_;
};

}  // namespace penstock
