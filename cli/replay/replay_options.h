// The options of `replay start`, and the terms that they mean.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "consumer/replay/replay_terms.h"
#include "topics/values/result.h"

namespace penstock {

struct ReplayOptions {
  std::string queue, name;
  std::string from, to;
  std::vector<std::string> offsets;
  bool dead = false;
  std::vector<std::string> reasons, types, accounts, where;
  std::string ids_file;
  std::vector<std::string> job_ids;  // beside those of the file
  std::string rate, max_dead, to_queue, through;
  std::optional<int> concurrency;
  bool keep_expiry = false, dry_run = false, detach = false;

  // `now`: what an age such as 2h counts from.
  [[nodiscard]] Result<ReplayTerms> terms(Time now) const;
  // Whether the terms depend on when they are asked for.
  [[nodiscard]] bool has_age() const;
};

void add_replay_options(CLI::App& app, ReplayOptions& options);

}  // namespace penstock
