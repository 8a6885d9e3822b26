#include "cli/enqueue/enqueue_command.h"

#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/enqueue/enqueue_bulk.h"
#include "cli/enqueue/enqueue_lines.h"
#include "cli/enqueue/enqueue_record.h"
#include "cli/enqueue/enqueue_result.h"
#include "cli/enqueue/stoppable_input.h"
#include "cli/produce/cli_producer.h"
#include "cli/produce/remote_producer.h"
#include "cli/program/stoppable_wait.h"
#include "cli/remote/reach.h"
#include "cli/remote/worker_client.h"

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
  producer.send_raw(options.queue, options.account, *record, options.headers,
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

Exit enqueue_lines(const EnqueueOptions& options, Producer& producer, const EnqueueInput& input,
                   Output& output) {
  LineEnqueuer lines(producer, output, options.queue);
  lines.on_stop(input.stopped);
  if (options.from == "-" || input.is_file) return lines.run(input.stream, input.bytes);
  std::ifstream file(options.from, std::ios::binary);
  if (!file) {
    output.error("cannot read " + printable(options.from) + "; is the path correct?");
    return Exit::kFailed;
  }
  return lines.run(file, std::nullopt);
}

std::string check_header(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos && equals > 0) return {};
  return "found \"" + printable(text) + "\", expected NAME=VALUE";
}

class EnqueueCommand : public Command {
 public:
  EnqueueOptions options;
  std::vector<std::string> headers;

  Exit run(Program& program) override {
    for (const std::string& header : headers) {
      const std::size_t equals = header.find('=');
      options.headers.emplace_back(header.substr(0, equals), header.substr(equals + 1));
    }
    if (const auto usage = check_enqueue_usage(options); !usage) {
      return program.usage_error(usage.error().message);
    }
    auto reach = find_reach(program, options.worker);
    if (!reach) return program.usage_error(reach.error().message);
    if (reach->worker && !options.headers.empty())
      return program.usage_error(
          "--header: no brokers are given, and headers cannot be sent through a worker: use "
          "--brokers");
    if (reach->worker) {
      // Otherwise, each job of a file would fail for this one reason.
      const auto queue = reach->worker->get(queue_target(options.queue));
      if (!queue) return fail(program, queue.error());
    }
    if (const Status asked = ask_worker(reach->config); !asked)
      return program.fail(asked.error().message);
    return options.from.empty() || options.splits() ? send(program, *reach, {std::cin})
                                                    : send_file(program, *reach);
  }

 private:
  Exit send_file(Program& program, Reach& reach) {
    auto input = StoppableInput::open(options.from);
    if (!input) return program.fail(input.error().message + "; is the path correct?");
    // Before the threads of the producer.
    StoppableWait stop([&input] { (*input)->stop(); });
    std::error_code unknown;  // a pipe has no size; its progress is counted in lines
    const auto bytes = options.from == "-" ? 0 : std::filesystem::file_size(options.from, unknown);
    const bool sized = options.from != "-" && !unknown;
    return send(program, reach,
                {.stream = (*input)->stream(),
                 .is_file = true,
                 .bytes = sized ? std::optional<std::uint64_t>(bytes) : std::nullopt,
                 .stopped = [&input] { return (*input)->stopped(); }});
  }

  Exit send(Program& program, Reach& reach, const EnqueueInput& input) {
    if (reach.worker) {
      const auto producer = open_remote_producer(*std::move(reach.worker), reach.config.prefix);
      return enqueue(options, *producer, input, program.output());
    }
    const auto pattern =
        options.from.empty() && options.bulk.empty() ? SendPattern::kFew : SendPattern::kMany;
    auto producer = open_cli_producer(reach.config, pattern);
    if (!producer) return program.usage_error(producer.error().message);
    return enqueue(options, **producer, input, program.output());
  }

