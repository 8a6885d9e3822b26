#include "topics/record/dead_record.h"

#include <algorithm>

#include "topics/record/record_headers.h"

namespace penstock {
namespace {

std::size_t size_of(const std::optional<std::string_view>& bytes) {
  return bytes ? bytes->size() : 0;
}

bool fits(const LogRecord& record) {
  const HeaderBytes headers = bytes_of(record.headers);
  // Reserved headers do not count, because the letter's headers replace them.
  return size_of(record.key) + size_of(record.value) + headers.own <= kMaxDeadRecordBytes;
}

std::optional<std::string> head_of(const std::optional<std::string_view>& bytes, std::size_t most) {
  if (!bytes) return std::nullopt;
  return std::string(bytes->substr(0, most));
}

// As many of the first headers as there is room for.
std::span<const HeaderView> first_headers(std::span<const HeaderView> headers) {
  std::size_t count = 0, bytes = 0;
  for (; count < headers.size(); ++count) {
    bytes += size_of(headers[count]) + kHeaderFrameBytes;
    if (bytes > kCutHeadersBytes) break;
  }
  return headers.first(count);
}

bool has(const std::vector<Header>& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [name](const Header& header) { return header.name == name; });
}

// The first count is the original's and must survive, because a record can be cut several times.
void say(std::vector<Header>& headers, std::string_view name, std::size_t count) {
  if (!has(headers, name)) headers.push_back({std::string(name), std::to_string(count)});
}

DeadRecord cut(const LogRecord& record, const DeadLetter& letter) {
  const auto kept = first_headers(record.headers);
  DeadRecord dead{head_of(record.key, kCutKeyBytes), head_of(record.value, kCutValueBytes),
                  dead_headers(kept, letter)};
  say(dead.headers, kCutHeader, size_of(record.value));
  if (size_of(record.key) > kCutKeyBytes) say(dead.headers, kCutKeyHeader, record.key->size());
  if (kept.size() < record.headers.size())
    say(dead.headers, kCutHeadersHeader, record.headers.size());
  return dead;
}

}  // namespace

DeadRecord dead_record(const LogRecord& record, const DeadLetter& letter) {
  if (!fits(record)) return cut(record, letter);
  return {head_of(record.key, kMaxDeadRecordBytes), head_of(record.value, kMaxDeadRecordBytes),
          dead_headers(record.headers, letter)};
}

bool cut_further(std::optional<std::string>& value, std::vector<Header>& headers) {
  // Only a dead record may lose a part of itself: other messages must arrive as they are.
  if (!has(headers, kReasonHeader)) return false;
  if (value && value->size() > kMinCutValueBytes) {
    say(headers, kCutHeader, value->size());
    value->resize(value->size() / 2);
    return true;
  }
  const std::size_t before = headers.size();
  std::erase_if(headers, [](const Header& header) { return !is_reserved_header(header.name); });
  if (headers.size() == before) return false;
  say(headers, kCutHeader, value ? value->size() : 0);
  say(headers, kCutHeadersHeader, before);
  return true;
}

}  // namespace penstock
