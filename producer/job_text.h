// A NewJob as the JSON text of a job record. Pure; the rules of the record are the decoder's to
// enforce, here only what cannot be written as JSON at all (bytes that are not UTF-8) is refused.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "penstock/producer.h"

namespace penstock {

// `id` stands in for a job's own when that is empty.
[[nodiscard]] tl::expected<std::string, Failure> job_text(const NewJob& job, std::string_view id);

}  // namespace penstock
