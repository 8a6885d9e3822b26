#include "consumer/config/config.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "consumer/config/config_json.h"
#include "consumer/config/config_reader.h"
#include "consumer/config/queue_config.h"
#include "topics/names.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

std::optional<ListenAddress> split_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = whole_number<int>(text.substr(colon + 1));
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  // Without brackets, the last colon of an IPv6 address would be taken for that of a port.
  if (host.empty() || bracketed != (host.find(':') != host.npos)) return std::nullopt;
  if (!port || *port < 0 || *port > 65'535) return std::nullopt;
  return ListenAddress{.host = std::string(host), .port = *port};
}

void check_listen(const ConfigValue& value, const HttpConfig& http) {
  const auto address = parse_listen_address(http.listen);
  if (!address) return value.refuse("an address such as \"127.0.0.1:8080\"");
  if (!address->is_loopback() && !http.asks_for_tokens()) {
    value.refuse("a loopback address, or a \"token_file\" or \"tokens\" as well");
  }
}

void read_tls(const ConfigValue& value, HttpConfig& http) {
  const ConfigObject object = value.object({.known = {"certificate", "key"}});
  object.read("certificate", http.certificate);
  object.read("key", http.key);
  if (http.certificate.empty() || http.key.empty())
    value.refuse("{\"certificate\": PATH, \"key\": PATH}, both of PEM files");
}

void read_http(const ConfigValue& value, HttpConfig& http) {
  const ConfigObject object =
      value.object({.known = {"listen", "token_file", "tokens", "open_metrics", "health_listen",
                              "tls", "group_token_file", "advertise", "max_connections",
                              "max_connections_per_address"}});
  object.read("listen", http.listen);
  object.read_nullable("token_file", http.token_file);
  object.read_nullable("tokens", http.tokens);
  object.read("open_metrics", http.open_metrics);
  object.read_nullable("health_listen", http.health_listen);
  object.read_nullable("group_token_file", http.group_token_file);
  object.read_nullable("advertise", http.advertise);
  object.read("max_connections", http.max_connections, Range<int>{10, 1'000'000});
  object.read("max_connections_per_address", http.max_connections_per_address,
              Range<int>{10, 1'000'000});
  if (const ConfigValue* tls = object.find("tls")) read_tls(*tls, http);
  if (const ConfigValue* listen = object.find("listen")) check_listen(*listen, http);
}

ConfigSecret read_place(const ConfigValue& value) {
  ConfigSecret secret{.file = {}, .env = {}, .pointer = value.pointer()};
  const ConfigObject object = value.object({.known = {"file", "env"}});
  object.read("file", secret.file);
  object.read("env", secret.env);
  if (object.members().size() != 1) {
    value.refuse_plainly("found an object, expected {\"file\": PATH} or {\"env\": NAME}");
  }
  return secret;
}

void read_kafka(const ConfigValue& value, Config& config) {
  for (const auto& [name, property] : value.any_object().members()) {
    if (property.is_object()) {
      config.kafka_secrets[name] = read_place(property);
    } else {
      property.read_scalar_as_text(config.kafka[name]);
    }
  }
}

Status read_secrets(Config& config) {
  for (const auto& [name, secret] : config.kafka_secrets) {
    auto value = read_secret(secret);
    if (!value) return tl::unexpected(value.error());
    config.kafka[name] = *std::move(value);
  }
  config.kafka_secrets.clear();
  return {};
}

void read_prefix(const ConfigValue& value, std::string& prefix) {
  value.read(prefix);
  if (const Status good = check_prefix(prefix); !good) value.refuse_plainly(good.error().message);
}

Config read_config(const ConfigValue& document) {
  Config config;
  const ConfigObject object =
      document.object({.known = {"kafka", "state_dir", "prefix", "http", "queues"}});
  if (const ConfigValue* kafka = object.find("kafka")) read_kafka(*kafka, config);
  object.read("state_dir", config.state_dir);
  if (const ConfigValue* prefix = object.find("prefix")) read_prefix(*prefix, config.prefix);
  if (const ConfigValue* http = object.find("http")) read_http(*http, config.http);
  if (const ConfigValue* queues = object.find("queues")) {
    FileScope file{config.prefix};
    for (const auto& [name, queue] : queues->any_object().members()) {
      config.queues.push_back(read_queue(file, name, queue));
    }
  }
  return config;
}

Result<std::string> read_file(const std::string& path) {
  // A stream need not set errno, so an old value must not be taken for its error.
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte more than is accepted, so that a file that is too large is told from one that is just
  // as large.
  std::string text(kMaxConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return failure("cannot read the config file " + path + ": " +
                   std::strerror(errno == 0 ? EIO : errno) +
                   "; name another with --config or PENSTOCK_CONFIG");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  const bool numeric = host.find_first_not_of("0123456789.") == host.npos;
  return host == "localhost" || host == "::1" || (numeric && host.starts_with("127."));
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  if (auto address = split_address(text)) return *std::move(address);
  return failure("found \"" + std::string(text) +
                 "\", expected an address such as \"127.0.0.1:8080\"");
}

const QueuePolicy* Config::queue(std::string_view name) const {
  const auto it = std::find_if(queues.begin(), queues.end(),
                               [name](const QueuePolicy& queue) { return queue.name == name; });
  return it == queues.end() ? nullptr : &*it;
}

Result<Config> parse_config(std::string_view text) {
  const auto json = parse_config_json(text);
  if (!json) return tl::unexpected(json.error());
  ConfigFault fault;
  Config config = read_config(ConfigValue(*json, "", fault));
  if (fault.first()) return tl::unexpected(*fault.first());
  return config;
}

Result<Config> load_config(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto config = parse_config(*text);
  // Secrets last: parse_config() is pure, and a bad file is refused without touching them.
  const Status read = config ? read_secrets(*config) : tl::unexpected(config.error());
  if (!read) return failure(path + ": " + read.error().message);
  return config;
}

}  // namespace penstock
