#include "cli/enqueue/bulk_text.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/request/array_parts.h"
#include "cli/enqueue/enqueue_record.h"
#include "topics/values/printable.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

constexpr std::size_t kAnyNumber = SIZE_MAX - 1;

// A member `"name": value`; the text is valid JSON.
struct Member {
  std::string name;
  std::string_view value;
};

Member member_of(std::string_view part) {
  std::size_t end = 1;
  while (part[end] != '"') end += part[end] == '\\' ? 2 : 1;
  const std::string_view behind = part.substr(end + 1);
  return {nlohmann::json::parse(part.substr(0, end + 1)).get<std::string>(),
          trimmed(behind.substr(behind.find(':') + 1))};
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
}

Status no_items() {
  return failure(
      "found no items: give --from FILE with one JSON value per line, or --args "
      "'{\"items\":[...]}'");
}

}  // namespace

Result<BulkText> BulkText::read(const EnqueueOptions& options, std::istream& in, Time now) {
  EnqueueOptions common = options;
  // record() adds them, because each chunk has arguments of its own.
  common.args.clear();
  auto head = enqueue_record(common, now);
  if (!head) return tl::unexpected(head.error());
  // Without its closing brace, the record can be continued for each chunk.
  head->pop_back();
  BulkText bulk(options, *std::move(head));
  if (const Status read = bulk.read_args(); !read) return tl::unexpected(read.error());
  if (!options.on_done.empty() &&
      (!nlohmann::json::accept(options.on_done) || !trimmed(options.on_done).starts_with('{'))) {
    return failure("--on-done: expected a JSON object");
  }
  Status read;
  if (options.from == "-") {
    read = bulk.read_lines(in);
  } else if (!options.from.empty()) {
    std::ifstream file(options.from, std::ios::binary);
    read = file ? bulk.read_lines(file)
                : failure("cannot read " + printable(options.from) + "; is the path correct?");
  }
  if (!read) return tl::unexpected(read.error());
  if (bulk.items_.empty()) return failure("a bulk needs at least one item");
  return bulk;
}

Status BulkText::read_args() {
  const bool from_args = options_->from.empty();
  if (options_->args.empty()) return from_args ? no_items() : Status();
  const auto parts = nlohmann::json::accept(options_->args)
                         ? object_parts(options_->args, kAnyNumber)
                         : std::nullopt;
  if (!parts) return failure("--args: expected a JSON object");
  bool found = false;
  for (const std::string_view part : *parts) {
    const Member member = member_of(part);
    if (member.name != "items") {
      args_.append(args_.empty() ? "" : ",").append(part);
      continue;
    }
    const auto items = array_parts(member.value, kAnyNumber);
    if (!from_args)
      return failure(
          "--args: found a member \"items\" together with --from, expected only one of them");
    if (!items) return no_items();
    if (found) return failure("--args: found the member \"items\" twice, expected it once");
    found = true;
    items_.assign(items->begin(), items->end());
  }
  return found || !from_args ? Status() : no_items();
}

Status BulkText::read_lines(std::istream& in) {
  std::size_t bytes = 0;
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view item = trimmed(line);
    if (item.empty()) continue;
    bytes += item.size();
    if (bytes > kMaxBulkItemBytes) {
      return failure(
          "the items have more than 256 MiB together; store large data elsewhere and enqueue its "
          "location");
    }
    // Must be exactly one value, because the text is put into the record unchanged.
    if (!nlohmann::json::accept(item)) {
      return failure("line " + std::to_string(number) +
                     ": expected a JSON value; nothing was sent");
    }
    items_.emplace_back(item);
  }
  if (in.bad()) return failure("the items could not be read to their end; nothing was sent");
  return {};
}

std::string BulkText::record(std::size_t index, std::size_t items_per_chunk) const {
  const std::size_t from = index * items_per_chunk;
  const std::size_t to = std::min(items_.size(), from + items_per_chunk);
  std::string text = head_ + ",\"id\":" + quoted(options_->bulk + "/" + std::to_string(index)) +
                     ",\"args\":{" + args_ + (args_.empty() ? "\"items\":[" : ",\"items\":[");
  for (std::size_t i = from; i < to; ++i) text.append(i == from ? "" : ",").append(items_[i]);
  text += "]},\"bulk\":{\"id\":" + quoted(options_->bulk) + ",\"index\":" + std::to_string(index) +
          ",\"size\":" + std::to_string(chunks(items_per_chunk));
  // One chunk is enough: a bulk does not end before all of its chunks have arrived.
  if (index == 0 && !options_->on_done.empty()) text += ",\"on_done\":" + options_->on_done;
  return text + "}}";
}

Result<std::size_t> items_per_chunk_of(std::size_t items, std::size_t chunks) {
  // Any larger number gives the same single chunk.
  if (chunks == 1) return items;
  // A chunk size n gives ceil(items / n) chunks; that is `chunks` for n from `least` to `most`.
  const std::size_t least = chunks == 0 ? 1 : (items - 1) / chunks + 1;
  const std::size_t most = chunks == 0 ? 0 : (items - 1) / (chunks - 1);
  const std::string these = std::to_string(items) + " items";
  if (least > most) {
    return failure(
        "no chunk size splits " + these +
        " into that many chunks: other items were sent with this id; give these a new id");
  }
  if (least == most) return least;
  return failure(
      "to send the missing chunks, use the --chunk with which the bulk was sent, as printed then "
      "(for " +
      these + ", from " + std::to_string(least) + " to " + std::to_string(most) + ")");
}

}  // namespace penstock
