// Writes a NewJob as the JSON text of a job record. Pure. The decoder enforces the rules of the
// record; this refuses only what cannot be written as JSON at all (bytes that are not UTF-8).
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "penstock/producer.h"

namespace penstock {

// `id` is used if the job has none of its own.
[[nodiscard]] tl::expected<std::string, Failure> job_text(const NewJob& job, std::string_view id);

}  // namespace penstock
