// Which jobs a `jobs` command is about: --queue, an ID or filters, and the worker that knows them.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/program/program.h"
#include "cli/program/worker_client.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

struct JobSelection {
  JobFilter filter;
  std::string id;
  std::string http;
};

// What is wrong with an account's name that was given; empty: nothing.
[[nodiscard]] std::string check_account(const std::string& account);
[[nodiscard]] bool is_live(std::string_view state);

// --queue, --account and --http.
void add_job_options(CLI::App& app, JobSelection& selection);
// --state, --type and --bulk.
void add_filter_options(CLI::App& app, JobSelection& selection);

// The job of `selection.id`. That there is none, or several under different accounts, is a failure
// that says so.
[[nodiscard]] FromWorker<JobLookup> find_job(WorkerClient& worker, const JobSelection& selection);

[[nodiscard]] Exit exit_of(const WorkerError& error);

// "the worker at 127.0.0.1:8080 does not hold partitions 3, 4 of queue "mail"".
[[nodiscard]] std::string not_here_text(const WorkerClient& worker, std::string_view queue,
                                        const std::set<PartitionId>& partitions);

}  // namespace penstock
