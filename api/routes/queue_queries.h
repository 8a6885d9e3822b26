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

// The replies to an id that jobs of several accounts have, to one that they may have because not
// all partitions have been asked, and to one that no job has.
[[nodiscard]] ApiReply ambiguous_id(const JobMatch& match);
[[nodiscard]] ApiReply unsure_account(const JobMatch& match);
[[nodiscard]] ApiReply no_such_job(const JobMatch& match);

}  // namespace penstock
