// Asks a running worker about queues and jobs over HTTP (docs/http.md). Blocks for an answer, up to
// WorkerLink::kAnswerTimeout. Errors say what to do. Used from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/remote/remote_options.h"
#include "cli/remote/worker_link.h"
#include "consumer/config/config.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// Empty members do not filter.
struct JobFilter {
  std::string queue = {};
  std::string state = {};
  std::string type = {};
  std::string account = {};
  std::string bulk = {};
  std::string error = {};  // a text that the reason contains
  std::string id_begins = {};
  std::string from = {}, to = {};  // when they were created

  // Whether it selects by anything besides the queue.
  [[nodiscard]] bool selects() const;
};

struct JobPage {
  std::vector<JobJson> jobs;  // objects with a string "id" and "account"
  std::string after;          // where the next page begins; empty: this is the last one
  // Partitions that may have more of them but are not owned by this worker.
  std::vector<PartitionId> not_here;
};

// A job; or the accounts that have a job with this id; or neither, if there is no such job, except
// perhaps in partitions that this worker does not own.
struct JobLookup {
  std::optional<JobJson> job;
  std::vector<std::string> accounts;
  // If no account was given, also set together with a job, because another account may have this id
  // there.
  std::vector<PartitionId> not_here;
};

class WorkerClient {
 public:
  static constexpr int kMaxPage = 500;

  explicit WorkerClient(WorkerLink link) : link_(std::move(link)) {}

  [[nodiscard]] FromWorker<JobPage> list(const JobFilter& filter, std::string_view after,
                                         int limit);
  // Uses only the filter's queue and account. The page's objects are bulks.
  [[nodiscard]] FromWorker<JobPage> bulks(const JobFilter& filter, std::string_view after,
                                          int limit);
  // The number of chunks of the bulk, or empty if there is no such bulk. Fails if this worker does
  // not own the account's partition.
  [[nodiscard]] FromWorker<std::optional<std::size_t>> bulk_size(const std::string& queue,
                                                                 const std::string& account,
                                                                 std::string_view id);
  // The time per item of a bulk of this type, if the worker has measured it.
  [[nodiscard]] FromWorker<std::optional<std::chrono::microseconds>> item_time(
      std::string_view queue, std::string_view type);
  // `account` may be empty.
  [[nodiscard]] FromWorker<JobLookup> find(std::string_view queue, std::string_view id,
                                           std::string_view account);

  // The body of the answer to a GET; an error unless the status is 200.
  [[nodiscard]] FromWorker<JobJson> get(const std::string& target);
  // The same for other methods; the status may be any of 200 to 299. Without a body: "".
  [[nodiscard]] FromWorker<JobJson> send(const char* method, const std::string& target,
                                         const std::string& body = "");

  [[nodiscard]] WorkerLink& link() { return link_; }
  [[nodiscard]] std::string name() const { return link_.address().name(); }

 private:
  [[nodiscard]] FromWorker<JobPage> page(const std::string& target, const char* member);

  WorkerLink link_;
};

// The worker of --http or, without it, of the config's http.listen. The token is PENSTOCK_TOKEN or,
// without it, read from the config's token file.
[[nodiscard]] Result<WorkerClient> worker_client(const Config& config,
                                                 const RemoteOptions& options);

}  // namespace penstock
