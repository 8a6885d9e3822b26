// Checks JSON that a C++ handler provides as text, which is passed on unchanged. May be called from
// any thread.
#pragma once

#include <string_view>

namespace penstock {

// Throws std::invalid_argument, with the reason, unless the text is exactly one JSON value by the
// rules of job records (topics/json/json_document.h).
void check_json(std::string_view text);

}  // namespace penstock
