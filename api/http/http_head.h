// The head of an HTTP/1 request, read strictly: a head that another program could interpret
// differently is refused (RFC 9112, section 11). Pure.
//
//   head   := line CRLF (field CRLF)* CRLF
//   line   := method SP target SP ("HTTP/1.0" | "HTTP/1.1")
//   target := ["http://" authority] path ["?" query]          path begins with "/"
//   query  := name ["=" value] ("&" name ["=" value])*         names and values may be %-encoded
//   field  := name ":" value                                   name is a token; never folded
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace penstock {

// Why a request cannot be answered. The connection is closed after the reply.
struct HttpFault {
  int status = 400;
  std::string detail;  // one line: what was found, what was expected
};

// How the length of the body is given.
enum class HttpBody : std::uint8_t { kNone, kSized, kChunked };

struct HttpHead {
  std::string method;
  std::string path;                                     // %-encoded, and validly so
  std::multimap<std::string, std::string> parameters;   // decoded
  std::multimap<std::string, std::string> fields = {};  // names in lower case
  HttpBody body = HttpBody::kNone;
  std::uint64_t body_bytes = 0;   // only for kSized
  bool is_1_1 = true;             // otherwise it is HTTP/1.0
  std::string peer = {};          // the client's address, which is not in the head
  bool keep_alive = true;         // the client has not asked to close the connection
  bool expects_continue = false;  // the client waits for a 100 before it sends the body

  // The value of the first field with that name (in lower case); empty if there is none.
  [[nodiscard]] std::string_view field(const std::string& name) const;
};

inline constexpr std::size_t kMaxHeadBytes = 32 << 10;
inline constexpr std::size_t kMaxHeadFields = 100;

// `text` is the whole head, including the empty line at its end.
[[nodiscard]] tl::expected<HttpHead, HttpFault> parse_http_head(std::string_view text);

// Compares two texts, ignoring the case of ASCII letters.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace penstock
