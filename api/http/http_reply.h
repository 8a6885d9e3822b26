// A reply, and its form as HTTP/1.1 text. Pure.
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

// Such as "Not Found".
[[nodiscard]] std::string_view status_title(int status);

// `with_body` is false for the reply to a HEAD, which gives only the length of the body.
[[nodiscard]] std::string http_text(const HttpReply& reply, bool with_body, bool keep_alive);

}  // namespace penstock
