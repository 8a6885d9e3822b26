// Splits the text of a JSON array or object into its elements or members, so that each can be
// checked and sent byte for byte. It looks only at the brackets, strings and commas around them;
// the caller checks the elements themselves. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace penstock {

// Empty if the text is not exactly one array. Returns at most `max_parts` + 1 elements; the extra
// one shows that there are too many.
[[nodiscard]] std::optional<std::vector<std::string_view>> array_parts(std::string_view text,
                                                                       std::size_t max_parts);
// The same for an object; each part is `"name": value`.
[[nodiscard]] std::optional<std::vector<std::string_view>> object_parts(std::string_view text,
                                                                        std::size_t max_parts);

}  // namespace penstock
