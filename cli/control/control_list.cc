#include "cli/control/control_list.h"

#include "cli/remote/json_text.h"
#include "consumer/worker/control_client.h"

namespace penstock {

void ControlList::add_options(CLI::App& app) {
  watch_.add_option(app);
  add_remote_options(app, worker_, Asks::kWithoutBrokers);
}

Exit ControlList::run(Program& program) {
  auto reach = find_reach(program, worker_);
  if (!reach) return program.usage_error(reach.error().message);
  return watch_.run(program, [&] { return list(program, *reach); });
}

Exit ControlList::list(Program& program, Reach& reach) const {
  if (reach.worker) {
    const auto body = reach.worker->get(std::string("/v1/") + name());
    if (!body) return fail(program, body.error());
    return show_all(program, array_member(*body, name()));
  }
  auto log = program.services().open_log(reach.config);
  if (!log) return program.fail(log.error().message);
  const Result<Control> control = ControlClient(**log, reach.config.prefix).read();
  if (!control) return program.fail(control.error().message);
  return show_all(program, rows(reach.config, *control));
}

Exit ControlList::show_all(Program& program, const Json& rows) const {
  Output& output = program.output();
  if (!output.is_json()) {
    show(output, rows);
    return Exit::kDone;
  }
  for (const Json& row : rows) output.json(row);
  return Exit::kDone;
}

}  // namespace penstock
