// JSON that a C++ handler gives as text, and that is carried as it stands. Safe from any thread.
#pragma once

#include <string_view>

namespace penstock {

// Throws std::invalid_argument, which says what is wrong, unless the text is one value by the rules
// of job records (topics/json/json_document.h).
void check_json(std::string_view text);

}  // namespace penstock
