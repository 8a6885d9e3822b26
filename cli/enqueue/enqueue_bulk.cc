#include "cli/enqueue/enqueue_bulk.h"

#include <chrono>
#include <memory>

#include "cli/enqueue/bulk_text.h"
#include "cli/enqueue/enqueue_result.h"
#include "producer/bulk_split.h"
#include "producer/job_check.h"
#include "topics/record/job_record.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

constexpr std::chrono::seconds kWaitsForSpace{60};

std::optional<std::size_t> chunk_in(const std::string& text) {
  const auto chunk = whole_number<std::size_t>(text);
  return chunk && *chunk > 0 ? chunk : std::nullopt;
}

// A bulk that was sent before must be split in the same way again.
Result<std::size_t> items_per_chunk(const EnqueueOptions& options, const BulkText& bulk) {
  if (options.chunk != kAutoChunk) return chunk_in(options.chunk).value_or(kDefaultChunk);
  if (!options.known_chunks) {
    NewBulkAction action;
    action.item_time = options.item_time;
    return action.items_per_chunk();
  }
  auto chunk = items_per_chunk_of(bulk.items(), *options.known_chunks);
  if (chunk) return chunk;
  return failure("--chunk auto: the bulk \"" + printable(options.bulk) +
                 "\" has been sent before, in " + std::to_string(*options.known_chunks) +
                 " chunks: " + chunk.error().message);
}

// A single chunk that cannot be sent would keep the bulk from ever ending, so all are checked
// first.
Status check_chunks(const EnqueueOptions& options, const BulkText& bulk, std::size_t chunk) {
  std::vector<HeaderView> headers;
  for (const auto& [name, value] : options.headers) headers.push_back({name, value});
  const std::size_t size = bulk.chunks(chunk);
  if (size > kMaxBulkChunks) return failure("too many chunks: give a larger --chunk");
  for (std::size_t i = 0; i < size; ++i) {
    const std::string record = bulk.record(i, chunk);
    const auto checked = check_job(options.account, record, headers);
    if (checked) continue;
    return failure("chunk " + std::to_string(i) + ": " + failure_text(checked.error()) +
                   "; nothing was sent");
  }
  return {};
}

std::vector<std::future<Delivery>> send_chunks(const EnqueueOptions& options, const BulkText& bulk,
                                               std::size_t chunk, Producer& producer) {
  std::vector<std::future<Delivery>> sent;
  for (std::size_t i = 0; i < bulk.chunks(chunk); ++i) {
    // If there is still no room, the chunk's answer reports it.
    (void)producer.wait_for_space(kMaxValueBytes, kWaitsForSpace);
    // Shared with the callback, because callbacks must be copyable.
    const auto promise = std::make_shared<std::promise<Delivery>>();
    sent.push_back(promise->get_future());
    producer.send_raw(options.queue, options.account, bulk.record(i, chunk), options.headers,
                      [promise](const Delivery& delivery) { promise->set_value(delivery); });
  }
  return sent;
}

}  // namespace

Status check_bulk_usage(const EnqueueOptions& options) {
  if (options.type.empty() || options.account.empty()) {
    return failure("expected --type and --account with --bulk: all chunks share them");
  }
  if (!options.id.empty())
    return failure("found --id with --bulk; the chunks' ids are derived from the bulk's id");
  if (!options.chunk.empty() && options.chunk != kAutoChunk && !chunk_in(options.chunk)) {
    return failure("--chunk: found " + printable(options.chunk) +
                   ", expected a whole number of at least 1, or auto");
  }
  if (!options.unique_key.empty()) {
    return failure(
        "found --unique-key with --bulk: all chunks would have the same key, and all but one would "
        "be dropped");
  }
  return {};
}

Exit enqueue_bulk(const EnqueueOptions& options, Producer& producer, std::istream& in,
                  Output& output) {
  // Rounded up, so that a bulk with --in does not start early.
  const auto now = std::chrono::ceil<Duration>(std::chrono::system_clock::now());
  const auto bulk = BulkText::read(options, in, now);
  if (!bulk) {
    output.error(bulk.error().message);
    return Exit::kUsage;
  }
  const auto chunk = items_per_chunk(options, *bulk);
  if (!chunk) {
    output.error(chunk.error().message);
    return Exit::kFailed;
  }
  if (const Status good = check_chunks(options, *bulk, *chunk); !good) {
    output.error(good.error().message);
    return Exit::kUsage;
  }
  // The number, even for --chunk auto, which might split the bulk differently the next time.
  const std::string again = "--chunk " + std::to_string(*chunk);
  output.note("Sending " + std::to_string(bulk->items()) + " items in " +
              std::to_string(bulk->chunks(*chunk)) + " chunks (to send them again, use " + again +
              ").");
  std::size_t failed = 0;
  auto chunks = send_chunks(options, *bulk, *chunk, producer);
  for (auto& sent : chunks) {
    const Delivery delivery = sent.get();
    if (!delivery.failure) {
      if (output.is_json())
        output.json(enqueue_json(options.queue, options.account, delivery.sent));
      continue;
    }
    if (++failed == 1) output.error(failure_text(*delivery.failure));
    if (delivery.failure->reason == FailureReason::kBadJob) return Exit::kUsage;
  }
  if (failed > 0) {
    output.error(std::to_string(failed) + " of " + std::to_string(chunks.size()) +
                 " chunks were not acknowledged; run the same command again with " + again +
                 ": chunks that did arrive are dropped as duplicates");
    return Exit::kFailed;
  }
  if (!output.is_json()) output.line(printable(options.bulk));
  return Exit::kDone;
}

}  // namespace penstock
