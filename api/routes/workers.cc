#include "api/routes/workers.h"

#include "api/request/problem.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using WorkerJson = nlohmann::ordered_json;

WorkerJson partition_json(const PartitionStatus& status) {
  return {{"partition", status.partition},
          {"phase", status.phase},
          {"lease_ms", status.lease_left ? WorkerJson(status.lease_left->count()) : WorkerJson()},
          {"jobs", status.jobs},
          {"state_bytes", status.state_bytes},
          {"restored", status.bytes_restored}};
}

// By queue, as they come.
WorkerJson queues_json(const std::vector<PartitionStatus>& partitions) {
  WorkerJson queues = WorkerJson::array();
  for (const PartitionStatus& status : partitions) {
    if (queues.empty() || queues.back()["queue"] != status.queue)
      queues.push_back({{"queue", status.queue}, {"partitions", WorkerJson::array()}});
    queues.back()["partitions"].push_back(partition_json(status));
  }
  return queues;
}

}  // namespace

ApiReply Workers::list(const ApiRequest&) {
  const std::string reason = source_.not_ready();
  WorkerJson self{{"id", self_.id},
                  {"name", self_.name},
                  {"url", self_.url.empty() ? WorkerJson() : WorkerJson(self_.url)},
                  {"version", self_.version},
                  {"started", format_rfc3339(self_.started)},
                  {"ready", reason.empty()},
                  {"reason", reason.empty() ? WorkerJson() : WorkerJson(reason)},
                  {"queues", queues_json(source_.partitions())}};
  return reply_of(200, {{"workers", WorkerJson::array({std::move(self)})},
                        {"unanswered", WorkerJson::array()}});
}

}  // namespace penstock
