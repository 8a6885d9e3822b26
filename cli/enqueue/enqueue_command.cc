#include "cli/enqueue/enqueue_command.h"

#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/enqueue/enqueue_bulk.h"
#include "cli/enqueue/enqueue_lines.h"
#include "cli/enqueue/enqueue_record.h"
#include "cli/enqueue/enqueue_result.h"
#include "cli/produce/cli_producer.h"
#include "cli/program/worker_client.h"

namespace penstock {
namespace {

Exit enqueue_one(const EnqueueOptions& options, Producer& producer, Output& output) {
  // Rounded up, so that a job with --in does not start early.
  const auto now = std::chrono::ceil<Duration>(std::chrono::system_clock::now());
  const auto record = enqueue_record(options, now);
  if (!record) {
    output.error(record.error().message);
    return Exit::kUsage;
  }
  std::promise<Delivery> promise;
  producer.send_raw(options.queue, options.account, *record,
                    [&](const Delivery& delivery) { promise.set_value(delivery); });
  const auto delivery = promise.get_future().get();
  if (delivery.failure) {
    output.error(failure_text(*delivery.failure));
    return delivery.failure->reason == FailureReason::kBadJob ? Exit::kUsage : Exit::kFailed;
  }
  if (output.is_json()) {
    output.json(enqueue_json(options.queue, options.account, delivery.sent));
  } else {
    output.line(printable(delivery.sent.id));
  }
  return Exit::kDone;
}

Exit enqueue_lines(const EnqueueOptions& options, Producer& producer, std::istream& in,
                   Output& output) {
  LineEnqueuer lines(producer, output, options.queue);
  if (options.from == "-") return lines.run(in, std::nullopt);
  std::ifstream file(options.from, std::ios::binary);
  if (!file) {
    output.error("cannot read " + printable(options.from) + "; is the path correct?");
    return Exit::kFailed;
  }
  // A pipe has no size; its progress is counted in lines.
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(options.from, unknown);
  return lines.run(file, unknown ? std::nullopt : std::optional<std::uint64_t>(bytes));
}

class EnqueueCommand : public Command {
 public:
  EnqueueOptions options;

  Exit run(Program& program) override {
    if (const auto usage = check_enqueue_usage(options); !usage) {
      return program.usage_error(usage.error().message);
    }
    const auto config = program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    if (const Status asked = ask_worker(*config); !asked)
      return program.fail(asked.error().message);
    const auto pattern =
        options.from.empty() && options.bulk.empty() ? SendPattern::kFew : SendPattern::kMany;
    auto producer = open_cli_producer(*config, pattern);
    if (!producer) return program.usage_error(producer.error().message);
    return enqueue(options, **producer, std::cin, program.output());
  }

 private:
  // A bulk must be split in the same way whenever it is sent. So if it has been sent before, its
  // number of items per chunk at that time is used, not one that follows from the time per item.
  Status ask_worker(const Config& config) {
    if (options.chunk != kAutoChunk) return {};
    const Status asked = ask_chunks(config);
    return asked ? asked : failure("--chunk auto: " + asked.error().message);
  }

  Status ask_chunks(const Config& config) {
    const std::string otherwise = "; or give --chunk a number";
    auto worker = worker_client(config, options.http);
    if (!worker) return failure(worker.error().message + otherwise);
    // Asked first: if the bulk has been sent before, the time per item does not matter.
    const auto known = worker->bulk_size(options.queue, options.account, options.bulk);
    if (!known) return failure(known.error().message + otherwise);
    options.known_chunks = *known;
    if (*known) return {};
    const auto time = worker->item_time(options.queue, options.type);
    if (!time) return failure(time.error().message + otherwise);
    options.item_time = *time;
    if (*time) return {};
    return failure(
        "the worker that was asked has not measured yet how long an item of type \"" +
        printable(options.type) +
        "\" takes: chunks of a bulk of that type must have run there since it started. Give "
        "--chunk a number for the first");
  }
};

}  // namespace

Status check_enqueue_usage(const EnqueueOptions& options) {
  const bool one = !options.type.empty() || !options.account.empty() || !options.args.empty() ||
                   !options.id.empty() || !options.run_at.empty() || !options.in.empty() ||
                   options.priority || options.weight;
  if (!options.bulk.empty()) return check_bulk_usage(options);
  if (!options.chunk.empty() || !options.on_done.empty()) {
    return failure("found --chunk or --on-done without --bulk, expected the bulk's id as well");
  }
  if (!options.from.empty() && one) {
    return failure(
        "found --from with options of a single job; with --from, each line contains them");
  }
  if (options.from.empty() && (options.type.empty() || options.account.empty())) {
    return failure("expected --type and --account for one job, or --from FILE for many");
  }
  if (!options.run_at.empty() && !options.in.empty()) {
    return failure("found both --run-at and --in, expected only one of them");
  }
  return {};
}

Exit enqueue(const EnqueueOptions& options, Producer& producer, std::istream& in, Output& output) {
  if (!options.bulk.empty()) return enqueue_bulk(options, producer, in, output);
  return options.from.empty() ? enqueue_one(options, producer, output)
                              : enqueue_lines(options, producer, in, output);
}

void add_enqueue_command(Program& program) {
  auto command = std::make_unique<EnqueueCommand>();
  auto& options = command->options;
  auto& app = program.add_command(program.root(), "enqueue",
                                  "Send one job, or the JSON lines of a file", std::move(command));
  app.add_option("--queue", options.queue, "The queue")->required();
  app.add_option("--type", options.type, "What the job does");
  app.add_option("--account", options.account, "The account that the job belongs to");
  app.add_option("--args", options.args, "The job's arguments, JSON");
  app.add_option("--id", options.id, "The job's id; by default a new one");
  app.add_option("--run-at", options.run_at, "Not before this time (RFC 3339, or ms since 1970)");
  app.add_option("--in", options.in, "Not before this long from now (30s, 5m, 12h)");
  app.add_option(
      "--priority", options.priority,
      "-1000 to 1000, lower runs first; applies within a bulk and in queues with order fair");
  app.add_option("--weight", options.weight,
                 "1 to 100: the share of its bulk or account in queues with order fair");
  app.add_option(
      "--from", options.from,
      "JSON lines, each with its account (with --bulk, each is an item); - is standard input");
  app.add_option("--bulk", options.bulk,
                 "Split one large action into chunks; the bulk gets this id");
  app.add_option(
      "--chunk", options.chunk,
      "With --bulk: items per chunk (default 100), or auto for as many as take about 5 s");
  app.add_option("--http", options.http,
                 "With --chunk auto: the worker to ask for the time per item, HOST:PORT; by "
                 "default the config's http.listen");
  app.add_option("--on-done", options.on_done,
                 "With --bulk: a job record to produce when all chunks have ended");
}

}  // namespace penstock
