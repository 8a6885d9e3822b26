#include "topics/simulated/sender.h"

#include <algorithm>
#include <string>

#include "topics/simulated/session.h"

namespace penstock::simulated {
namespace {

constexpr Nanos kBackoff = std::chrono::milliseconds(100);
constexpr Nanos kTellsOfErrorWithin = std::chrono::milliseconds(30);

}  // namespace

bool Sender::append(Partition& to, const NewRecord& record, Ticket ticket) {
  SimulatedCluster& cluster = link_.cluster();
  if (unended_ >= cluster.options().buffered_appends) {
    cluster.faults().count(Fault::kBufferFull);
    return false;
  }
  const Payload& payload = cluster.keep(record, link_.host().now().wall);
  if (payload.size() > to.max_bytes()) {
    return refuse(ticket, "a record of " + std::to_string(payload.size()) +
                              " bytes is larger than max.message.bytes of " + to.topic() +
                              ": raise it, or send less");
  }
  ++unended_;
  const std::size_t index = stream_to(to);
  Stream& stream = streams_[index];
  const Instant deadline =
      cluster.now() + link_.host().true_time(cluster.options().delivery_timeout);
  stream.queue.push_back({++messages_, ticket, &payload, 0, 0, deadline, {}, false});
  number(stream, stream.queue.back());
  pump(index);
  set_timer(index);
  return true;
}

void Sender::renew() {
  ++generation_;
  unended_ = 0;
  requests_ = {};
  streams_.clear();
}

std::size_t Sender::stream_to(Partition& to) {
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.to == &to; });
  if (found != streams_.end()) return static_cast<std::size_t>(found - streams_.begin());
  Stream& stream = streams_.emplace_back();
  stream.to = &to;
  stream.producer = link_.cluster().unique();
  return streams_.size() - 1;
}

void Sender::number(Stream& stream, Message& message) {
  message.producer = stream.producer;
  message.sequence = stream.next++;
  message.sent = false;
}

void Sender::pump(std::size_t stream) {
  auto& queue = streams_[stream].queue;
  const std::size_t in_flight = std::min(queue.size(), link_.cluster().options().in_flight);
  for (std::size_t i = 0; i < in_flight; ++i)
    if (!queue[i].sent) send(stream, queue[i]);
}

void Sender::send(std::size_t stream, Message& message) {
  SimulatedCluster& cluster = link_.cluster();
  message.sent = true;
  message.again = cluster.now() + link_.host().true_time(cluster.options().retry);
  const ProduceRequest request{
      streams_[stream].to,          message.payload, message.producer, message.sequence,
      {lane_, generation_, stream}, message.id};
  const bool twice = cluster.random().chance(cluster.rates().duplicate);
  if (twice) cluster.faults().count(Fault::kDuplicateRequest);
  for (int i = 0; i < (twice ? 2 : 1); ++i)
    link_.to_broker(Care::kLossy, &requests_, [link = link_, request] { handle(link, request); });
}

void Sender::acknowledged(const StreamKey& key, std::uint64_t message, std::uint64_t producer,
                          std::optional<Offset> offset) {
  Stream* const stream = find(key);
  if (stream == nullptr) return;
  if (find(*stream, message, producer) == nullptr) return;
  auto& queue = stream->queue;
  while (queue.front().id != message) {
    link_.cluster().faults().count(Fault::kImplicitAcknowledgement);
    end(queue.front().ticket, {});
    queue.pop_front();
  }
  end(queue.front().ticket, {offset, std::nullopt});
  queue.pop_front();
  pump(key.stream);
}

void Sender::refused(const StreamKey& key, std::uint64_t message, std::uint64_t producer) {
  if (find(key) == nullptr) return;
  link_.after(kBackoff, [key, message, producer](SimulatedSession& there) {
    there.sender(key.lane).send_again(key, message, producer);
  });
}

void Sender::send_again(const StreamKey& key, std::uint64_t message, std::uint64_t producer) {
  Stream* const stream = find(key);
  if (stream == nullptr) return;
  Message* const waiting = find(*stream, message, producer);
  if (waiting != nullptr) send(key.stream, *waiting);
}

Sender::Message* Sender::find(Stream& stream, std::uint64_t message, std::uint64_t producer) {
  const auto found = std::find_if(stream.queue.begin(), stream.queue.end(),
                                  [&](const Message& m) { return m.id == message; });
  return found == stream.queue.end() || found->producer != producer ? nullptr : &*found;
}

void Sender::set_timer(std::size_t index) {
  Stream& stream = streams_[index];
  if (stream.timer || stream.queue.empty()) return;
  Instant when = stream.queue.front().deadline;
  for (std::size_t i = 0; i < stream.queue.size() && stream.queue[i].sent; ++i)
    when = std::min(when, stream.queue[i].again);
  stream.timer = true;
  const Nanos delay = when - link_.cluster().now();
  link_.after(delay, [lane = lane_, generation = generation_, index](SimulatedSession& there) {
    Sender& sender = there.sender(lane);
    if (sender.is_current(generation)) sender.on_timer(index);
  });
}

void Sender::on_timer(std::size_t index) {
  Stream& stream = streams_[index];
  const Instant now = link_.cluster().now();
  stream.timer = false;
  bool expired = false;
  while (!stream.queue.empty() && stream.queue.front().deadline <= now) {
    expire(stream);
    expired = true;
  }
  if (expired) {
    stream.producer = link_.cluster().unique();
    stream.next = 0;
    for (Message& message : stream.queue) number(stream, message);
    pump(index);
  }
  for (std::size_t i = 0; i < stream.queue.size() && stream.queue[i].sent; ++i)
    if (stream.queue[i].again <= now) send(index, stream.queue[i]);
  set_timer(index);
}

void Sender::expire(Stream& stream) {
  link_.cluster().faults().count(Fault::kDeliveryTimeout);
  const Ticket ticket = stream.queue.front().ticket;
  stream.queue.pop_front();
  end_soon(
      ticket,
      "no broker has acknowledged the record within the delivery time-out: read the log to learn "
      "whether it is there");
}

bool Sender::refuse(Ticket ticket, std::string why) {
  ++unended_;
  end_soon(ticket, std::move(why));
  return true;
}

void Sender::end_soon(Ticket ticket, std::string error) {
  link_.after(link_.cluster().random().between(Nanos{0}, kTellsOfErrorWithin),
              [=, lane = lane_, generation = generation_](SimulatedSession& there) {
                Sender& sender = there.sender(lane);
                if (sender.is_current(generation)) sender.end(ticket, {std::nullopt, error});
              });
}

void Sender::end(Ticket ticket, const Appended& result) {
  link_.session()->appended({lane_, generation_, 0}, ticket, result);
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
