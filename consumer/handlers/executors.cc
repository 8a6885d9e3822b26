#include "consumer/handlers/executors.h"

#include "consumer/handlers/exec/exec_executor.h"
#include "consumer/handlers/http/http_executor.h"
#include "consumer/handlers/native/builtin_executor.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

using MadeExecutor = Result<std::unique_ptr<Executor>>;

struct Maker {
  std::unique_ptr<HttpClient>& http;
  LineSink log;
  int held_file;

  MadeExecutor operator()(const HttpHandler& handler) {
    // One for all endpoints, and none if there is no HTTP handler: a client has a thread.
    if (!http) http = std::make_unique<HttpClient>();
    return HttpExecutor::open(*http, handler);
  }
  MadeExecutor operator()(const ExecHandler& handler) {
    return std::make_unique<ExecExecutor>(handler, std::move(log), held_file);
  }
  MadeExecutor operator()(const NoopHandler&) { return std::make_unique<NoopExecutor>(); }
  MadeExecutor operator()(const SleepHandler& handler) {
    return std::make_unique<SleepExecutor>(handler);
  }
  MadeExecutor operator()(const FailHandler& handler) {
    return std::make_unique<FailExecutor>(handler);
  }
};

}  // namespace

MadeExecutor make_executor(const HandlerSpec& spec, std::unique_ptr<HttpClient>& http, LineSink log,
                           int held_file) {
  return std::visit(Maker{http, std::move(log), held_file}, spec);
}

Status Executors::add(const std::string& queue, const std::string& type, const HandlerSpec& spec) {
  LineSink log;
  if (log_) {
    log = [this, type](std::string_view line) { log_(type + ": " + std::string(line)); };
  }
  auto executor = make_executor(spec, http_, std::move(log), held_file_);
  if (!executor) return tl::unexpected(executor.error());
  const bool is_new = executors_.emplace(Place{queue, type}, *std::move(executor)).second;
  PENSTOCK_CHECK(is_new, "a type has one handler in a queue");
  return {};
}

void Executors::add_functions(std::size_t threads, HandlerTable handlers) {
  PENSTOCK_CHECK(functions_ == nullptr, "C++ handlers are added once");
  functions_ = std::make_unique<PoolExecutor>(threads, std::move(handlers));
}

Executor* Executors::find(std::string_view queue, std::string_view type) const {
  // First: a function that the program registers overrides the configured handler.
  if (functions_ && functions_->handles(type)) return functions_.get();
  const auto found = executors_.find(std::pair(queue, type));
  return found == executors_.end() ? nullptr : found->second.get();
}

void Executors::ask_program(const std::vector<std::string>& argv, std::string line,
                            LineProgram::Answer answer) {
  const std::lock_guard lock(programs_mutex_);
  std::unique_ptr<LineProgram>& program = programs_[argv];
  if (!program) program = std::make_unique<LineProgram>(argv, log_);
  program->ask(std::move(line), std::move(answer));
}

}  // namespace penstock
