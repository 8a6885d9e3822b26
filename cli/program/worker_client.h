// Asks a running worker about jobs over HTTP (GET /v1/queues/...). Blocks for an answer, up to
// kAnswerTimeout. Errors say what to do. Used from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/config/config.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

using JobJson = nlohmann::ordered_json;

// Empty members do not filter.
struct JobFilter {
  std::string queue;
  std::string state;
  std::string type;
  std::string account;
  std::string bulk;
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

// Why a worker gave no answer.
struct WorkerError : Error {
  bool not_found = false;  // it answered that there is no such thing
};
template <typename T>
using FromWorker = tl::expected<T, WorkerError>;

class WorkerClient {
 public:
  static constexpr int kMaxPage = 500;
  static constexpr std::size_t kMaxAnswerBytes = 64 << 20;
  static constexpr std::chrono::seconds kConnectTimeout{5};
  static constexpr std::chrono::seconds kAnswerTimeout{30};

  // An empty token is not sent.
  WorkerClient(ListenAddress address, std::string token);

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

  [[nodiscard]] std::string name() const;  // HOST:PORT

 private:
  struct Answer {
    int status = 0;
    JobJson body;  // null if it is not JSON
  };

  [[nodiscard]] FromWorker<JobPage> page(const std::string& target, const char* member);
  [[nodiscard]] FromWorker<Answer> get(const std::string& target);
  [[nodiscard]] tl::unexpected<WorkerError> refused(const Answer& answer) const;
  [[nodiscard]] tl::unexpected<WorkerError> not_understood() const;

  ListenAddress address_;
  std::string token_;
};

// `http` is the value of --http, "HOST:PORT" or "http://HOST:PORT"; empty: the config's
// http.listen. The token is read from the config's token file.
[[nodiscard]] Result<WorkerClient> worker_client(const Config& config, std::string_view http);

}  // namespace penstock
