// A progress bar on standard error, drawn only where that is a terminal. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/output.h"

namespace penstock {

class Progress {
 public:
  // Without a total it counts. `what` names the units: "jobs", "bytes".
  Progress(Output& output, std::string_view what, std::optional<std::uint64_t> total);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Redraws when the picture changes: at most once a percent, or every kCountStep without a total.
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
