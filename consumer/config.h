// penstock.json (SPEC section 5): JSON with // comments, read strictly. Every refusal names the place as a
// JSON pointer, what was found and what was expected.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/policy.h"
#include "topics/result.h"

namespace penstock {

struct HttpConfig {
  std::string listen = "127.0.0.1:8080";
  std::string token_file;  // empty: no token
  bool open_metrics = true;
};

struct Config {
  std::map<std::string, std::string> kafka;  // librdkafka properties, passed through
  std::string state_dir = "./penstock-state";
  std::string prefix = "penstock";
  HttpConfig http;
  std::vector<QueuePolicy> queues;  // in the order of the file

  [[nodiscard]] const QueuePolicy* queue(std::string_view name) const;
};

[[nodiscard]] Result<Config> parse_config(std::string_view text);
[[nodiscard]] Result<Config> load_config(const std::string& path);

// "250ms", "30s", "5m", "12h", "7d".
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

// What --handler TYPE=SPEC takes: http(s)://..., exec:/path arg..., noop, sleep:50ms, fail:0.1.
[[nodiscard]] Result<HandlerSpec> parse_handler_spec(std::string_view text);

}  // namespace penstock
