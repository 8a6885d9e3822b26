#include "state/outbox.h"

#include "state/encoding.h"
#include "state/keys.h"
#include "topics/check.h"
#include "topics/planted.h"
#include "topics/whole_number.h"

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

void put_optional(std::string& out, const std::optional<std::string>& text) {
  put_u8(out, text ? 1 : 0);
  put_text(out, text ? *text : std::string_view());
}

std::optional<std::string> read_optional(Cursor& cursor) {
  const bool present = cursor.u8() != 0;
  const std::string_view text = cursor.text();
  return present ? std::optional<std::string>(text) : std::nullopt;
}

std::string encode_message(const OutboxMessage& message) {
  std::string out;
  put_optional(out, message.key);
  put_optional(out, message.value);
  put_varint(out, message.headers.size());
  for (const Header& header : message.headers) {
    put_text(out, header.name);
    put_text(out, header.value);
  }
  return out;
}

OutboxMessage decode_message(std::string_view bytes) {
  Cursor cursor(bytes);
  OutboxMessage message;
  message.key = read_optional(cursor);
  message.value = read_optional(cursor);
  for (std::uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    std::string name(cursor.text());
    message.headers.push_back({std::move(name), std::string(cursor.text())});
  }
  PENSTOCK_CHECK(!cursor.failed(), "an outbox row follows its grammar");
  return message;
}

std::optional<std::string_view> as_view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

}  // namespace

std::optional<MessageOrigin> parse_message_header(std::string_view header) {
  const std::size_t arrow = header.find('>');
  const std::size_t number = header.rfind('#');
  if (arrow == std::string_view::npos || number == std::string_view::npos || number < arrow) {
    return std::nullopt;
  }
  const auto seq = whole_number<std::uint64_t>(header.substr(number + 1));
  if (!seq || *seq == 0) return std::nullopt;
  return MessageOrigin{header.substr(0, arrow), *seq};
}

bool Outbox::take(View& view, const MessageOrigin& origin) {
  std::string key(1, keys::kWatermark);
  key.append(origin.source);
  std::string bytes;
  const std::uint64_t last = view.get(key, &bytes) ? Cursor(bytes).u64() : 0;
  const bool in_turn = planted(Bug::kOutboxHighest) ? origin.seq > last : origin.seq == last + 1;
  if (!in_turn) return false;
  view.put(key, encode_seq(origin.seq));
  return true;
}

bool Outbox::restore_some(std::string& from, std::size_t max_messages) {
  if (planted(Bug::kOutboxForgotten)) return false;
  const std::string all(1, keys::kOutbox);
  std::size_t messages = 0, bytes = 0;
  bool more = false;
  view_.scan(from.empty() ? all : from, keys::after_prefix(all),
             [&](std::string_view key, std::string_view value) {
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
  if (fresh) found->second.last_seq = last_seq(to);
  found->second.entries.push_back({cursor.u64(), 0, 0, false, decode_message(value)});
  ++pending_;
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
  view_.put(seq_key(to), encode_seq(seq));
  line.entries.push_back({seq, commit_seq, 0, false, message});
  ++pending_;
}

void Outbox::counted(std::uint64_t commit_seq) {
  counted_ = commit_seq;
  pump();
}

void Outbox::pump() {
  for (auto& [to, line] : lines_) emit(to, line);
}

void Outbox::emit(const Destination& to, Line& line) {
  for (Entry& entry : line.entries) {
    if (entry.number != 0) continue;
    if ((entry.commit_seq > counted_ && !planted(Bug::kEmitWhenSent)) || !emit_entry(to, entry))
      return;
  }
}

bool Outbox::emit_entry(const Destination& to, Entry& entry) {
  const std::string message = source_ + ">" + to.topic + "/" + std::to_string(to.partition) + "#" +
                              std::to_string(entry.seq);
  std::vector<HeaderView> headers;
  for (const Header& header : entry.message.headers) headers.push_back({header.name, header.value});
  headers.push_back({kMessageHeader, message});
  const NewRecord record{as_view(entry.message.key), as_view(entry.message.value), headers};
  if (!host_.append_outbox(next_number_, to, record)) return false;
  entry.number = next_number_++;
  emitted_.emplace(entry.number, to);
  return true;
}

void Outbox::appended(std::uint64_t number, const Appended& result) {
  const auto found = emitted_.find(number);
  if (found == emitted_.end()) return;  // of a producer that has been given up
  if (result.error || !result.offset) return host_.renew_outbox();
  const Destination to = found->second;
  emitted_.erase(found);
  Line& line = lines_[to];
  for (Entry& entry : line.entries) {
    if (entry.number == number) {
      entry.acknowledged = true;
      break;
    }
  }
  remove_acknowledged(to, line);
}

void Outbox::remove_acknowledged(const Destination& to, Line& line) {
  while (!line.entries.empty() && line.entries.front().acknowledged) {
    view_.erase(row_key(to, line.entries.front().seq));
    line.entries.pop_front();
    --pending_;
  }
}

void Outbox::emit_again() {
  emitted_.clear();
  for (auto& [to, line] : lines_) {
    // Also what was acknowledged behind a lost one: its receiver has ignored it.
    for (Entry& entry : line.entries) {
      if (planted(Bug::kOutboxNotAgain) && entry.acknowledged) continue;
      entry.number = 0;
      entry.acknowledged = false;
    }
  }
  pump();
}

}  // namespace penstock
