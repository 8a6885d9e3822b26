#include "state/log/outbox.h"

#include <algorithm>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/names.h"
#include "topics/record/dead_record.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

void put_destination(std::string& out, const Destination& to) {
  put_text(out, to.topic);
  put_u32(out, static_cast<std::uint32_t>(to.partition));
}

Destination read_destination(Cursor& cursor) {
  Destination to;
  to.topic = cursor.text();
  to.partition = static_cast<PartitionId>(cursor.u32());
  return to;
}

std::string row_key(const Destination& to, std::uint64_t seq) {
  std::string key(1, keys::kOutbox);
  put_destination(key, to);
  // Big-endian, so a scan finds the messages to a destination in the order in which they must
  // leave.
  put_u64(key, seq);
  return key;
}

std::string seq_key(const Destination& to) {
  std::string key(1, keys::kOutboxSeq);
  put_destination(key, to);
  return key;
}

std::string encode_seq(std::uint64_t seq) {
  std::string bytes;
  put_u64(bytes, seq);
  return bytes;
}

std::string encode_message(const OutboxMessage& message) {
  std::string out;
  put_optional(out, message.key);
  put_optional(out, message.value);
  put_varint(out, message.headers.size());
  for (const Header& header : message.headers) {
    put_text(out, header.name);
    put_optional(out, header.value);
  }
  return out;
}

OutboxMessage decode_message(std::string_view bytes) {
  Cursor cursor(bytes);
  OutboxMessage message;
  message.key = cursor.optional();
  message.value = cursor.optional();
  for (std::uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    std::string name(cursor.text());
    message.headers.push_back({std::move(name), cursor.optional()});
  }
  PENSTOCK_CHECK(!cursor.failed(), "an outbox row follows its grammar");
  return message;
}

std::size_t size_of(const OutboxMessage& message) {
  std::size_t size = sizeof(OutboxMessage);
  if (message.key) size += message.key->size();
  if (message.value) size += message.value->size();
  for (const Header& header : message.headers) size += sizeof(Header) + size_of(view_of(header));
  return size;
}

std::optional<std::string_view> as_view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

}  // namespace

bool Outbox::restore_some(std::string& from, std::size_t max_messages) {
  const std::string all(1, keys::kOutbox);
  std::size_t messages = 0, bytes = 0;
  bool more = false;
  view_.scan(from.empty() ? all : from, keys::after_prefix(all),
             [&](std::string_view key, std::string_view value) {
               // Checked before the row is taken: each step takes at least one message, regardless
               // of its size, and `from` names the first row that is left.
               more = messages == max_messages || bytes >= kMaxRestoredBytesPerStep;
               if (more) {
                 from = key;
                 return false;
               }
               restore_row(key, value);
               ++messages;
               bytes += value.size();
               return true;
             });
  return more;
}

void Outbox::restore_row(std::string_view key, std::string_view value) {
  Cursor cursor(key.substr(1));
  const Destination to = read_destination(cursor);
  const auto [found, fresh] = lines_.try_emplace(to);
  // Not the number of the last row that is left: acknowledged messages have no row any more, and a
  // number that is given twice would make the receiver drop the second message as a repeat.
  if (fresh) found->second.last_seq = last_seq(to);
  // Commit 0: a row that is found in a restored state has counted, so its message may leave at
  // once.
  add(found->second, {cursor.u64(), 0, 0, {}, decode_message(value)});
}

void Outbox::restore(std::string source) {
  begin_restore(std::move(source));
  for (std::string from; restore_some(from, kMaxPending);) continue;
  pump();
}

std::uint64_t Outbox::last_seq(const Destination& to) {
  std::string bytes;
  return view_.get(seq_key(to), &bytes) ? Cursor(bytes).u64() : 0;
}

void Outbox::send(const Destination& to, const OutboxMessage& message, std::uint64_t commit_seq) {
  const auto [found, fresh] = lines_.try_emplace(to);
  Line& line = found->second;
  if (fresh) line.last_seq = last_seq(to);
  const std::uint64_t seq = ++line.last_seq;
  view_.put(row_key(to, seq), encode_message(message));
  // In the same commit as the message: if the commit does not count, the number is free again.
  view_.put(seq_key(to), encode_seq(seq));
  add(line, {seq, commit_seq, 0, {}, message});
}

void Outbox::add(Line& line, Entry entry) {
  entry.bytes = size_of(entry.message);
  ++pending_;
  pending_bytes_ += entry.bytes;
  line.entries.push_back(std::move(entry));
}

void Outbox::counted(std::uint64_t commit_seq) {
  counted_ = commit_seq;
  pump();
}

void Outbox::pump() {
  for (auto& [to, line] : lines_) emit(to, line);
}

void Outbox::tick(Instant now) {
  now_ = now;
  pump();
  for (auto& [to, line] : lines_) watch(line);
}

// A message that waits for its commit is not late.
void Outbox::watch(Line& line) const {
  if (line.entries.empty() || line.entries.front().commit_seq > counted_) {
    line.delivery.moved();
  } else {
    line.delivery.waits(now_);
  }
}

