// Which jobs a `jobs` command applies to: --queue, an ID or filters, and the worker to ask.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/program/program.h"
#include "cli/remote/worker_client.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"

namespace penstock {

struct JobSelection {
  JobFilter filter;
  std::string id;
  RemoteOptions worker;
};

// What is wrong with the name of an account; empty: nothing.
[[nodiscard]] std::string check_account(const std::string& account);
[[nodiscard]] bool is_live(std::string_view state);

// Adds --queue, --account, and those of the worker to ask.
void add_job_options(CLI::App& app, JobSelection& selection, Asks asks = Asks::kAlways);
// Adds --state, --type, --bulk, --error, --id-prefix, --from and --to.
void add_filter_options(CLI::App& app, JobSelection& selection);

// Finds the job `selection.id`. If there is none, or several under different accounts, the error
// says so.
[[nodiscard]] FromWorker<JobLookup> find_job(WorkerClient& worker, const JobSelection& selection);

[[nodiscard]] Exit exit_of(const WorkerError& error);

// Such as: the worker at 127.0.0.1:8080 does not own partitions 3, 4 of queue "mail"
[[nodiscard]] std::string not_here_text(const WorkerClient& worker, std::string_view queue,
                                        const std::set<PartitionId>& partitions);

}  // namespace penstock
