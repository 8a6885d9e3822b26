#include "api/http/chunked_body.h"

#include <algorithm>
#include <charconv>

#include "topics/values/utf8.h"

namespace penstock {
namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, 16);
  return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace

HttpFault body_too_large(std::size_t max_bytes) {
  return {413, "the body is larger than " + std::to_string(max_bytes) +
                   " bytes: send the jobs in several requests"};
}

std::size_t ChunkedBody::take(std::string_view bytes, std::string& body) {
  std::size_t taken = 0;
  // What follows the body belongs to the next request.
  while (taken < bytes.size() && !done() && !fault_) {
    const std::string_view rest = bytes.substr(taken);
    if (at_ == At::kData) {
      taken += take_data(rest, body);
      continue;
    }
    taken += take_line(rest);
    if (!line_.ends_with('\n')) continue;
    read_line(body.size());
    line_.clear();
  }
  return taken;
}

std::size_t ChunkedBody::take_data(std::string_view bytes, std::string& body) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), data_left_));
  body.append(bytes.substr(0, size));
  data_left_ -= size;
  if (data_left_ == 0) at_ = At::kDataEnd;
  return size;
}

std::size_t ChunkedBody::take_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = end == bytes.npos ? bytes.size() : end + 1;
  // Only CRLF can follow the data, so a client cannot make this line longer either.
  const std::size_t room = at_ == At::kDataEnd ? 2 : kMaxLineBytes;
  if (line_.size() + size > room) {
    refuse(400, at_ == At::kDataEnd ? "found a chunk that is longer than its size"
                                    : "found a line of more than " + std::to_string(room) +
                                          " bytes between the chunks of the body");
  } else {
    line_.append(bytes.substr(0, size));
  }
  return size;
}

void ChunkedBody::read_line(std::size_t body_bytes) {
  // A program in between may not accept a bare LF as the end of a line, and would then see another
  // body than this one.
  if (!line_.ends_with("\r\n"))
    return refuse(400, "found a line of the body that does not end with CRLF");
  line_.resize(line_.size() - 2);
  if (std::any_of(line_.begin(), line_.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
      }))
    return refuse(400, "found a control character between the chunks of the body");
  switch (at_) {
    case At::kSize:
      return read_size(body_bytes);
    case At::kDataEnd:
      at_ = At::kSize;
      if (!line_.empty()) refuse(400, "found a chunk that is longer than its size");
      return;
    case At::kTrailer:
      if (line_.empty()) at_ = At::kDone;
      if (++trailers_ > kMaxTrailers) refuse(431, "found too many trailers after the body");
      return;
    default:
      return;
  }
}

void ChunkedBody::read_size(std::size_t body_bytes) {
  const std::string_view text = std::string_view(line_).substr(0, line_.find(';'));
  const auto size = hexadecimal(text);
  if (!size) {
    return refuse(400,
                  "found the chunk size \"" + excerpt(text) + "\", expected a hexadecimal number");
  }
  // Not as a sum, which could overflow.
  if (*size > max_bytes_ - body_bytes) {
    fault_ = body_too_large(max_bytes_);
    return;
  }
  data_left_ = *size;
  at_ = *size == 0 ? At::kTrailer : At::kData;
}

void ChunkedBody::refuse(int status, std::string detail) {
  fault_ = HttpFault{status, std::move(detail)};
}

}  // namespace penstock
