// How jobs are shown: the members of the contract in their order, as JSON or for people.
#pragma once

#include <string>
#include <vector>

#include "cli/program/table.h"
#include "cli/program/worker_client.h"

namespace penstock {

// The member as text: nothing where it is null or missing.
[[nodiscard]] std::string text_of(const JobJson& object, const char* name);

// The contract's members first, null where the worker gave none, then whatever else it gave.
[[nodiscard]] JobJson job_object(const JobJson& job);

// One row of `jobs list`, for these titles.
[[nodiscard]] std::vector<std::string> job_titles();
[[nodiscard]] std::vector<Cell> job_row(const JobJson& job);

// Every member that has a value, one "name: value" a line.
[[nodiscard]] std::vector<std::string> job_lines(const JobJson& job);

}  // namespace penstock
