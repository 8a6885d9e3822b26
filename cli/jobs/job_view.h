// How jobs are shown: their members in the order of docs/http.md, as JSON or for people. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/program/table.h"
#include "cli/remote/json_text.h"
#include "cli/remote/worker_client.h"

namespace penstock {

// First the documented members, null if the worker gave none, then any others that it gave.
[[nodiscard]] JobJson job_object(const JobJson& job);

// The titles of `jobs list`, and a row for them.
[[nodiscard]] std::vector<std::string> job_titles();
[[nodiscard]] std::vector<Cell> job_row(const JobJson& job);

// Every member that has a value, one "name: value" per line.
[[nodiscard]] std::vector<std::string> job_lines(const JobJson& job);

}  // namespace penstock
