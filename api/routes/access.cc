#include "api/routes/access.h"

#include <fstream>

namespace penstock {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::streamsize kMaxTokenBytes = 4'096;

// Takes the same time regardless of where the first difference is.
bool equal_in_constant_time(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

bool is_loopback_host(std::string_view host) {
  if (const auto address = parse_listen_address(host)) return address->is_loopback();
  const auto address = parse_listen_address(std::string(host) + ":80");
  return address && address->is_loopback();
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  return origin == "http://" + std::string(host) || origin == "https://" + std::string(host);
}

}  // namespace

bool Access::is_open(std::string_view path) const {
  return path == "/healthz" || path == "/readyz" || (open_metrics_ && path == "/metrics");
}

std::optional<Problem> Access::refusal(const RequestHead& head) const {
  if (is_open(head.path)) return std::nullopt;
  if (!token_.empty()) {
    std::string_view given = head.authorization;
    const bool bearer = given.starts_with(kBearer);
    if (bearer) given.remove_prefix(kBearer.size());
    if (bearer && equal_in_constant_time(given, token_)) return std::nullopt;
    return Problem{.status = 401,
                   .detail = "send the token in /http/token_file as \"Authorization: Bearer ...\""};
  }
  // A page can have its own name resolve to 127.0.0.1; then its requests count as its own origin's,
  // and only the Host shows where they come from.
  if (!head.host.empty() && !is_loopback_host(head.host)) {
    return Problem{
        .status = 403,
        .detail = "the request was for the host \"" + head.host +
                  "\", but without a token only loopback names are allowed: set /http/token_file"};
  }
  if (!head.origin.empty() && !is_own_origin(head.origin, head.host)) {
    return Problem{.status = 403,
                   .detail = "pages from " + head.origin + " may not send requests to this server"};
  }
  return std::nullopt;
}

Result<std::string> read_token_file(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string token(static_cast<std::size_t>(kMaxTokenBytes), '\0');
  file.read(token.data(), kMaxTokenBytes);
  token.resize(file.is_open() ? static_cast<std::size_t>(file.gcount()) : 0);
  token.resize(std::min(token.size(), token.find_first_of("\r\n")));
  if (!token.empty()) return token;
  return failure("cannot read a token from /http/token_file, " + path +
                 ": make it a file that this user may read, with the token on its first line");
}

Status check_http(const HttpConfig& http) {
  const auto address = parse_listen_address(http.listen);
  if (!address) return tl::unexpected(address.error());
  if (address->is_loopback() || !http.token_file.empty()) return {};
  return failure(http.listen +
                 " can be reached from other machines: set /http/token_file in the config, or "
                 "listen on a loopback address such as 127.0.0.1:8080");
}

}  // namespace penstock
