// A reply, and its form as HTTP/1.1 text. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace penstock {

struct HttpReply {
  int status = 200;
  std::string type;  // of the body
  std::string body;
  std::map<std::string, std::string> fields = {};
  bool stream = false;  // the body goes on after `body`, in pieces
};

// How the client finds the end of the body.
enum class HttpLength : std::uint8_t { kSized, kChunked, kUntilEnd };

// Such as "Not Found".
[[nodiscard]] std::string_view status_title(int status);

// `with_body` is false for the reply to a HEAD, which gives only the length of the body.
[[nodiscard]] std::string http_text(const HttpReply& reply, bool with_body, bool keep_alive,
                                    HttpLength length = HttpLength::kSized);

// A piece of a chunked body, which is not empty, and its end (RFC 9112, section 7.1).
void append_chunk(std::string_view piece, std::string& out);
void append_last_chunk(std::string& out);

}  // namespace penstock
