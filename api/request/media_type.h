// Compares a Content-Type field with a media type, ignoring case, blanks and parameters
// ("application/json; charset=utf-8"). Pure.
#pragma once

#include <string_view>

#include "api/http/http_head.h"
#include "topics/values/trimmed.h"

namespace penstock {

[[nodiscard]] inline bool is_media_type(std::string_view content_type, std::string_view type) {
  return equal_ignoring_case(trimmed(content_type.substr(0, content_type.find(';'))), type);
}

}  // namespace penstock
