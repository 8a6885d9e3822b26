// Asks a running worker over HTTP (GET /v1/queues/...) about jobs. Blocks, up to kAnswerTimeout for
// an answer. Failures say what to do. For one thread.
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
  std::string after;          // where the next page begins; empty: this is the last
  // Partitions that could have more of them, but are not the asked worker's.
  std::vector<PartitionId> not_here;
};

// A job, or the accounts that have one of this id, or neither: there is no such job, but perhaps in
// the partitions that are not the asked worker's.
struct JobLookup {
  std::optional<JobJson> job;
  std::vector<std::string> accounts;
  // Without an account also beside a job: another account's job of this id may be there.
  std::vector<PartitionId> not_here;
};

// Why a worker gave no answer.
struct WorkerError : Error {
  bool not_found = false;  // it answered: there is no such thing
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
  // Of the filter only queue and account count. The page's objects are bulks.
  [[nodiscard]] FromWorker<JobPage> bulks(const JobFilter& filter, std::string_view after,
                                          int limit);
  // Of how many chunks the bulk is, if there is such a one. A failure when the account's partition
  // is not the asked worker's.
  [[nodiscard]] FromWorker<std::optional<std::size_t>> bulk_size(const std::string& queue,
                                                                 const std::string& account,
                                                                 std::string_view id);
  // How long an item of a bulk of this type takes, if the worker has measured it.
  [[nodiscard]] FromWorker<std::optional<std::chrono::microseconds>> item_time(
      std::string_view queue, std::string_view type);
  // `account` may be empty.
  [[nodiscard]] FromWorker<JobLookup> find(std::string_view queue, std::string_view id,
                                           std::string_view account);

  [[nodiscard]] std::string name() const;  // HOST:PORT

 private:
  struct Answer {
    int status = 0;
    JobJson body;  // null when it is no JSON
  };

  [[nodiscard]] FromWorker<JobPage> page(const std::string& target, const char* member);
  [[nodiscard]] FromWorker<Answer> get(const std::string& target);
  [[nodiscard]] tl::unexpected<WorkerError> refused(const Answer& answer) const;
  [[nodiscard]] tl::unexpected<WorkerError> not_understood() const;

  ListenAddress address_;
  std::string token_;
};

// `http` is --http's value, "HOST:PORT" or "http://HOST:PORT"; empty: the config's http.listen. The
// token is read from the config's token file.
[[nodiscard]] Result<WorkerClient> worker_client(const Config& config, std::string_view http);

}  // namespace penstock
