// A connection to a worker's HTTP interface, or to whatever listens at its address: requests and
// answers, without their meaning. Over TLS, the server's certificate must go back to one of the
// trusted ones and be for the host that was named. Blocks for an answer, up to a time limit. Used
// from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/remote/worker_address.h"
#include "topics/values/result.h"

namespace penstock {

using JobJson = nlohmann::ordered_json;

// Why a worker gave no answer, or not the one that was asked for.
struct WorkerError : Error {
  bool not_found = false;  // it answered that there is no such thing
  int status = 0;          // of its answer; 0: there was none
};
template <typename T>
using FromWorker = tl::expected<T, WorkerError>;

struct WorkerAnswer {
  int status = 0;
  JobJson body;      // null if it is not JSON
  std::string text;  // the body as it came
};

struct WorkerQuestion {
  std::string method = "GET";
  std::string target;  // encoded
  std::string body = {};
  std::string type = "application/json";
};

// The query of a target, every value encoded.
class TargetQuery {
 public:
  // An empty value is left out.
  void add(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Encodes everything except the unreserved characters of RFC 3986, so that an id may contain "/" or
// "?".
[[nodiscard]] std::string percent_encoded(std::string_view text);
// "/v1/queues/Q", followed by `rest`.
[[nodiscard]] std::string queue_target(std::string_view queue, std::string_view rest = "");

class WorkerLink {
 public:
  static constexpr std::size_t kMaxAnswerBytes = 64 << 20;
  static constexpr std::chrono::seconds kConnectTimeout{5};
  static constexpr std::chrono::seconds kAnswerTimeout{30};

  // An empty token is not sent. `ca` is a file of certificates; empty: the system's.
  WorkerLink(WorkerAddress address, std::string token, const std::string& ca);
  ~WorkerLink();
  WorkerLink(WorkerLink&&) noexcept;
  WorkerLink& operator=(WorkerLink&&) noexcept;

  void set_timeouts(std::chrono::milliseconds connect, std::chrono::milliseconds answer);
  // Any answer, whatever its status.
  [[nodiscard]] FromWorker<WorkerAnswer> ask(const WorkerQuestion& question);
  // The error for an answer that is not the one that was asked for.
  [[nodiscard]] tl::unexpected<WorkerError> refused(const WorkerAnswer& answer) const;
  [[nodiscard]] tl::unexpected<WorkerError> not_understood() const;

  [[nodiscard]] const WorkerAddress& address() const { return address_; }

 private:
  struct Connection;

  WorkerAddress address_;
  std::string token_;
  bool own_ca_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace penstock
