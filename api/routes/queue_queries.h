// The GET endpoints below /v1/queues. Thread-safe.
#pragma once

#include <string>

#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

class QueueQueries {
 public:
  explicit QueueQueries(Source& source) : source_(source) {}

  [[nodiscard]] ApiReply queues(const ApiRequest& request);
  [[nodiscard]] ApiReply queue(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] ApiReply jobs(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] ApiReply job(const ApiRequest& request, const std::string& queue,
                             const std::string& id);
  [[nodiscard]] ApiReply bulks(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] ApiReply accounts(const ApiRequest& request, const std::string& queue);

 private:
  Source& source_;
};

// The reply where an id has several accounts' jobs, where it may have, as partitions have not been
// asked, and where it has none.
[[nodiscard]] ApiReply ambiguous_id(const JobMatch& match);
[[nodiscard]] ApiReply unsure_account(const JobMatch& match);
[[nodiscard]] ApiReply no_such_job(const JobMatch& match);

}  // namespace penstock
