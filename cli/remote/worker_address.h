// Where a worker's HTTP interface is reached. Pure.
#pragma once

#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

struct WorkerAddress {
  std::string host;  // without brackets
  int port = 0;
  bool tls = false;

  // HOST:PORT, or with https https://HOST:PORT
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string url() const;
};

// HOST:PORT, http://HOST[:PORT] or https://HOST[:PORT], without a path. The ports of the schemes
// are 80 and 443.
[[nodiscard]] Result<WorkerAddress> parse_worker_address(std::string_view text);

}  // namespace penstock
