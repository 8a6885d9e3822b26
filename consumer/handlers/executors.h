// Selects the executor for a job by queue and type: first the C++ handlers, then the handlers in
// the config.
//
// Filled before the loops start, and from then on read by all of them. Owns the executors and the
// HTTP client that they share. The destructor ends running attempts without reporting their
// outcomes; the mailboxes must exist until then.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consumer/handlers/exec/exec_child.h"
#include "consumer/handlers/exec/line_program.h"
#include "consumer/handlers/http/http_client.h"
#include "consumer/handlers/native/pool_executor.h"
#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

// Creates `http` when the first HTTP handler needs it; it must outlive the executor. `held_file`: see
// ForkServer.
[[nodiscard]] Result<std::unique_ptr<Executor>> make_executor(const HandlerSpec& spec,
                                                              std::unique_ptr<HttpClient>& http,
                                                              LineSink log, int held_file = -1);

class Executors {
 public:
  // `log` gets the lines that exec handlers write to standard error, each preceded by its type; it
  // is called from several threads.
  explicit Executors(LineSink log = {}) : log_(std::move(log)) {}

  // Every process of handlers that are added from here on holds this descriptor open (ForkServer).
  void hold_file(int file) { held_file_ = file; }
  // Fails if a secret file cannot be used.
  [[nodiscard]] Status add(const std::string& queue, const std::string& type,
                           const HandlerSpec& spec);
  // Adds C++ handlers for their types in every queue. At most one call.
  void add_functions(std::size_t threads, HandlerTable handlers);

  // Asks the program that a replay sends its records through; started when it is first needed. The
  // answer comes on a thread of the program's own. From any thread.
  void ask_program(const std::vector<std::string>& argv, std::string line,
                   LineProgram::Answer answer);

  // Null: this process has no handler for such jobs.
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
  int held_file_ = -1;
  std::unique_ptr<HttpClient> http_;  // destroyed after the executors
  std::unique_ptr<PoolExecutor> functions_;
  std::map<Place, std::unique_ptr<Executor>, PlaceLess> executors_;
  std::mutex programs_mutex_;
  std::map<std::vector<std::string>, std::unique_ptr<LineProgram>> programs_;
};

}  // namespace penstock
