// penstock.json (SPEC section 5): JSON with // comments, read strictly. Every refusal names the
// place as a JSON pointer, what was found and what was expected; the first one is reported. A key
// of the contract whose feature comes later is refused by its name. Pure functions but for
// load_config, safe from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/config/config_secret.h"
#include "consumer/config/handler_spec.h"
#include "consumer/policy/duration.h"
#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

// Where HTTP is served: "127.0.0.1:8080", "[::1]:8080", "localhost:0" (any free port).
struct ListenAddress {
  std::string host;  // without brackets
  int port = 0;

  [[nodiscard]] bool is_loopback() const;  // 127.*, ::1 and localhost
};

[[nodiscard]] Result<ListenAddress> parse_listen_address(std::string_view text);

struct HttpConfig {
  std::string listen = "127.0.0.1:8080";
  std::string token_file;  // empty: no token
  bool open_metrics = true;
};

struct Config {
  std::map<std::string, std::string> kafka;           // librdkafka properties, passed through
  std::map<std::string, ConfigSecret> kafka_secrets;  // those whose values are yet to be read
  std::string state_dir = "./penstock-state";
  std::string prefix = "penstock";
  HttpConfig http;
  std::vector<QueuePolicy> queues;  // in the order of the file

  // Null when the file has no such queue.
  [[nodiscard]] const QueuePolicy* queue(std::string_view name) const;
};

[[nodiscard]] Result<Config> parse_config(std::string_view text);
// Reads the secrets too.
[[nodiscard]] Result<Config> load_config(const std::string& path);

}  // namespace penstock
