#include "cli/work/work_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "topics/values/printable.h"

namespace penstock {

WorkLog::WorkLog(bool json) : json_(json) {
  if (json) {
    logger_ = std::make_shared<spdlog::logger>("penstock",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>());
    // write() supplies the remaining members of the object.
    logger_->set_pattern(R"({"at":"%Y-%m-%dT%H:%M:%S.%e%z",%v})");
  } else {
    logger_ = std::make_shared<spdlog::logger>(
        "penstock", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger_->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  }
  logger_->flush_on(spdlog::level::info);
  audit_ =
      std::make_shared<spdlog::logger>("audit", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  audit_->set_pattern("%v");
  audit_->flush_on(spdlog::level::info);
}

WorkLog::~WorkLog() = default;

void WorkLog::write(std::string_view level, const std::string& text) {
  const auto severity = level == "error"     ? spdlog::level::err
                        : level == "warning" ? spdlog::level::warn
                                             : spdlog::level::info;
  // The text is an argument, and not the format, because it may contain braces.
  if (!json_) return logger_->log(severity, "{}", printable(text));
  using nlohmann::json;
  constexpr auto kReplace = json::error_handler_t::replace;
  logger_->log(severity, "\"level\":{},\"message\":{}", json(level).dump(),
               json(text).dump(-1, ' ', false, kReplace));
}

std::function<void(const std::string&)> WorkLog::audit_sink() {
  return [audit = audit_](const std::string& line) { audit->info("{}", line); };
}

std::function<void(std::string_view, const std::string&)> WorkLog::sink() {
  return [this](std::string_view level, const std::string& text) { write(level, text); };
}

}  // namespace penstock
