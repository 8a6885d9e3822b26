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

void put_message(std::string& out, const OutboxMessage& message) {
  put_optional(out, message.key);
  put_optional(out, message.value);
  put_varint(out, message.headers.size());
  for (const Header& header : message.headers) {
    put_text(out, header.name);
    put_optional(out, header.value);
  }
}

OutboxMessage read_message(Cursor& cursor) {
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
               // Checked before the row is taken: each step takes at least one row, regardless of
               // its size, and `from` names the first row that is left.
               more = messages >= max_messages || bytes >= kMaxRestoredBytesPerStep;
               if (more) {
                 from = key;
                 return false;
               }
               messages += restore_row(key, value);
               bytes += value.size();
               return true;
             });
  return more;
}

std::size_t Outbox::restore_row(std::string_view key, std::string_view value) {
  Cursor cursor(key.substr(1));
  const Destination to = read_destination(cursor);
  // Its last number is not that of the last row that is left: acknowledged messages have no row any
  // more, and a number that is given twice would make the receiver drop the second message as a
  // repeat.
  Line& line = line_of(to).second;
  const std::uint64_t first = cursor.u64();
  std::uint64_t seq = first;
  // Commit 0: a row that is found in a restored state has counted, so its messages may leave at
  // once.
  for (Cursor messages(value); !messages.at_end(); ++seq) {
    add(line, {seq, 0, 0, {}, read_message(messages)}, seq != first);
  }
  return seq - first;
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

Outbox::LineOf& Outbox::line_of(const Destination& to) {
  const auto [found, fresh] = lines_.try_emplace(to);
  if (fresh) {
    Line& line = found->second;
    line.has_task = has_task(to.topic);
    line.prefix = source_ + ">" + to.topic + "/" + std::to_string(to.partition) + "#";
    line.last_seq = line.saved_seq = last_seq(to);
  }
  return *found;
}

void Outbox::send(const Destination& to, OutboxMessage message, std::uint64_t commit_seq) {
  Line& line = line_of(to).second;
  const std::uint64_t seq = ++line.last_seq;
  const bool shares_row = !line.gathered.empty();
  // At once, so that the commit has something to write. If it does not count, the numbers are free
  // again.
  if (line.saved_seq + 1 == seq) view_.put(seq_key(to), encode_seq(seq));
  put_message(line.gathered, message);
  add(line, {seq, commit_seq, 0, {}, std::move(message)}, shares_row);
  if (line.has_task || line.gathered.size() >= kMaxSharedRowBytes) close_row(to, line);
}

void Outbox::close_row(const Destination& to, Line& line) {
  if (line.gathered.empty()) return;
  view_.put_unseen(row_key(to, line.rows.back().first), line.gathered);
  line.gathered.clear();
}

void Outbox::save() {
  for (auto& [to, line] : lines_) {
    if (line.saved_seq == line.last_seq) continue;
    close_row(to, line);
    if (line.saved_seq + 1 != line.last_seq) view_.put(seq_key(to), encode_seq(line.last_seq));
    line.saved_seq = line.last_seq;
  }
}

void Outbox::add(Line& line, Entry entry, bool in_row_of_last) {
  entry.bytes = size_of(entry.message);
  ++pending_;
  pending_bytes_ += entry.bytes;
  if (!in_row_of_last) line.rows.push_back({entry.seq, 0});
  ++line.rows.back().left;
  line.entries.push_back(std::move(entry));
}

void Outbox::counted(std::uint64_t commit_seq) {
  counted_ = commit_seq;
  pump();
}

void Outbox::pump() {
  for (auto& line : lines_) emit(line);
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

void Outbox::emit(LineOf& line_of) {
  Line& line = line_of.second;
  if (!line.delivery.may_send(now_)) return;
  for (; line.emitted < line.entries.size(); ++line.emitted) {
    Entry& entry = line.entries[line.emitted];
    if (entry.number != 0) continue;
    // Its commit does not count yet, and so neither do those of the later messages.
    if (entry.commit_seq > counted_) return;
    // The buffer is full. A later message must not overtake this one, since a receiving task would
    // ignore it.
    if (!emit_entry(line_of, entry)) return;
  }
}

bool Outbox::emit_entry(LineOf& line_of, Entry& entry) {
  Line& line = line_of.second;
  headers_.clear();
  for (const Header& header : entry.message.headers) headers_.push_back(view_of(header));
  const std::string oldest = std::to_string(line.entries.front().seq);
  // Only a task asks what precedes this record.
  if (line.has_task) headers_.push_back({kOldestHeader, oldest});
  name_.assign(line.prefix).append(std::to_string(entry.seq));
  headers_.push_back({kMessageHeader, name_});
  const NewRecord record{as_view(entry.message.key), as_view(entry.message.value), headers_};
  // Numbered per emission and not per message, so a late answer to an earlier emission of the same
  // message is recognised as such.
  if (!host_.append_outbox(next_number_, line_of.first, record)) return false;
  entry.number = next_number_++;
  emitted_.push_back(&line_of);
  return true;
}

void Outbox::appended(std::uint64_t number, const Appended& result) {
  const std::uint64_t first = next_number_ - emitted_.size();
  if (number < first || number >= next_number_) return;  // from a producer that has been given up
  LineOf* const line = emitted_[number - first];
  if (line == nullptr) return;
  if (result.error && result.refusal == Refusal::kNone) line->second.delivery.failed(*result.error);
  // Only a definite refusal or an offset tells what happened. Any other answer casts doubt on all
  // messages of this producer.
  const bool is_doubtful = result.error ? result.refusal == Refusal::kNone : !result.offset;
  if (is_doubtful) return host_.renew_outbox();
  emitted_[number - first] = nullptr;
  while (!emitted_.empty() && emitted_.front() == nullptr) emitted_.pop_front();
  result.error ? refused(line->second, number, result)
               : acknowledged(*line, number, *result.offset);
}

void Outbox::acknowledged(LineOf& line_of, std::uint64_t number, Offset offset) {
  auto& [to, line] = line_of;
  const auto entry = std::find_if(line.entries.begin(), line.entries.end(),
                                  [number](const Entry& one) { return one.number == number; });
  if (entry == line.entries.end()) return;
  // Only the oldest message makes progress: those behind it cannot be removed before it.
  if (entry == line.entries.begin()) line.delivery.moved();
  entry->offset = offset;
  // Without a receiving task the order does not matter, so earlier messages need not be waited for.
  if (!line.has_task) return remove(to, line, entry);
  if (!remove_acknowledged(to, line)) host_.renew_outbox();
}

void Outbox::remove(const Destination& to, Line& line, std::deque<Entry>::iterator entry) {
  const auto row = std::prev(
      std::upper_bound(line.rows.begin(), line.rows.end(), entry->seq,
                       [](std::uint64_t seq, const Row& one) { return seq < one.first; }));
  // The erasure counts with the next commit only. If this owner crashes before, its successor emits
  // the message again, and the receiver recognises it by its number.
  if (--row->left == 0) {
    view_.erase(row_key(to, row->first));
    line.rows.erase(row);
  }
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
void Outbox::refused(Line& line, std::uint64_t number, const Appended& result) {
  auto entry = std::find_if(line.entries.begin(), line.entries.end(),
                            [number](const Entry& one) { return one.number == number; });
  if (entry == line.entries.end()) return;
  emit_later(line, entry);
  const bool is_cut = result.refusal == Refusal::kTooLarge &&
                      cut_further(entry->message.value, entry->message.headers);
  if (is_cut) return;  // smaller now, so it can be sent without a pause
  line.delivery.refused(*result.error, now_);
  if (!line.has_task) return;
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