  // A bulk must be split in the same way whenever it is sent. So if it has been sent before, its
  // number of items per chunk at that time is used, not one that follows from the time per item.
  Status ask_worker(const Config& config) {
    if (options.chunk != kAutoChunk) return {};
    const Status asked = ask_chunks(config);
    return asked ? asked : failure("--chunk auto: " + asked.error().message);
  }

  Status ask_chunks(const Config& config) {
    const std::string otherwise = "; or give --chunk a number";
    auto worker = worker_client(config, options.worker);
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
                   !options.expires_at.empty() || !options.expires_in.empty() ||
                   !options.unique_key.empty() || !options.meta.empty() ||
                   !options.headers.empty() || options.priority || options.weight;
  if (!options.run_at.empty() && !options.in.empty()) {
    return failure("found both --run-at and --in, expected only one of them");
  }
  if (!options.expires_at.empty() && !options.expires_in.empty()) {
    return failure("found both --expires-at and --expires-in, expected only one of them");
  }
  if (options.splits()) return check_bulk_usage(options);
  const bool chunk = options.bulk_index || options.bulk_size;
  if (chunk && (options.bulk.empty() || !options.bulk_index || !options.bulk_size)) {
    return failure(
        "expected --bulk, --bulk-index and --bulk-size together, for one chunk of a bulk");
  }
  if (!options.chunk.empty() || (!options.on_done.empty() && !chunk)) {
    return failure("found --chunk or --on-done without --bulk, expected the bulk's id as well");
  }
  if (!options.from.empty() && (one || chunk)) {
    return failure(
        "found --from with options of a single job; with --from, each line contains them");
  }
  if (options.from.empty() && (options.type.empty() || options.account.empty())) {
    return failure("expected --type and --account for one job, or --from FILE for many");
  }
  return {};
}

Exit enqueue(const EnqueueOptions& options, Producer& producer, const EnqueueInput& input,
             Output& output) {
  if (options.splits()) return enqueue_bulk(options, producer, input.stream, output);
  return options.from.empty() ? enqueue_one(options, producer, output)
                              : enqueue_lines(options, producer, input, output);
}

void add_enqueue_command(Program& program) {
  auto command = std::make_unique<EnqueueCommand>();
  auto& options = command->options;
  auto& command_headers = command->headers;
  auto& app = program.add_command(program.root(), "enqueue",
                                  "Send one job, or the JSON lines of a file", std::move(command));
  app.add_option("--queue", options.queue, "The queue")->required();
  app.add_option("--type", options.type, "What the job does");
  app.add_option("--account", options.account, "The account that the job belongs to");
  app.add_option("--args", options.args, "The job's arguments, JSON");
  app.add_option("--id", options.id, "The job's id; by default a new one");
  app.add_option("--run-at", options.run_at, "Not before this time (RFC 3339, or ms since 1970)");
  app.add_option("--in", options.in, "Not before this long from now (30s, 5m, 12h)");
  app.add_option("--expires-at", options.expires_at,
                 "Expires if it has not started by this time (as --run-at)")
      ->type_name("TIME");
  app.add_option("--expires-in", options.expires_in, "Expires if not started this long from now")
      ->type_name("DURATION");
  app.add_option("--unique-key", options.unique_key,
                 "Instead of the arguments, for types with a unique policy");
  app.add_option("--meta", options.meta, "Free-form data that is kept with the job, a JSON object")
      ->type_name("JSON");
  app.add_option("--header", command_headers, "A header of the record; may be repeated")
      ->allow_extra_args(false)
      ->check(check_header)
      ->type_name("NAME=VALUE");
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
  app.add_option("--on-done", options.on_done,
                 "With --bulk: a job record to produce when all chunks have ended")
      ->type_name("RECORD");
  app.add_option("--bulk-index", options.bulk_index,
                 "The job is this chunk of --bulk, from 0, which you split yourself");
  app.add_option("--bulk-size", options.bulk_size, "With --bulk-index: the number of chunks");
  add_remote_options(app, options.worker, Asks::kWithoutBrokers);
}

}  // namespace penstock
