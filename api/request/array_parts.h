// The elements of a JSON array, or the members of an object, as they stand in the text, so that
// each can be checked and sent byte for byte. Only the brackets, strings and commas around them are
// looked at: the elements are their reader's to check. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace penstock {

// Nothing when the text is not one whole array. At most `max_parts` elements and one more, which
// tells that there are too many.
[[nodiscard]] std::optional<std::vector<std::string_view>> array_parts(std::string_view text,
                                                                       std::size_t max_parts);
// The same of one whole object: each member is `"name": value`.
[[nodiscard]] std::optional<std::vector<std::string_view>> object_parts(std::string_view text,
                                                                        std::size_t max_parts);

}  // namespace penstock
