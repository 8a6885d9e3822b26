// Splits a command line into words as a POSIX shell does: blanks separate words, '...' is literal,
// and a backslash escapes $ ` " \ and a newline within "...", and any character elsewhere. Nothing
// is expanded: $, *, ~, ; and similar characters stand for themselves. A pure function, which may
// be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

// Fails on an unclosed quote and on a backslash at the end.
[[nodiscard]] Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace penstock
