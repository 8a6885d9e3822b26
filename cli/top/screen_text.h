// Text in the columns of a terminal: how wide it is, and cut to a width. Text from job data is made
// printable first, so that it can neither move the cursor nor turn the direction of writing. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// Control characters, those of the direction of writing, and bytes that are not UTF-8 are written as
// \n, \x1b, \u202e, \xff.
[[nodiscard]] std::string screen_text(std::string_view text);
// The columns of such a text: wide characters take two, combining ones none.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most so many columns; "…" at the end tells that something is missing.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);
// Exactly so many columns: cut, or filled with spaces.
[[nodiscard]] std::string filled_to(std::string_view text, std::size_t columns);

struct ScreenColumn {
  std::string title;
  bool is_number = false;  // to the right, and never cut
};

// Lines of at most `width` columns, the titles first. Where it is too narrow, the widest columns of
// text are cut. Each row has as many cells as there are columns.
[[nodiscard]] std::vector<std::string> screen_table(
    const std::vector<ScreenColumn>& columns, const std::vector<std::vector<std::string>>& rows,
    std::size_t width);

}  // namespace penstock
