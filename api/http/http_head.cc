#include "api/http/http_head.h"

#include <algorithm>
#include <optional>

#include "api/http/percent_decoded.h"
#include "topics/values/trimmed.h"
#include "topics/values/utf8.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

constexpr std::string_view kHeadLineEnd = "\r\n";
constexpr std::string_view kScheme = "http://";
constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

using Fault = tl::unexpected<HttpFault>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || kTokenMarks.find(c) != kTokenMarks.npos;
  });
}

// For a field's value or a target. A value may contain a tab.
bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

// Removes the part of `text` before `mark`, and the mark, and returns the part.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + mark.size());
  return part;
}

bool read_query(std::string_view query, HttpHead& head) {
  while (!query.empty()) {
    std::string_view value = take_until(query, "&");
    const auto name = percent_decoded(take_until(value, "="), true);
    const auto text = percent_decoded(value, true);
    if (!name || !text) return false;
    if (!name->empty()) head.parameters.emplace(*name, *text);
  }
  return true;
}

std::optional<HttpFault> read_target(std::string_view target, HttpHead& head) {
  if (target.starts_with(kScheme)) {
    target.remove_prefix(kScheme.size());
    const std::size_t path = target.find_first_of("/?");
    head.fields.emplace("host", target.substr(0, path));  // it takes precedence over the Host field
    target = path == target.npos ? "/" : target.substr(path);
    if (target.starts_with('?'))
      return HttpFault{400, "the request's target has a query, but no path"};
  }
  const std::string_view path = take_until(target, "?");
  if (!path.starts_with('/') || !percent_decoded(path, false) || !read_query(target, head)) {
    return HttpFault{400, "the request's target is not a path with an optional query, %-encoded"};
  }
  head.path = path;
  return std::nullopt;
}

std::optional<HttpFault> read_line(std::string_view line, HttpHead& head) {
  const std::string_view method = take_until(line, " ");
  const std::string_view target = take_until(line, " ");
  if (!is_token(method) || target.empty() || has_control(target) ||
      target.find_first_of("\t#") != target.npos || !line.starts_with("HTTP/")) {
    return HttpFault{400, "found no request line, expected METHOD TARGET HTTP/1.1"};
  }
  if (line != "HTTP/1.1" && line != "HTTP/1.0") {
    return HttpFault{505, "found the version " + excerpt(line) + ", expected HTTP/1.1"};
  }
  head.method = method;
  head.is_1_1 = head.keep_alive = line == "HTTP/1.1";
  return read_target(target, head);
}

std::optional<HttpFault> read_field(std::string_view line, HttpHead& head) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  // A name with a space at its end, or a folded line, is no token. Programs differ in how they read
  // such lines, so they are refused.
  if (colon == line.npos || !is_token(name) || has_control(line)) {
    return HttpFault{400, "found the header line \"" + excerpt(line) + "\", expected name: value"};
  }
  if (head.fields.size() >= kMaxHeadFields) {
    return HttpFault{431, "found more than " + std::to_string(kMaxHeadFields) + " header fields"};
  }
  std::string key(name);
  std::transform(key.begin(), key.end(), key.begin(), lower);
  head.fields.emplace(std::move(key), trimmed(line.substr(colon + 1)));
  return std::nullopt;
}

// With two of these fields, each program could believe a different one.
std::optional<HttpFault> repeated_field(const HttpHead& head) {
  for (const char* const name :
       {"content-length", "transfer-encoding", "host", "authorization", "content-type",
        "content-encoding", "origin", "expect", "sec-fetch-site", "idempotency-key"}) {
    if (head.fields.count(name) > 1) {
      return HttpFault{400, "found the header field " + std::string(name) + " more than once"};
    }
  }
  return std::nullopt;
}

std::optional<HttpFault> read_coding(bool is_1_1, HttpHead& head) {
  // With two ways to find the body's end, programs can disagree about where the next request begins
  // (RFC 9112, section 6.3).
  if (head.fields.contains("content-length") || !is_1_1) {
    return HttpFault{400,
                     "found a Transfer-Encoding, expected none with a Content-Length or in "
                     "HTTP/1.0"};
  }
  if (!equal_ignoring_case(head.field("transfer-encoding"), "chunked")) {
    return HttpFault{501, "found the Transfer-Encoding \"" +
                              excerpt(head.field("transfer-encoding")) + "\", expected chunked"};
  }
  head.body = HttpBody::kChunked;
  return std::nullopt;
}

std::optional<HttpFault> read_body_end(bool is_1_1, HttpHead& head) {
  if (head.fields.contains("transfer-encoding")) return read_coding(is_1_1, head);
  if (!head.fields.contains("content-length")) return std::nullopt;
  const std::string_view text = head.field("content-length");
  // whole_number() alone would not tell a number that is too large from a text that is none.
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  const auto bytes = digits ? whole_number<std::uint64_t>(text) : std::nullopt;
  if (!bytes) {
    return HttpFault{digits ? 413 : 400, "found the Content-Length \"" + excerpt(text) +
                                             "\", expected a number of bytes"};
  }
  head.body_bytes = *bytes;
  head.body = *bytes > 0 ? HttpBody::kSized : HttpBody::kNone;
  return std::nullopt;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (equal_ignoring_case(trimmed(take_until(list, ",")), word)) return true;
  }
  return false;
}

std::optional<HttpFault> read_wishes(HttpHead& head) {
  for (auto [at, end] = head.fields.equal_range("connection"); at != end; ++at) {
    if (has_word(at->second, "close")) {
      head.keep_alive = false;
      break;
    }
    if (has_word(at->second, "keep-alive")) head.keep_alive = true;
  }
  if (!head.fields.contains("expect")) return std::nullopt;
  head.expects_continue = equal_ignoring_case(head.field("expect"), "100-continue");
  if (head.expects_continue) return std::nullopt;
  return HttpFault{417, "found an Expect other than 100-continue"};
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view HttpHead::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

tl::expected<HttpHead, HttpFault> parse_http_head(std::string_view text) {
  HttpHead head;
  auto fault = read_line(take_until(text, kHeadLineEnd), head);
  const bool names_host = head.fields.contains("host");
  while (!fault && !text.empty() && !text.starts_with(kHeadLineEnd)) {
    fault = read_field(take_until(text, kHeadLineEnd), head);
  }
  // A target with a host overrides the Host field (RFC 9112, section 3.2.2). It was added first, so
  // the field is the second of the two.
  if (names_host && head.fields.count("host") == 2) {
    head.fields.erase(std::next(head.fields.find("host")));
  }
  if (!fault) fault = repeated_field(head);
  if (!fault && head.is_1_1 && !head.fields.contains("host"))
    fault = HttpFault{400, "found no Host field, expected one (RFC 9112, section 3.2)"};
  if (!fault) fault = read_body_end(head.is_1_1, head);
  if (!fault) fault = read_wishes(head);
  if (fault) return Fault(*std::move(fault));
  return head;
}

}  // namespace penstock
