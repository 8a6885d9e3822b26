#include "cli/control/control_list.h"

#include "consumer/worker/control_client.h"

namespace penstock {

Exit ControlList::run(Program& program) {
  const auto config = program.config_with_brokers();
  if (!config) return program.usage_error(config.error().message);
  auto log = program.services().open_log(*config);
  if (!log) return program.fail(log.error().message);
  const Result<Control> control = ControlClient(**log, config->prefix).read();
  if (!control) return program.fail(control.error().message);
  show(program.output(), *config, *control);
  return Exit::kDone;
}

}  // namespace penstock
