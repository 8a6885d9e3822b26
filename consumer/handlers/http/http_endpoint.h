// Where an HTTP handler is, and what its requests are signed with. A value.
#pragma once

#include <string>
#include <vector>

namespace penstock {

struct HttpEndpoint {
  std::string url;
  // signing keys, from parse_secrets(); empty: requests are not signed
  std::vector<std::string> keys;
};

}  // namespace penstock
