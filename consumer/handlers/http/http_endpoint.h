// Where an HTTP handler is, and what its requests are signed with. A value.
#pragma once

#include <string>
#include <vector>

namespace penstock {

struct HttpEndpoint {
  std::string url;
  std::vector<std::string> keys;  // as parse_secrets gives them; none: unsigned
};

}  // namespace penstock
