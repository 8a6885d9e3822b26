// A JSON object with one member set or left out, every other member of which keeps its text: nothing
// that has been written comes out in another way, such as a number that is larger than a double.
//
// `document` has parsed an object of which no member has been visited more than once. Pure.
#pragma once

#include <string>
#include <string_view>

#include "topics/json/json_document.h"

namespace penstock {

// With this member first, in place of its own of that name. `value` is JSON text.
[[nodiscard]] std::string with_member(JsonDocument& document, std::string_view name,
                                      std::string_view value);
[[nodiscard]] std::string without_member(JsonDocument& document, std::string_view name);

}  // namespace penstock
