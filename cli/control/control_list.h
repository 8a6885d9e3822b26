// A command that lists what operators have set: `limits list`, `pauses`. Read from the control
// topic or, where no brokers are given, from a worker.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/program/watch.h"
#include "cli/remote/reach.h"
#include "consumer/config/config.h"
#include "consumer/control/control.h"

namespace penstock {

class ControlList : public Command {
 public:
  using Json = nlohmann::ordered_json;

  [[nodiscard]] Exit run(Program& program) override;
  void add_options(CLI::App& app);

 private:
  [[nodiscard]] Exit list(Program& program, Reach& reach) const;
  [[nodiscard]] Exit show_all(Program& program, const Json& rows) const;

  // What a worker calls the list: "limits" at /v1/limits.
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual Json rows(const Config& config, const Control& control) const = 0;
  virtual void show(Output& output, const Json& rows) const = 0;

  RemoteOptions worker_;
  Watch watch_;
};

}  // namespace penstock
