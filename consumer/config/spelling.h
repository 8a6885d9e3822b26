// Finds the word that the user may have meant. A pure function, which may be called from any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace penstock {

// The candidate with the smallest edit distance (Levenshtein) from `word`, the first one in case of
// a tie. Empty unless the distance is at most a third of the longer word's length (but at least one
// letter is always allowed).
[[nodiscard]] std::optional<std::string_view> nearest_word(
    std::string_view word, std::span<const std::string_view> candidates);

}  // namespace penstock
