// A value that the config file does not hold itself but names the place of: a file, or a variable
// of the environment. A function that reads, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxSecretBytes = 64 << 10;

struct ConfigSecret {
  std::string file;     // its whole content, without the end of its last line
  std::string env;      // when there is no file
  std::string pointer;  // of the member that named it, for errors
};

// Refuses what cannot be read, is empty, too large, or holds a NUL. No error shows the value.
[[nodiscard]] Result<std::string> read_secret(const ConfigSecret& secret);

}  // namespace penstock
