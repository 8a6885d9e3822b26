// The word that somebody may have meant. A pure function, safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace penstock {

// The candidate with the least edit distance (Levenshtein) from `word`, if it is at most a third of
// the longer word's letters (at least one letter); the first of equals.
[[nodiscard]] std::optional<std::string_view> nearest_word(
    std::string_view word, std::span<const std::string_view> candidates);

}  // namespace penstock
