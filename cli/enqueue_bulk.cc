#include "cli/enqueue_bulk.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/enqueue_result.h"
#include "consumer/duration.h"
#include "topics/rfc3339.h"
#include "topics/whole_number.h"

namespace penstock {
namespace {

using nlohmann::json;

std::optional<std::size_t> chunk_in(const std::string& text) {
  const auto chunk = whole_number<std::size_t>(text);
  return chunk && *chunk > 0 ? chunk : std::nullopt;
}

Result<std::vector<json>> read_items(std::istream& in) {
  std::vector<json> items;
  std::size_t bytes = 0;
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    bytes += line.size();
    if (bytes > kMaxBulkItemBytes) {
      return failure(
          "the items have more than 256 MiB together; keep large data elsewhere and enqueue where");
    }
    json item = json::parse(line, nullptr, false);
    if (item.is_discarded()) {
      return failure("line " + std::to_string(number) +
                     ": expected a JSON value; nothing was sent");
    }
    items.push_back(std::move(item));
  }
  if (in.bad()) return failure("the items could not be read to their end; nothing was sent");
  return items;
}

Result<std::vector<json>> read_from(const EnqueueOptions& options, std::istream& in) {
  if (options.from == "-") return read_items(in);
  std::ifstream file(options.from, std::ios::binary);
  if (!file) return failure("cannot read " + printable(options.from) + "; is the path right?");
  return read_items(file);
}

Result<json> parsed(const std::string& text, const char* option) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded() || !value.is_object()) {
    return failure(std::string(option) + ": expected a JSON object");
  }
  return value;
}

Result<std::optional<std::chrono::system_clock::time_point>> run_at_of(
    const EnqueueOptions& options) {
  using Point = std::optional<std::chrono::system_clock::time_point>;
  if (!options.in.empty()) {
    const auto in = parse_duration(options.in);
    if (!in) return failure("--in: " + in.error().message);
    return Point(std::chrono::system_clock::now() + *in);
  }
  if (options.run_at.empty()) return Point();
  const json number = json::parse(options.run_at, nullptr, false);
  if (number.is_number_integer()) return Point(time_from_ms(number.get<std::int64_t>()));
  const auto time = parse_rfc3339(options.run_at);
  if (!time)
    return failure("--run-at: expected a time as 2026-03-01T12:00:00Z, or milliseconds since 1970");
  return Point(*time);
}

Status fill_job(const EnqueueOptions& options, NewBulkAction& action) {
  action.job.queue = options.queue;
  action.job.type = options.type;
  action.job.account = options.account;
  action.job.priority = options.priority.value_or(0);
  action.job.weight = options.weight.value_or(1);
  action.id = options.bulk;
  action.chunk =
      options.chunk.empty() ? kDefaultChunk : chunk_in(options.chunk).value_or(kDefaultChunk);
  action.item_time = options.item_time;
  const auto run_at = run_at_of(options);
  if (!run_at) return tl::unexpected(run_at.error());
  action.job.run_at = *run_at;
  if (options.on_done.empty()) return {};
  auto on_done = parsed(options.on_done, "--on-done");
  if (!on_done) return tl::unexpected(on_done.error());
  action.on_done = *std::move(on_done);
  return {};
}

Result<NewBulkAction> action_of(const EnqueueOptions& options, std::istream& in) {
  NewBulkAction action;
  if (const Status filled = fill_job(options, action); !filled)
    return tl::unexpected(filled.error());
  if (!options.args.empty()) {
    auto args = parsed(options.args, "--args");
    if (!args) return tl::unexpected(args.error());
    action.job.args = *std::move(args);
  }
  if (!options.from.empty()) {
    auto items = read_from(options, in);
    if (!items) return tl::unexpected(items.error());
    action.items = *std::move(items);
    return action;
  }
  const auto items = action.job.args.find("items");
  if (items == action.job.args.end() || !items->is_array()) {
    return failure(
        "found no items: give --from FILE, a JSON value a line, or --args '{\"items\":[...]}'");
  }
  action.items = items->get<std::vector<json>>();
  action.job.args.erase("items");
  return action;
}

}  // namespace

Status check_bulk_usage(const EnqueueOptions& options) {
  if (options.type.empty() || options.account.empty()) {
    return failure("expected --type and --account beside --bulk: all chunks have the same");
  }
  if (!options.id.empty())
    return failure("found --id beside --bulk; the chunks' ids follow from the bulk's");
  if (!options.chunk.empty() && options.chunk != kAutoChunk && !chunk_in(options.chunk)) {
    return failure("--chunk: found " + printable(options.chunk) +
                   ", expected a whole number of at least 1, or auto");
  }
  if (!options.http.empty() && options.chunk != kAutoChunk) {
    return failure("found --http without --chunk auto: nothing is asked of a worker otherwise");
  }
  if (!options.run_at.empty() && !options.in.empty()) {
    return failure("found both --run-at and --in, expected one of them");
  }
  return {};
}

Exit enqueue_bulk(const EnqueueOptions& options, Producer& producer, std::istream& in,
                  Output& output) {
  const auto action = action_of(options, in);
  if (!action) {
    output.error(action.error().message);
    return Exit::kUsage;
  }
  std::size_t failed = 0;
  auto chunks = producer.bulk(*action);
  for (auto& chunk : chunks) {
    try {
      const Sent sent = chunk.get();
      if (output.is_json()) output.json(enqueue_json(options.queue, options.account, sent));
    } catch (const ProducerError& error) {
      if (error.reason() == FailureReason::kBadJob) {
        output.error(error.what());
        return Exit::kUsage;
      }
      if (++failed == 1) output.error(error.what());
    }
  }
  if (failed > 0) {
    output.error(std::to_string(failed) + " of " + std::to_string(chunks.size()) +
                 " chunks were not acknowledged; run the same command again: what came is dropped "
                 "as a duplicate");
    return Exit::kFailed;
  }
  if (!output.is_json()) output.line(printable(options.bulk));
  return Exit::kDone;
}

}  // namespace penstock
