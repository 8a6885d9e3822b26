// The address of an HTTP handler, and the keys that sign its requests. A value.
#pragma once

#include <string>
#include <vector>

namespace penstock {

struct HttpEndpoint {
  std::string url;
  std::vector<std::string> keys;  // from parse_secrets(); empty: requests are not signed
};

}  // namespace penstock