void Outbox::each_late(const LateFunction& function) const {
  for (const auto& [to, line] : lines_) {
    if (!line.delivery.late(now_)) continue;
    function(to, {line.entries.size(), now_ - line.delivery.since(), line.delivery.error()});
  }
}

void Outbox::emit(const Destination& to, Line& line) {
  if (!line.delivery.may_send(now_)) return;
  for (; line.emitted < line.entries.size(); ++line.emitted) {
    Entry& entry = line.entries[line.emitted];
    if (entry.number != 0) continue;
    // Its commit does not count yet, and so neither do those of the later messages.
    if (entry.commit_seq > counted_) return;
    // The buffer is full. A later message must not overtake this one, since a receiving task would
    // ignore it.
    if (!emit_entry(to, entry, line.entries.front().seq)) return;
  }
}

bool Outbox::emit_entry(const Destination& to, Entry& entry, std::uint64_t oldest) {
  const std::string message = source_ + ">" + to.topic + "/" + std::to_string(to.partition) + "#" +
                              std::to_string(entry.seq);
  std::vector<HeaderView> headers;
  for (const Header& header : entry.message.headers) headers.push_back(view_of(header));
  const std::string oldest_text = std::to_string(oldest);
  headers.push_back({kOldestHeader, oldest_text});
  headers.push_back({kMessageHeader, message});
  const NewRecord record{as_view(entry.message.key), as_view(entry.message.value), headers};
  // Numbered per emission and not per message, so a late answer to an earlier emission of the same
  // message is recognised as such.
  if (!host_.append_outbox(next_number_, to, record)) return false;
  entry.number = next_number_++;
  emitted_.emplace(entry.number, to);
  return true;
}

void Outbox::appended(std::uint64_t number, const Appended& result) {
  const auto found = emitted_.find(number);
  if (found == emitted_.end()) return;  // from a producer that has been given up
  const Destination to = found->second;
  if (result.error && result.refusal == Refusal::kNone) lines_[to].delivery.failed(*result.error);
  // Only a definite refusal or an offset tells what happened. Any other answer casts doubt on all
  // messages of this producer.
  const bool is_doubtful = result.error ? result.refusal == Refusal::kNone : !result.offset;
  if (is_doubtful) return host_.renew_outbox();
  emitted_.erase(found);
  result.error ? refused(to, number, result) : acknowledged(to, number, *result.offset);
}

void Outbox::acknowledged(const Destination& to, std::uint64_t number, Offset offset) {
  Line& line = lines_[to];
  const auto entry = std::find_if(line.entries.begin(), line.entries.end(),
                                  [number](const Entry& one) { return one.number == number; });
  if (entry == line.entries.end()) return;
  // Only the oldest message makes progress: those behind it cannot be removed before it.
  if (entry == line.entries.begin()) line.delivery.moved();
  entry->offset = offset;
  // Without a receiving task the order does not matter, so earlier messages need not be waited for.
  if (!has_task(to.topic)) return remove(to, line, entry);
  if (!remove_acknowledged(to, line)) host_.renew_outbox();
}

void Outbox::remove(const Destination& to, Line& line, std::deque<Entry>::iterator entry) {
  // The erasure counts with the next commit only. If this owner crashes before, its successor emits
  // the message again, and the receiver recognises it by its number.
  view_.erase(row_key(to, entry->seq));
  --pending_;
  pending_bytes_ -= entry->bytes;
  if (entry - line.entries.begin() < static_cast<std::ptrdiff_t>(line.emitted)) --line.emitted;
  line.entries.erase(entry);
}

void Outbox::emit_later(Line& line, std::deque<Entry>::iterator entry) {
  entry->number = 0;
  line.emitted = std::min(line.emitted, static_cast<std::size_t>(entry - line.entries.begin()));
}

bool Outbox::remove_acknowledged(const Destination& to, Line& line) {
  while (!line.entries.empty() && line.entries.front().offset) {
    const Offset offset = *line.entries.front().offset;
    if (offset <= line.removed_at) return false;
    line.removed_at = offset;
    remove(to, line, line.entries.begin());
  }
  return true;
}

// A receiving task has ignored the messages after the refused one, so they are sent again too.
void Outbox::refused(const Destination& to, std::uint64_t number, const Appended& result) {
  Line& line = lines_[to];
  auto entry = std::find_if(line.entries.begin(), line.entries.end(),
                            [number](const Entry& one) { return one.number == number; });
  if (entry == line.entries.end()) return;
  emit_later(line, entry);
  const bool is_cut = result.refusal == Refusal::kTooLarge &&
                      cut_further(entry->message.value, entry->message.headers);
  if (is_cut) return;  // smaller now, so it can be sent without a pause
  line.delivery.refused(*result.error, now_);
  if (!has_task(to.topic)) return;
  for (; entry != line.entries.end(); ++entry) {
    entry->number = 0;
    entry->offset.reset();
  }
}

void Outbox::emit_again() {
  emitted_.clear();
  for (auto& [to, line] : lines_) {
    line.emitted = 0;
    line.removed_at = Offset{-1};  // everything is emitted again, at greater offsets
    // Also those acknowledged after a lost one, because their receiver has ignored them.
    for (Entry& entry : line.entries) {
      entry.number = 0;
      entry.offset.reset();
    }
  }
  pump();
}

}  // namespace penstock
