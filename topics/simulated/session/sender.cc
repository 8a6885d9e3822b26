#include "topics/simulated/session/sender.h"

#include <algorithm>
#include <string>

namespace penstock::simulated {
namespace {

constexpr std::size_t kMaxBatch = 500;  // records per request
constexpr Nanos kBackoff = std::chrono::milliseconds(100);
constexpr Nanos kAnswersWithin = std::chrono::milliseconds(200);
constexpr Nanos kTellsOfErrorWithin = std::chrono::milliseconds(30);

}  // namespace

bool Sender::append(Partition& to, const NewRecord& record, Ticket ticket) {
  World& world = link_.world();
  const ClusterOptions& options = world.options();
  if (unended_ >= options.buffered_appends || unended_bytes_ >= options.buffered_bytes) {
    world.faults().count(Fault::kBufferFull);
    return false;
  }
  const Payload& payload = brokers_->topics().keep(record, link_.host().now().wall);
  if (payload.size() > to.max_bytes()) {
    return refuse(ticket,
                  "a record of " + std::to_string(payload.size()) +
                      " bytes is larger than max.message.bytes of " + to.topic() +
                      ": raise it, or send less",
                  Refusal::kTooLarge);
  }
  ++unended_;
  unended_bytes_ += payload.size();
  const std::size_t index = stream_to(to);
  Stream& stream = streams_[index];
  const Instant deadline = world.now() + link_.host().true_time(options.delivery_timeout);
  auto& queue = stream.queue;
  // A batch that has been sent must stay as it is, because the broker knows it by its sequence
  // number.
  if (queue.empty() || queue.back().sent != nullptr || queue.back().messages.size() >= kMaxBatch)
    queue.push_back({.id = ++batches_, .messages = {}});
  queue.back().messages.push_back({ticket, &payload, deadline});
  pump(index);
  set_timer(index);
  return true;
}

void Sender::renew() {
  // This number shows which answers and timers belong to abandoned appends; they are ignored.
  ++generation_;
  unended_ = unended_bytes_ = 0;
  requests_ = {};
  streams_.clear();
}

std::size_t Sender::stream_to(Partition& to) {
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.to == &to; });
  if (found != streams_.end()) return static_cast<std::size_t>(found - streams_.begin());
  Stream& stream = streams_.emplace_back();
  stream.to = &to;
  stream.producer = link_.world().unique();
  return streams_.size() - 1;
}

void Sender::pump(std::size_t stream) {
  auto& queue = streams_[stream].queue;
  const std::size_t in_flight = std::min(queue.size(), link_.world().options().in_flight);
  for (std::size_t i = 0; i < in_flight; ++i) {
    if (queue[i].sent != nullptr) continue;
    if (lose(stream, queue[i])) continue;
    seal(streams_[stream], queue[i]);
    send(stream, queue[i]);
  }
}

void Sender::seal(Stream& stream, Pending& pending) {
  Batch batch;
  batch.reserve(pending.messages.size());
  for (const Message& message : pending.messages) batch.push_back(message.payload);
  pending.producer = stream.producer;
  pending.sequence = stream.next;
  stream.next += static_cast<std::int64_t>(batch.size());
  pending.sent = &brokers_->topics().keep(std::move(batch));
}

// The broker mistakes it for a request that it has seen: it never enters the log, and its sequence
// number goes to another one.
bool Sender::lose(std::size_t index, Pending& pending) {
  World& world = link_.world();
  const double rate = world.rates().acknowledged_and_lost;
  if (rate == 0 || !world.random().chance(rate)) return false;
  world.faults().count(Fault::kAcknowledgedAndLost);
  Stream& stream = streams_[index];
  const std::int64_t next = stream.next;
  seal(stream, pending);
  stream.next = next;
  // Never: this request has no place in the log, and nobody repeats it.
  pending.again = Instant::max();
  const StreamKey key{generation_, index};
  link_.after(world.random().between(Nanos{0}, kAnswersWithin),
              [this, key, batch = pending.id, producer = pending.producer] {
                acknowledged(key, batch, producer, std::nullopt);
              });
  return true;
}

void Sender::send(std::size_t stream, Pending& pending) {
  World& world = link_.world();
  pending.again = world.now() + link_.host().true_time(world.options().retry);
  const ProduceRequest request{
      streams_[stream].to, pending.sent, pending.producer, pending.sequence, {generation_, stream},
      pending.id,          this};
  const bool twice = world.random().chance(world.rates().duplicate);
  if (twice) world.faults().count(Fault::kDuplicateRequest);
  for (int i = 0; i < (twice ? 2 : 1); ++i)
    link_.to_broker(Care::kLossy, &requests_, [brokers = brokers_, link = link_, request] {
      brokers->handle(link, request);
    });
}

