#include "consumer/worker/in_place/boot.h"

#include <unistd.h>

#include <fstream>

namespace penstock {

std::string read_boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) return {};
  char space[64];
  const ssize_t length = ::readlink("/proc/self/ns/time", space, sizeof space);
  // A kernel without time namespaces has one clock for all processes.
  if (length > 0) boot.append(" ").append(space, static_cast<std::size_t>(length));
  return boot;
}

}  // namespace penstock
