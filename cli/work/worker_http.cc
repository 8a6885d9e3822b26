#include "cli/work/worker_http.h"

#include <utility>

#include "api/server/access.h"
#include "api/server/token_files.h"

namespace penstock {
namespace {
constexpr const char* kOff = "off";
}

void WorkerHttp::add_option(CLI::App& command) {
  command.add_option("--http", address_,
                     "HOST:PORT of the HTTP interface instead of the config's, or off");
}

Status WorkerHttp::apply(RuntimeOptions& options) const {
  if (address_ == kOff) return {};
  if (!address_.empty()) options.config.http.listen = address_;
  if (const Status status = check_http(options.config.http); !status) {
    return failure((address_.empty() ? "/http/listen: " : "--http: ") + status.error().message);
  }
  // Read only to check it: a token file that cannot be read is wrong usage, and start() may merely
  // warn.
  const HttpConfig& http = options.config.http;
  if (const auto tokens = read_tokens(http.token_file, http.tokens); !tokens) {
    return tl::unexpected(tokens.error());
  }
  return {};
}

Result<std::unique_ptr<WorkerApi>> WorkerHttp::start(Runtime& runtime, ProducerSink::Make producer,
                                                     WorkLog& log) const {
  if (address_ == kOff) return nullptr;
  auto api = WorkerApi::start(runtime, std::move(producer),
                              {.log = log.sink(), .audit = log.audit_sink()});
  if (api) {
    log.write("info", "HTTP at " + (*api)->url());
    return api;
  }
  if (!address_.empty()) return failure("--http: " + api.error().message);
  log.write("warning", "without HTTP: " + api.error().message);
  return nullptr;
}

}  // namespace penstock
