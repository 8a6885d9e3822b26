#include "api/http/http_reply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace penstock {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 25> kTitles{{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

}  // namespace

std::string_view status_title(int status) {
  const auto* const found = std::find_if(kTitles.begin(), kTitles.end(),
                                         [status](const auto& row) { return row.first == status; });
  if (found != kTitles.end()) return found->second;
  return status < 400 ? "OK" : status < 500 ? "Refused" : "Failed";
}

std::string http_text(const HttpReply& reply, bool with_body, bool keep_alive, HttpLength length) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  text.append(status_title(reply.status)).append("\r\n");
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add("Content-Type", reply.type);
  if (length == HttpLength::kSized) add("Content-Length", std::to_string(reply.body.size()));
  if (length == HttpLength::kChunked) add("Transfer-Encoding", "chunked");
  add("Connection", keep_alive ? "keep-alive" : "close");
  if (!reply.fields.contains("Cache-Control")) add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.fields) add(name, value);
  text += "\r\n";
  if (with_body) text += reply.body;
  return text;
}

void append_chunk(std::string_view piece, std::string& out) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16).ptr;
  out.append(size.data(), end).append("\r\n").append(piece).append("\r\n");
}

void append_last_chunk(std::string& out) { out += "0\r\n\r\n"; }

}  // namespace penstock
