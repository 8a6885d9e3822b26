#include "bench/rig/state_directory.h"

#include <stdlib.h>

#include <system_error>

namespace penstock {

Result<StateDirectory> StateDirectory::make() {
  std::string path = (std::filesystem::temp_directory_path() / "penstock-bench-XXXXXX").string();
  if (!mkdtemp(path.data())) return failure("cannot create a folder in " + path + ": set TMPDIR");
  return StateDirectory(path);
}

StateDirectory::~StateDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace penstock
