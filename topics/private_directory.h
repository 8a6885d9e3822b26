// A directory that only its owner can open. May be called from any thread.
#pragma once

#include <string>

#include "topics/values/result.h"

namespace penstock {

// Creates the directory with mode 0700, regardless of the umask, and also every missing directory
// on its path. If the directory exists, other users' access to it is removed; the directories above
// it are left unchanged.
[[nodiscard]] Status make_private_directory(const std::string& path);

}  // namespace penstock
