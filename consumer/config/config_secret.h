// A value that the config file does not contain itself; it gives its place instead, a file or an
// environment variable. May be used from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxSecretBytes = 64 << 10;

struct ConfigSecret {
  std::string file;     // the value is the file's content without its final line break
  std::string env;      // used if there is no file
  std::string pointer;  // to the member that gives the place, for errors
};

// Fails if the value cannot be read, is empty, is too large or contains a NUL. No error contains
// the value.
[[nodiscard]] Result<std::string> read_secret(const ConfigSecret& secret);

}  // namespace penstock
