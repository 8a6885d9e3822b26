#include "cli/remote/worker_address.h"

#include "consumer/config/config.h"
#include "topics/values/printable.h"

namespace penstock {
namespace {

constexpr std::string_view kPlainScheme = "http://", kTlsScheme = "https://";
constexpr int kPlainPort = 80, kTlsPort = 443;

bool names_port(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  return colon != authority.npos && (bracket == authority.npos || colon > bracket);
}

}  // namespace

std::string WorkerAddress::name() const {
  const bool v6 = host.find(':') != host.npos;
  const std::string authority = (v6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
  return tls ? std::string(kTlsScheme) + authority : authority;
}

std::string WorkerAddress::url() const { return tls ? name() : std::string(kPlainScheme) + name(); }

Result<WorkerAddress> parse_worker_address(std::string_view text) {
  std::string_view rest = text;
  int port = 0;
  const bool tls = rest.starts_with(kTlsScheme);
  if (tls) {
    rest.remove_prefix(kTlsScheme.size());
    port = kTlsPort;
  } else if (rest.starts_with(kPlainScheme)) {
    rest.remove_prefix(kPlainScheme.size());
    port = kPlainPort;
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != rest.npos) {
    return failure("found \"" + printable(text) +
                   "\", expected HOST:PORT, http://HOST:PORT or https://HOST:PORT, without a path");
  }
  std::string authority(rest);
  if (port != 0 && !names_port(rest)) authority += ":" + std::to_string(port);
  auto address = parse_listen_address(authority);
  if (!address) return tl::unexpected(address.error());
  return WorkerAddress{std::move(address->host), address->port, tls};
}

}  // namespace penstock
