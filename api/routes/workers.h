// GET /v1/workers: the worker processes, and the phase of each of their partitions. Thread-safe.
#pragma once

#include <string>

#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

// This process.
struct WorkerIdentity {
  std::string id;        // unique among the group's processes
  std::string name;      // of its machine
  std::string version;   // of Penstock
  std::string url = {};  // where it can be reached; empty until it listens
  Time started{};
};

class Workers {
 public:
  Workers(Source& source, const WorkerIdentity& self) : source_(source), self_(self) {}

  [[nodiscard]] ApiReply list(const ApiRequest& request);

 private:
  Source& source_;
  const WorkerIdentity& self_;
};

}  // namespace penstock
