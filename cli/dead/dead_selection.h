// Which dead records a `dead` command is about: --queue, the filters, and the topic that they lead
// to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/dead/dead_filter.h"
#include "api/dead/dead_reader.h"
#include "cli/program/program.h"
#include "cli/remote/reach.h"
#include "topics/log.h"
#include "topics/names.h"

namespace penstock {

struct DeadSelection {
  std::string queue;
  std::vector<std::string> reasons;
  std::string type, account, from, to;
  std::optional<int> limit;  // empty: no limit

  RemoteOptions worker = {};

  void add_options(CLI::App& app);
  [[nodiscard]] Result<DeadFilter> filter() const;
  // The same for a worker's HTTP interface.
  [[nodiscard]] TargetQuery query() const;
  [[nodiscard]] nlohmann::ordered_json body() const;
};

// The chosen queue's dead topic, open for reading.
struct DeadTopic {
  Config config;
  QueueNames names;
  DeadFilter filter;
  std::unique_ptr<Log> log;

  // `exit` is the program's status if this fails, which it has then reported.
  [[nodiscard]] static std::optional<DeadTopic> open(Program& program, const Config& config,
                                                     const DeadSelection& selection, Exit& exit);
  [[nodiscard]] Result<DeadPage> read(const DeadSelection& selection, const OnDead& on_dead);
};

// What retention has removed while it was read, and whether there is more than the limit.
void note_rest(Output& output, const DeadPage& page, const char* more);

}  // namespace penstock