void Sender::acknowledged(const StreamKey& key, std::uint64_t batch, std::uint64_t producer,
                          std::optional<Offset> first) {
  Stream* const stream = find(key);
  // The answer may be for a batch that has timed out, or for a producer that has been replaced.
  if (stream == nullptr || find(*stream, batch, producer) == nullptr) return;
  auto& queue = stream->queue;
  while (queue.front().id != batch) {
    link_.world().faults().count(Fault::kImplicitAcknowledgement);
    for (const Message& message : queue.front().messages) end(message, {});
    queue.pop_front();
  }
  for (const Message& message : queue.front().messages) {
    end(message, {first, std::nullopt});
    if (first) first = first->next();
  }
  queue.pop_front();
  pump(key.stream);
}

void Sender::refused(const StreamKey& key, std::uint64_t batch, std::uint64_t producer) {
  if (find(key) == nullptr) return;
  link_.after(kBackoff, [this, key, batch, producer] { send_again(key, batch, producer); });
}

void Sender::send_again(const StreamKey& key, std::uint64_t batch, std::uint64_t producer) {
  Stream* const stream = find(key);
  if (stream == nullptr) return;
  Pending* const waiting = find(*stream, batch, producer);
  if (waiting != nullptr) send(key.stream, *waiting);
}

Sender::Pending* Sender::find(Stream& stream, std::uint64_t batch, std::uint64_t producer) {
  const auto found = std::find_if(stream.queue.begin(), stream.queue.end(),
                                  [&](const Pending& pending) { return pending.id == batch; });
  if (found == stream.queue.end() || found->sent == nullptr || found->producer != producer)
    return nullptr;
  return &*found;
}

void Sender::set_timer(std::size_t index) {
  Stream& stream = streams_[index];
  if (stream.timer || stream.queue.empty()) return;
  // The earliest deadline, because messages are queued in the order of their deadlines.
  Instant when = stream.queue.front().messages.front().deadline;
  for (std::size_t i = 0; i < stream.queue.size() && stream.queue[i].sent != nullptr; ++i)
    when = std::min(when, stream.queue[i].again);
  stream.timer = true;
  link_.at(when, [this, generation = generation_, index] {
    if (is_current(generation)) on_timer(index);
  });
}

void Sender::on_timer(std::size_t index) {
  Stream& stream = streams_[index];
  const Instant now = link_.world().now();
  stream.timer = false;
  if (expire(stream)) go_on_as_another(index);
  for (std::size_t i = 0; i < stream.queue.size() && stream.queue[i].sent != nullptr; ++i)
    if (stream.queue[i].again <= now) send(index, stream.queue[i]);
  set_timer(index);
}

// Ends the messages that have timed out; true if there were any.
bool Sender::expire(Stream& stream) {
  const Instant now = link_.world().now();
  bool any = false;
  while (!stream.queue.empty()) {
    auto& messages = stream.queue.front().messages;
    const auto alive = std::find_if(messages.begin(), messages.end(),
                                    [&](const Message& message) { return message.deadline > now; });
    for (auto it = messages.begin(); it != alive; ++it) {
      any = true;
      link_.world().faults().count(Fault::kDeliveryTimeout);
      unended_bytes_ -= it->payload->size();
      end_soon(
          it->ticket,
          "no broker has acknowledged the record within the delivery time-out: read the log to "
          "learn whether it is there");
    }
    messages.erase(messages.begin(), alive);
    if (!messages.empty()) break;
    stream.queue.pop_front();
  }
  return any;
}

void Sender::go_on_as_another(std::size_t index) {
  Stream& stream = streams_[index];
  stream.producer = link_.world().unique();
  stream.next = 0;
  // They are sealed again, with sequence numbers of the new producer.
  for (Pending& pending : stream.queue) pending.sent = nullptr;
  pump(index);
}

bool Sender::refuse(Ticket ticket, std::string why, Refusal refusal) {
  // handed_on() will count it down, as it does for any other append.
  ++unended_;
  end_soon(ticket, std::move(why), refusal);
  return true;
}

void Sender::end_soon(Ticket ticket, std::string error, Refusal refusal) {
  link_.after(link_.world().random().between(Nanos{0}, kTellsOfErrorWithin),
              [this, generation = generation_, ticket, error = std::move(error), refusal] {
                if (!is_current(generation)) return;
                inbox_->put(AppendEnded{lane_, generation, ticket, {std::nullopt, error, refusal}});
              });
}

void Sender::end(const Message& message, const Appended& result) {
  unended_bytes_ -= message.payload->size();
  inbox_->put(AppendEnded{lane_, generation_, message.ticket, result});
}

Sender::Stream* Sender::find(const StreamKey& key) {
  if (!is_current(key.generation) || key.stream >= streams_.size()) return nullptr;
  return &streams_[key.stream];
}

Line* Sender::answers(const StreamKey& key) {
  Stream* const stream = find(key);
  return stream == nullptr ? nullptr : &stream->answers;
}

}  // namespace penstock::simulated
