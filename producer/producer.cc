#include "penstock/producer.h"

#include <span>

#include "producer/bulk_split.h"
#include "producer/job_check.h"
#include "producer/job_id.h"
#include "producer/job_sender.h"
#include "producer/job_text.h"
#include "topics/kafka/produce/produce_client.h"
#include "topics/names.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

// The size of the largest record, headers included.
inline constexpr std::size_t kMinBufferBytes = 2u << 20;

[[noreturn]] void refuse_options(std::string message) {
  throw ProducerError(Failure{FailureReason::kBadOptions, "", std::move(message)});
}

void check(const ProducerOptions& options) {
  if (auto status = check_prefix(options.prefix); !status) refuse_options(status.error().message);
  if (options.buffer_messages == 0) refuse_options("buffer_messages is 0; give it at least 1");
  if (options.buffer_bytes < kMinBufferBytes) {
    refuse_options("buffer_bytes is " + std::to_string(options.buffer_bytes) +
                   "; give it at least " + std::to_string(kMinBufferBytes) +
                   ", the size of the largest record");
  }
  if (options.delivery_timeout <= std::chrono::milliseconds::zero()) {
    refuse_options("delivery_timeout is not above 0; 30 s or more is right for a replicated Kafka");
  }
}

std::unique_ptr<JobSender> make_sender(ProducerOptions options) {
  check(options);
  auto client = open_kafka_produce_client({.brokers = std::move(options.brokers),
                                           .properties = std::move(options.properties),
                                           .delivery_timeout = options.delivery_timeout});
  if (!client) refuse_options(std::move(client.error().message));
  return std::make_unique<JobSender>(std::move(*client),
                                     JobSenderOptions{.prefix = std::move(options.prefix),
                                                      .buffer_messages = options.buffer_messages,
                                                      .buffer_bytes = options.buffer_bytes,
                                                      .delivery_timeout = options.delivery_timeout,
                                                      .on_trouble = std::move(options.on_trouble)});
}

void send(JobSender& sender, const NewJob& job, DeliveryAnswer answer) {
  const auto text = job_text(job, job.id.empty() ? new_job_id() : job.id);
  if (!text) return give(answer, text.error());
  std::vector<HeaderView> headers;
  headers.reserve(job.headers.size());
  for (const auto& [name, value] : job.headers) headers.push_back({name, value});
  sender.send(job.queue, job.account, *text, headers, std::move(answer));
}

constexpr std::chrono::seconds kBulkWaitsForSpace{60};

// A single chunk that cannot be sent would keep the bulk from ever ending, so all are checked
// first.
std::optional<Failure> fault_of_any(const BulkSplit& split) {
  for (std::size_t i = 0; i < split.size(); ++i) {
    const NewJob job = split.chunk(i);
    std::vector<HeaderView> headers;
    for (const auto& [name, value] : job.headers) headers.push_back({name, value});
    const auto text = job_text(job, job.id);
    if (!text) return text.error();
    auto checked = check_job(job.account, *text, headers);
    if (checked) continue;
    checked.error().message = "chunk " + std::to_string(i) + ": " + checked.error().message;
    return std::move(checked.error());
  }
  return std::nullopt;
}

}  // namespace

Producer::Producer(ProducerOptions options) : sender_(make_sender(std::move(options))) {}
Producer::Producer(std::unique_ptr<JobSender> sender) : sender_(std::move(sender)) {}
Producer::~Producer() = default;
Producer::Producer(Producer&&) noexcept = default;
Producer& Producer::operator=(Producer&&) noexcept = default;

std::future<Sent> Producer::enqueue(const NewJob& job) {
  std::promise<Sent> promise;
  auto sent = promise.get_future();
  send(*sender_, job, std::move(promise));
  return sent;
}

void Producer::enqueue(const NewJob& job, DeliveryCallback done) {
  send(*sender_, job, std::move(done));
}

std::vector<std::future<Sent>> Producer::enqueue(const std::vector<NewJob>& jobs) {
  std::vector<std::future<Sent>> sent;
  sent.reserve(jobs.size());
  for (const auto& job : jobs) sent.push_back(enqueue(job));
  return sent;
}

std::vector<std::future<Sent>> Producer::bulk(const NewBulkAction& action) {
  std::vector<std::future<Sent>> sent;
  const auto split = BulkSplit::make(action, new_job_id());
  std::optional<Failure> fault = split ? fault_of_any(*split) : split.error();
  if (fault) {
    std::promise<Sent> promise;
    sent.push_back(promise.get_future());
    DeliveryAnswer answer = std::move(promise);
    give(answer, *std::move(fault));
    return sent;
  }
  sent.reserve(split->size());
  for (std::size_t i = 0; i < split->size(); ++i) {
    // If there is still no room, the chunk's future reports it.
    (void)wait_for_space(kMaxValueBytes, kBulkWaitsForSpace);
    // Made one at a time: all chunks together could be far larger than the buffer.
    sent.push_back(enqueue(split->chunk(i)));
  }
  return sent;
}

void Producer::send_raw(std::string_view queue, std::string_view account, std::string_view value,
                        DeliveryCallback done) {
  sender_->send(queue, account, value, {}, std::move(done));
}

void Producer::send_raw(std::string_view queue, std::string_view account, std::string_view value,
                        const std::vector<std::pair<std::string, std::string>>& headers,
                        DeliveryCallback done) {
  std::vector<HeaderView> views;
  for (const auto& [name, header] : headers) views.push_back({name, header});
  sender_->send(queue, account, value, views, std::move(done));
}

bool Producer::flush(std::chrono::milliseconds timeout) {
  return sender_->buffer().wait_until_empty(timeout);
}

bool Producer::wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout) {
  return sender_->buffer().wait_for_space(bytes, timeout);
}

}  // namespace penstock
