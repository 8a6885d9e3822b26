#include "consumer/config/handler_spec.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "consumer/config/words.h"
#include "consumer/policy/duration.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

constexpr std::string_view kForms =
    "http://..., https://..., exec:/path arg..., noop, sleep:50ms or fail:0.1";

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string found(std::string_view text) { return "found " + in_quotes(text) + ", expected "; }

Result<HandlerSpec> parse_url(std::string_view text) {
  if (is_handler_url(text)) return HttpHandler{.url = std::string(text), .secret_file = {}};
  return failure(found(shown_url(text)) + "a URL such as \"http://127.0.0.1:3000/jobs\"");
}

Result<HandlerSpec> parse_exec(std::string_view text, std::string_view command) {
  auto argv = split_words(command);
  if (!argv) return failure("exec: " + argv.error().message + ", in " + in_quotes(text));
  if (is_handler_argv(*argv)) return ExecHandler{.argv = *std::move(argv), .children = 1};
  return failure(found(text) + "exec: and an absolute path, such as \"exec:/usr/bin/env python3\"");
}

Result<HandlerSpec> parse_sleep(std::string_view length) {
  const auto duration = parse_duration(length);
  if (!duration) return failure("sleep: " + duration.error().message);
  return SleepHandler{*duration};
}

Result<HandlerSpec> parse_fail(std::string_view text, std::string_view number) {
  double probability = -1;
  const char* last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, probability);
  const bool read = error == std::errc{} && end == last;
  // NAN fails both comparisons.
  if (read && probability >= 0 && probability <= 1) return FailHandler{probability};
  return failure(found(text) + "fail: and a number from 0 to 1, such as \"fail:0.1\"");
}

// The text after "name:", if `text` begins with it.
std::optional<std::string_view> after(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  return text.substr(name.size());
}

bool is_port(std::string_view text) {
  const auto port = whole_number<int>(text);
  return port && *port >= 1 && *port <= 65'535;
}

bool is_authority(std::string_view authority) {
  // Without a user, rfind() + 1 wraps to 0.
  authority.remove_prefix(std::min(authority.size(), authority.rfind('@') + 1));
  // An IPv6 address has colons of its own, inside the brackets.
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  const bool has_host = !authority.substr(0, colon).empty();
  return has_host && (colon == authority.npos || is_port(authority.substr(colon + 1)));
}

}  // namespace

bool is_handler_url(std::string_view url) {
  auto rest = after(url, "http://");
  if (!rest) rest = after(url, "https://");
  if (!rest) return false;
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  return std::none_of(rest->begin(), rest->end(), is_blank) &&
         is_authority(rest->substr(0, rest->find_first_of("/?#")));
}

std::string shown_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == url.npos ? 0 : scheme + 3;
  std::string shown(url.substr(0, begin));
  std::string_view rest = url.substr(begin);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  // If a password is not encoded, it can contain characters that would end the authority.
  const bool has_user = authority.find('@') != authority.npos || !is_authority(authority);
  if (const std::size_t at = rest.rfind('@'); has_user && at != rest.npos) {
    shown += "...@";
    rest.remove_prefix(at + 1);
  }
  const std::size_t query = rest.find_first_of("?#");
  shown += rest.substr(0, query);
  return query == rest.npos ? shown : shown + "?...";
}

bool is_handler_argv(const std::vector<std::string>& argv) {
  const auto has_nul = [](const std::string& word) { return word.find('\0') != word.npos; };
  return !argv.empty() && argv[0].starts_with('/') &&
         std::none_of(argv.begin(), argv.end(), has_nul);
}

Result<HandlerSpec> parse_handler_spec(std::string_view text) {
  if (text == "noop") return NoopHandler{};
  if (text.starts_with("http://") || text.starts_with("https://")) return parse_url(text);
  if (const auto command = after(text, "exec:")) return parse_exec(text, *command);
  if (const auto length = after(text, "sleep:")) return parse_sleep(*length);
  if (const auto number = after(text, "fail:")) return parse_fail(text, *number);
  return failure(found(text) + std::string(kForms));
}

}  // namespace penstock
