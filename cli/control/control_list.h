// A command that lists what operators have set: `limits list`, `pauses`.
#pragma once

#include "cli/program/program.h"
#include "consumer/config/config.h"
#include "consumer/control/control.h"

namespace penstock {

class ControlList : public Command {
 public:
  [[nodiscard]] Exit run(Program& program) override;

 private:
  virtual void show(Output& output, const Config& config, const Control& control) const = 0;
};

}  // namespace penstock
