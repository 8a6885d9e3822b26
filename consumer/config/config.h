// Reads penstock.json (docs/config.md): JSON with // comments, read strictly. Every error gives the
// place as a JSON pointer, what was found and what was expected; only the first error is reported.
// All functions may be called from any thread, and all but load_config() are pure.
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

// The address of the HTTP server: "127.0.0.1:8080", "[::1]:8080", "localhost:0" (any free port).
struct ListenAddress {
  std::string host;  // without brackets
  int port = 0;

  [[nodiscard]] bool is_loopback() const;  // 127.*, ::1 and localhost
};

[[nodiscard]] Result<ListenAddress> parse_listen_address(std::string_view text);

struct HttpConfig {
  std::string listen = "127.0.0.1:8080";
  std::string token_file = {};  // of one token, which may do everything; empty: none
  std::string tokens = {};      // the file of several tokens (api/server/tokens.h); empty: none
  bool open_metrics = true;
  std::string health_listen = {};          // an address for /healthz and /readyz alone; empty: none
  std::string certificate = {}, key = {};  // PEM files; empty: not encrypted
  std::string group_token_file = {};  // the token that workers show each other; empty: token_file's
  std::string advertise = {};  // the URL at which others reach this worker; empty: as it listens
  int max_connections = 10'000, max_connections_per_address = 1'000;

  [[nodiscard]] bool asks_for_tokens() const { return !token_file.empty() || !tokens.empty(); }
};

struct Config {
  std::map<std::string, std::string> kafka;  // librdkafka properties, passed through
  // properties whose values have not been read yet
  std::map<std::string, ConfigSecret> kafka_secrets;
  std::string state_dir = "./penstock-state";
  std::string prefix = "penstock";
  HttpConfig http;
  std::vector<QueuePolicy> queues;  // in the order of the file

  // Null if the file has no such queue.
  [[nodiscard]] const QueuePolicy* queue(std::string_view name) const;
};

[[nodiscard]] Result<Config> parse_config(std::string_view text);
// Also reads the secrets.
[[nodiscard]] Result<Config> load_config(const std::string& path);

}  // namespace penstock
