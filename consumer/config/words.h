// A command line as words, split as a POSIX shell splits it: blanks separate, '...' is literal, in
// "..." a backslash escapes $ ` " \ and a newline, elsewhere it escapes any character. Nothing is
// expanded: $,
// *, ~, ; and their like stand for themselves. A pure function, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

// Refuses a quote that is not closed and a backslash at the end.
[[nodiscard]] Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace penstock
