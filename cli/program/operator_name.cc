#include "cli/program/operator_name.h"

#include <unistd.h>

#include <cstdlib>

namespace penstock {

std::string operator_name() {
  char host[256] = {};
  (void)gethostname(host, sizeof(host) - 1);
  const char* const user = std::getenv("USER");
  return std::string(user ? user : "somebody") + "@" + host;
}

}  // namespace penstock
