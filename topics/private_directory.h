// A directory that only its owner can open. Safe from any thread.
#pragma once

#include <string>

#include "topics/values/result.h"

namespace penstock {

// Makes it, and every directory of its path that is missing, with mode 0700 whatever the umask is.
// A directory that is there is closed to others; those that lead to it are left as they are.
[[nodiscard]] Status make_private_directory(const std::string& path);

}  // namespace penstock
