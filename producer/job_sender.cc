#include "producer/job_sender.h"

#include <cstdlib>

#include "producer/job_check.h"
#include "topics/names.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;

inline constexpr milliseconds kMaxPollTime{200};     // when idle: five polls per second
inline constexpr milliseconds kPollWhileClosed{20};  // while a topic is being opened
inline constexpr milliseconds kAskAgainAfter{250};
// Some brokers may not know a topic yet that has just been created.
inline constexpr milliseconds kMissingGrace{3'000};
inline constexpr milliseconds kCloseSlack{5'000};

std::string seconds(milliseconds time) {
  const auto ms = time.count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

Failure full(const SendBuffer& buffer) {
  return {FailureReason::kBufferFull, "",
          "the producer's buffer is full (" + std::to_string(buffer.messages()) + " jobs, " +
              std::to_string(buffer.bytes()) +
              " bytes unacknowledged); the job was not sent: wait for space, or allow more"};
}

HeldRecord copy(const NewRecord& record, Ticket ticket, Steady::time_point give_up_at) {
  HeldRecord held{.key = std::string(*record.key),
                  .value = std::string(*record.value),
                  .headers = {},
                  .ticket = ticket,
                  .give_up_at = give_up_at};
  for (const HeaderView& header : record.headers) held.headers.push_back(copy_of(header));
  return held;
}

}  // namespace

JobSender::JobSender(std::unique_ptr<ProduceClient> client, JobSenderOptions options)
    : options_(std::move(options)),
      client_(std::move(client)),
      buffer_(options_.buffer_messages, options_.buffer_bytes),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

JobSender::~JobSender() {
  if (!buffer_.wait_until_empty(options_.delivery_timeout + kCloseSlack)) {
    // Held records are not the client's yet, so purge() does not answer them; tend() does.
    giving_up_ = true;
    client_->purge();
    // The client answers everything that it has accepted, so this loop ends.
    while (!buffer_.wait_until_empty(kCloseSlack)) client_->purge();
  }
  // Only when everything has been answered, because answers are given on this thread.
  thread_.request_stop();
  client_->wake();
}

void JobSender::send(std::string_view queue_name, std::string_view account, std::string_view value,
                     std::span<const HeaderView> headers, DeliveryAnswer answer) {
  const auto queue = find_queue(queue_name);
  if (!queue) return give(answer, Failure{FailureReason::kBadJob, "", queue.error().message});
  auto job = check_job(account, value, headers);
  if (!job) return give(answer, std::move(job.error()));
  // After the check, so that a bad job is reported as such even if the buffer is full.
  if (!buffer_.reserve(job->bytes)) return give(answer, full(buffer_));

  auto pending = pool_.take();
  pending->queue = *queue;
  pending->id = job->id;
  pending->bytes = job->bytes;
  pending->answer = std::move(answer);
  const NewRecord record{.key = account, .value = job->value, .headers = headers};
  if ((*queue)->held.is_open()) [[likely]] {
    produce(std::move(pending), record);
  } else {
    hold(std::move(pending), record);
  }
}

void JobSender::hold(Pending pending, const NewRecord& record) {
  auto& queue = *pending->queue;
  const auto ticket = pending->ticket();
  // From here on the ticket owns it: it may be answered before hold() returns.
  auto* raw = pending.release();
  switch (queue.held.hold(copy(record, ticket, Steady::now() + options_.delivery_timeout))) {
    case HeldRecords::Held::kHeld:
      return;
    case HeldRecords::Held::kHeldFirst:
      return client_->open(queue.topic);
    case HeldRecords::Held::kIsOpen:
      return produce(Pending(raw), record);
  }
}

void JobSender::produce(Pending pending, const NewRecord& record) {
  const auto topic = pending->queue->topic;
  const auto ticket = pending.release()->ticket();  // it may be answered before produce() returns
  const auto produced = client_->produce(topic, record, ticket);
  if (produced.taken == Taken::kYes) [[likely]]
    return;
  pending = Unanswered::of(ticket);
  if (produced.taken == Taken::kFull) {
    return fail(std::move(pending), FailureReason::kBufferFull, full(buffer_).message);
  }
  auto message = "job '" + pending->id + "' was not sent: " + produced.detail + "; send it again";
  fail(std::move(pending), FailureReason::kGaveUp, std::move(message));
}

// Sends the held records. Failures are answered after the queue's lock is released, because a
// callback may send.
void JobSender::open(Queue& queue) {
  std::deque<HeldRecord> refused;
  const char* why = "";
  queue.held.is_draining = !queue.held.open([&](const HeldRecord& held) {
    std::vector<HeaderView> headers;
    for (const auto& header : held.headers) headers.push_back(view_of(header));
    const NewRecord record{.key = held.key, .value = held.value, .headers = headers};
    const auto produced = client_->produce(queue.topic, record, held.ticket);
    if (produced.taken == Taken::kFailed) {
      refused.push_back(held);
      why = produced.detail;
    }
    return produced.taken != Taken::kFull;
  });
  if (!queue.held.is_draining) --closed_queues_;
  fail_all(std::move(refused), why);
}

void JobSender::on_opened(TopicId topic, const Opened& result) {
  auto& queue = queue_of(topic);
  if (!result.error) return open(queue);
  const auto now = Steady::now();
  // Kept from the first failure on: the grace of a missing topic is counted from there.
  queue.held.asked_since = std::min(queue.held.asked_since, now);
  const bool missing = *result.error == OpenError::kMissing;
  if (*result.error == OpenError::kTemporary ||
      (missing && now < queue.held.asked_since + kMissingGrace)) {
    queue.held.ask_again_at = now + kAskAgainAfter;
    return;
  }
  // The next job may ask again, with a new grace: the topic may have been created by then.
  queue.held.asked_since = Steady::time_point::max();
  const auto why = missing
                       ? "topic '" + queue.topic_name +
                             "' does not exist; create it with `penstock "
                             "topics create " +
                             queue.name + "`"
                       : "topic '" + queue.topic_name + "' cannot be written to: " + result.detail;
  fail_all(queue.held.close(), why);
}

void JobSender::on_delivered(Ticket ticket, const Delivered& result) {
  auto pending = Unanswered::of(ticket);
  if (!result.error.empty()) [[unlikely]] {
    auto message = "job '" + pending->id + "' to queue '" + pending->queue->name +
                   "' was not acknowledged: " + std::string(result.error) + trouble();
    message += result.never_sent
                   ? "; it is not in the queue: send it again"
                   : "; it may or may not be in the queue: sending it again with the same "
                     "id is safe";
    return fail(std::move(pending), FailureReason::kGaveUp, std::move(message));
  }
  succeed(std::move(pending), result);
}

// Only on the sender's thread: the delivery and the pooled job swap their id strings to reuse
// memory.
void JobSender::succeed(Pending pending, const Delivered& result) {
  // Released before the answer is given, so that its receiver can send the next job at once.
  buffer_.release_for_answer(pending->bytes);
  delivery_.sent.id.swap(pending->id);
  delivery_.sent.partition = result.partition;
  delivery_.sent.offset.reset();
  if (result.offset) delivery_.sent.offset = result.offset->value;
  give(pending->answer, delivery_);
  delivery_.sent.id.swap(pending->id);
  pending->answer = DeliveryCallback{};  // what a callback captured must not outlive its call
  answered_.push_back(std::move(pending));
}

void JobSender::fail(Pending pending, FailureReason reason, std::string message) {
  Delivery delivery;
  delivery.sent.id = std::move(pending->id);
  delivery.failure = Failure{reason, "", std::move(message)};
  give(pending->answer, delivery);
  buffer_.release(pending->bytes);
}

void JobSender::fail_all(std::deque<HeldRecord> records, std::string_view why) {
  for (const auto& record : records) {
    auto pending = Unanswered::of(record.ticket);
    auto message = "job '" + pending->id + "' was not sent: " + std::string(why);
    fail(std::move(pending), FailureReason::kGaveUp, std::move(message));
  }
}

void JobSender::on_trouble(std::string_view detail) {
  last_trouble_ = detail;
  if (options_.on_trouble) options_.on_trouble(detail);
}

std::string JobSender::trouble() const {
  return last_trouble_.empty() ? "" : " (last trouble: " + last_trouble_ + ")";
}

Result<JobSender::Queue*> JobSender::find_queue(std::string_view name) {
  // Queues are never removed, so the pointer stays valid and most sends take no lock.
  if (auto* last = last_queue_.load(); last && last->name == name) [[likely]]
    return last;
  {
    const std::shared_lock lock(queues_mutex_);
    if (const auto found = queues_by_name_.find(name); found != queues_by_name_.end()) {
      last_queue_ = found->second;
      return found->second;
    }
  }
  return add_queue(name);
}

Result<JobSender::Queue*> JobSender::add_queue(std::string_view name) {
  if (auto status = check_queue_name(options_.prefix, name); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  const std::unique_lock lock(queues_mutex_);
  // Another thread may have added it since find_queue() looked.
  if (const auto found = queues_by_name_.find(name); found != queues_by_name_.end())
    return found->second;
  if (queues_.size() == kMaxQueuesPerProducer) {
    return failure("this producer already sends to " + std::to_string(kMaxQueuesPerProducer) +
                   " queues; use another producer for more");
  }
  auto& queue = *queues_.emplace_back(new Queue);
  queue.name = name;
  queue.topic_name = QueueNames(options_.prefix, name).topic();
  queue.topic = client_->topic(queue.topic_name);
  queues_by_name_.emplace(queue.name, &queue);
  // The sender's thread polls more often while a queue is not open yet.
  ++closed_queues_;
  return &queue;
}

JobSender::Queue& JobSender::queue_of(TopicId topic) {
  const std::shared_lock lock(queues_mutex_);
  for (const auto& queue : queues_) {
    if (queue->topic == topic) return *queue;
  }
  PENSTOCK_CHECK(false, "only the topics of known queues are opened");
  std::abort();
}

void JobSender::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    client_->poll(*this, closed_queues_ > 0 ? kPollWhileClosed : kMaxPollTime);
    if (closed_queues_ > 0) tend_closed();
    pool_.give_back(answered_);
    // Once per poll instead of once per answer: waking waiters takes a lock.
    buffer_.end_answers();
  }
}

void JobSender::tend_closed() {
  std::vector<Queue*> closed;
  {
    const std::shared_lock lock(queues_mutex_);
    for (const auto& queue : queues_) {
      // Collected first, because an answer's callback may send to a new queue, which takes the
      // lock.
      if (!queue->held.is_open()) closed.push_back(queue.get());
    }
  }
  for (auto* queue : closed) tend(*queue, Steady::now());
}

void JobSender::tend(Queue& queue, Steady::time_point now) {
  if (queue.held.is_draining) return open(queue);
  if (queue.held.ask_again_at <= now) {
    queue.held.ask_again_at = Steady::time_point::max();
    client_->open(queue.topic);
  }
  const auto why = "Kafka did not answer within " + seconds(options_.delivery_timeout) + trouble() +
                   "; it is not in the queue: send it again when Kafka is back";
  fail_all(queue.held.take_expired(giving_up_ ? Steady::time_point::max() : now), why);
}

}  // namespace penstock
