// A reply as the bytes of HTTP/1.1. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace penstock {

struct HttpReply {
  int status = 200;
  std::string type;  // of the body
  std::string body;
  std::map<std::string, std::string> fields = {};
};

// "Not Found" and so on.
[[nodiscard]] std::string_view status_title(int status);

// `with_body` is false for a HEAD, whose reply only says how long the body would be.
[[nodiscard]] std::string http_text(const HttpReply& reply, bool with_body, bool keep_alive);

}  // namespace penstock
