// Which executor runs a job: by queue and type, the C++ handlers first, then what the config names.
//
// Filled before the loops start, read by all of them afterwards. Owns the executors and the HTTP
// client that they share. Destroying it ends what still runs and posts nothing for it; the
// mailboxes must live until then.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consumer/handlers/exec/exec_child.h"
#include "consumer/handlers/http/http_client.h"
#include "consumer/handlers/native/pool_executor.h"
#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

// `http` is made when a handler is the first to need it, and must outlive the executor.
[[nodiscard]] Result<std::unique_ptr<Executor>> make_executor(const HandlerSpec& spec,
                                                              std::unique_ptr<HttpClient>& http,
                                                              LineSink log);

class Executors {
 public:
  // `log` is given the lines of exec handlers' standard error, each after its type; from several
  // threads.
  explicit Executors(LineSink log = {}) : log_(std::move(log)) {}

  // Fails when a secret file cannot be used.
  [[nodiscard]] Status add(const std::string& queue, const std::string& type,
                           const HandlerSpec& spec);
  // C++ handlers for their types in every queue. At most once.
  void add_functions(std::size_t threads, HandlerTable handlers);

  // nullptr: nothing in this process runs such jobs.
  [[nodiscard]] Executor* find(std::string_view queue, std::string_view type) const;

 private:
  using Place = std::pair<std::string, std::string>;  // queue and type
  struct PlaceLess {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      if (const int order = std::string_view(a.first).compare(b.first); order != 0)
        return order < 0;
      return std::string_view(a.second) < std::string_view(b.second);
    }
  };

  const LineSink log_;
  std::unique_ptr<HttpClient> http_;  // the executors go before it
  std::unique_ptr<PoolExecutor> functions_;
  std::map<Place, std::unique_ptr<Executor>, PlaceLess> executors_;
};

}  // namespace penstock
