#include "topics/embedded/disk/chunk.h"

#include <utility>

#include "topics/embedded/disk/bytes.h"

namespace penstock::embedded {
namespace {

constexpr char kVersion = 2;
constexpr std::uint8_t kHasKey = 1;
constexpr std::uint8_t kHasValue = 2;
constexpr std::size_t kHeadBytes = 1 + 8 + 4;

LogRecord read_record(ByteReader& in, std::vector<HeaderView>& headers) {
  LogRecord record{};
  const std::uint8_t flags = in.byte();
  if (flags & kHasKey) record.key = in.bytes();
  if (flags & kHasValue) record.value = in.bytes();
  for (std::uint64_t left = in.varint(); left > 0 && in.ok(); --left) {
    const std::string_view name = in.bytes();
    headers.push_back({name, std::nullopt});
    if (in.byte() & kHasValue) headers.back().value = in.bytes();
  }
  return record;
}

}  // namespace

void encode_record(std::string& out, const NewRecord& record) {
  const int flags = (record.key ? kHasKey : 0) | (record.value ? kHasValue : 0);
  out.push_back(static_cast<char>(flags));
  if (record.key) put_bytes(out, *record.key);
  if (record.value) put_bytes(out, *record.value);
  put_varint(out, record.headers.size());
  for (const HeaderView& header : record.headers) {
    put_bytes(out, header.name);
    out.push_back(static_cast<char>(header.value ? kHasValue : 0));
    if (header.value) put_bytes(out, *header.value);
  }
}

ChunkBuilder::ChunkBuilder() : bytes_(kHeadBytes, '\0') {}

void ChunkBuilder::add(std::string_view encoded_record) {
  bytes_.append(encoded_record);
  ++count_;
}

ChunkRef ChunkBuilder::finish(Offset base, Time timestamp) {
  std::string head(1, kVersion);
  put_fixed(head, static_cast<std::uint64_t>(to_ms(timestamp)), 8);
  put_fixed(head, count_, 4);
  bytes_.replace(0, kHeadBytes, head);
  // A copy of the exact size: the builder keeps its buffer, and a cached chunk wastes no memory.
  auto chunk = std::make_shared<const Chunk>(Chunk{base, count_, timestamp, bytes_});
  bytes_.resize(kHeadBytes);
  count_ = 0;
  return chunk;
}

ChunkRef parse_chunk(Offset base, std::string bytes) {
  ByteReader in(bytes);
  if (in.byte() != kVersion) return nullptr;
  const Time timestamp = time_from_ms(static_cast<std::int64_t>(in.fixed(8)));
  const auto count = static_cast<std::int64_t>(in.fixed(4));
  if (!in.ok() || count == 0) return nullptr;
  return std::make_shared<const Chunk>(Chunk{base, count, timestamp, std::move(bytes)});
}

void RecordViews::clear() {
  records_.clear();
  headers_.clear();
  header_counts_.clear();
}

ChunkCursor::ChunkCursor(ChunkRef chunk)
    : chunk_(std::move(chunk)), next_(chunk_->base), at_(kHeadBytes) {}

bool ChunkCursor::reaches(Offset position) const {
  return chunk_ != nullptr && next_ <= position && position < chunk_->end();
}

bool ChunkCursor::read(Offset position, std::size_t most, RecordViews& views) {
  ByteReader in(chunk_->bytes, at_);
  for (; next_ < chunk_->end() && views.records_.size() < most; next_ = next_.next()) {
    const std::size_t headers_before = views.headers_.size();
    LogRecord record = read_record(in, views.headers_);
    if (!in.ok()) return false;
    // Records have no fixed size, so those before the position must be read, too, and are then left
    // out.
    if (next_ < position) {
      views.headers_.resize(headers_before);
      continue;
    }
    record.offset = next_;
    record.timestamp = chunk_->timestamp;
    views.records_.push_back(record);
    views.header_counts_.push_back(views.headers_.size() - headers_before);
  }
  at_ = in.at();
  // Only now, because growing headers_ would invalidate the spans.
  const HeaderView* header = views.headers_.data();
  for (std::size_t i = 0; i < views.records_.size(); ++i) {
    views.records_[i].headers = {header, views.header_counts_[i]};
    header += views.header_counts_[i];
  }
  return true;
}

}  // namespace penstock::embedded
