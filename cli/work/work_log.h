// The worker's log on standard error: lines for people, or one JSON object per line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace penstock {

class WorkLog {
 public:
  explicit WorkLog(bool json);
  ~WorkLog();

  // `level` is info, warning or error. Writes exactly one line for any text. May be called
  // from any thread.
  void write(std::string_view level, const std::string& text);
  [[nodiscard]] std::function<void(std::string_view, const std::string&)> sink();
  // For the audit log: each line is written as it is, one JSON object, whatever the log's form.
  [[nodiscard]] std::function<void(const std::string&)> audit_sink();

 private:
  // spdlog returns loggers as shared_ptr.
  std::shared_ptr<spdlog::logger> logger_, audit_;
  bool json_;
};

}  // namespace penstock
