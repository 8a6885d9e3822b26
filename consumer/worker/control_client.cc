#include "consumer/worker/control_client.h"

#include "consumer/control/control_reader.h"
#include "state/store/state_format.h"
#include "topics/names.h"

namespace penstock {
namespace {

using Steady = std::chrono::steady_clock;

Now now() {
  return {std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()),
          Instant(Instant::duration(Steady::now().time_since_epoch()))};
}

}  // namespace

namespace control_client {

// Polls until the caller's condition holds or the time is over.
class Waiter : public LogListener {
 public:
  Waiter(LogSession& session, std::string topic) : session_(session), topic_(std::move(topic)) {}

  template <typename Done>
  Status until(Done done) {
    const auto deadline = Steady::now() + ControlClient::kPatience;
    while (!done()) {
      if (!fatal_.empty()) return failure(topic_ + ": " + fatal_);
      if (Steady::now() >= deadline) {
        return failure(topic_ + ": no answer within " +
                       std::to_string(ControlClient::kPatience.count()) + " s" +
                       (trouble_.empty() ? "" : ": " + trouble_) +
                       "; are the brokers up, and was `penstock topics create` run?");
      }
      if (!session_.poll(*this)) session_.wait(std::chrono::milliseconds(100));
    }
    return {};
  }

  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool connected, std::string_view detail) override {
    trouble_ = connected ? std::string() : std::string(detail);
  }
  void on_fatal(std::string_view detail) override { fatal_ = detail; }

 private:
  LogSession& session_;
  std::string topic_, trouble_, fatal_;
};

}  // namespace control_client

namespace {

class Appending final : public control_client::Waiter {
 public:
  using Waiter::Waiter;
  std::optional<Appended> result;
  void on_appended(Lane, Ticket, const Appended& appended) override { result = appended; }
};

}  // namespace

Status ControlClient::set(const std::string& key, const std::optional<std::string>& value) {
  auto session = log_.open({.client_id = "penstock-control", .instance_id = {}});
  if (!session) return tl::unexpected(session.error());
  const std::string topic = control_topic(prefix_);
  Appending appending(**session, topic);
  const TopicPartition to{(*session)->topic(topic), 0};
  const std::string bytes = value.value_or(std::string());
  NewRecord record;
  record.key = key;
  if (value) record.value = bytes;
  bool sent = false;
  return appending
      .until([&] {
        // Tried again at each poll while the buffer has no room.
        if (!sent) sent = (*session)->append(Lane::kOutbox, to, record, 1);
        return appending.result.has_value();
      })
      .and_then([&]() -> Status {
        if (!appending.result->error) return {};
        return failure(topic + ": " + *appending.result->error +
                       "; it is unknown whether it was set: set it again");
      });
}

Result<std::uint32_t> ControlClient::finish_upgrade(std::string_view queue) {
  const Status told = set(format_key(queue), format_json(kNewestFormat));
  if (!told) return tl::unexpected(told.error());
  return kNewestFormat;
}

Result<Control> ControlClient::read() {
  const auto follower = ControlFollower::open(log_, prefix_);
  if (!follower) return tl::unexpected(follower.error());
  const auto control = (*follower)->read();
  if (!control) return tl::unexpected(control.error());
  return **control;
}

struct ControlFollower::Reader final : control_client::Waiter {
  Reader(std::unique_ptr<LogSession> opened, const std::string& topic)
      : Waiter(*opened, topic),
        session(std::move(opened)),
        reader(
            *session, session->topic(topic), [this](const std::string& text) { said = text; },
            ControlReader::Reports::kKept) {}
  void on_bounds(TopicPartition, const Result<Bounds>& bounds) override {
    reader.on_bounds(bounds, now());
  }
  void on_records(TopicPartition, std::span<const LogRecord> records) override {
    reader.on_records(records, now());
  }
  void on_out_of_range(TopicPartition, Offset) override { reader.on_out_of_range(now()); }

  std::unique_ptr<LogSession> session;
  ControlReader reader;
  std::string said;
};

ControlFollower::ControlFollower(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
ControlFollower::~ControlFollower() = default;

Result<std::unique_ptr<ControlFollower>> ControlFollower::open(Log& log,
                                                               const std::string& prefix) {
  auto session = log.open({.client_id = "penstock-control", .instance_id = {}});
  if (!session) return tl::unexpected(session.error());
  return std::unique_ptr<ControlFollower>(
      new ControlFollower(std::make_unique<Reader>(*std::move(session), control_topic(prefix))));
}

Result<const Control*> ControlFollower::read() {
  reader_->said.clear();
  ControlReader& reader = reader_->reader;
  reader.read_to_end(now());
  const Status read = reader_->until([&reader] {
    reader.tick(now());
    return reader.is_read();
  });
  if (!read) return failure(reader_->said.empty() ? read.error().message : reader_->said);
  return &reader.control();
}

}  // namespace penstock
