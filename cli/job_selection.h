// Which jobs a `jobs` command is about: --queue, an ID or filters, and the worker that knows them.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/worker_client.h"
#include "consumer/config.h"
#include "topics/result.h"

namespace penstock {

inline constexpr int kDefaultLimit = 100;  // of what a list shows

struct JobSelection {
  JobFilter filter;
  std::string id;
  std::string http;
};

[[nodiscard]] bool is_live(std::string_view state);

// --queue, --account and --http.
void add_job_options(CLI::App& app, JobSelection& selection);
// --state, --type and --bulk.
void add_filter_options(CLI::App& app, JobSelection& selection);

// The job of `selection.id`. That there is none, or several under different accounts, is a failure
// that says so.
[[nodiscard]] Result<JobJson> find_job(WorkerClient& worker, const JobSelection& selection);

}  // namespace penstock
