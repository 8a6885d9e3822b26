#include "api/dead/record_sender.h"

#include <utility>

#include "topics/partitioner.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kWait{50};

}  // namespace

Result<std::unique_ptr<RecordSender>> RecordSender::open(Log& log, std::string topic) {
  const auto described = log.describe(topic);
  if (!described) return failure(described.error().message);
  if (!described->exists || described->partitions < 1)
    return failure("topic " + topic + " does not exist: run `penstock topics create`");
  auto session = log.open({.client_id = "penstock-resend", .instance_id = {}});
  if (!session) return failure(session.error().message);
  return std::unique_ptr<RecordSender>(
      new RecordSender(*std::move(session), std::move(topic), described->partitions));
}

RecordSender::RecordSender(std::unique_ptr<LogSession> session, std::string topic, int partitions)
    : session_(std::move(session)), topic_(std::move(topic)), partitions_(partitions) {}

template <typename Done>
Status RecordSender::poll_until(Done done) {
  last_answer_ = Clock::now();
  while (!done()) {
    if (!error_.empty()) return failure("cannot send to topic " + topic_ + ": " + error_);
    if (Clock::now() - last_answer_ >= kPatience) {
      error_ = "no answer within " + std::to_string(kPatience.count()) + " s" +
               (trouble_.empty() ? std::string() : ": " + trouble_) +
               "; check that the brokers run, and send again: what did arrive is not run twice";
      continue;
    }
    if (!session_->poll(*this)) session_->wait(kWait);
  }
  return {};
}

Status RecordSender::send(const std::vector<ResendRecord>& together) {
  ++last_;
  for (const ResendRecord& record : together) {
    Status appended = append(record);
    if (appended) continue;
    failed_.insert(last_);
    return appended;
  }
  return {};
}

Status RecordSender::append(const ResendRecord& record) {
  std::vector<HeaderView> headers;
  for (const Header& header : record.headers) headers.push_back(view_of(header));
  const TopicPartition to{session_->topic(topic_), partition_of(record.account, partitions_)};
  const NewRecord appended{record.account, record.value, headers};
  return poll_until([&] {
    if (!error_.empty() || open_.size() >= kMaxUnanswered) return false;
    if (!session_->append(Lane::kOutbox, to, appended, last_)) return false;
    open_.insert(last_);
    return true;
  });
}

Status RecordSender::finish() {
  Status answered = poll_until([this] { return open_.empty(); });
  if (!answered) return answered;
  return error_.empty() ? Status() : failure("cannot send to topic " + topic_ + ": " + error_);
}

std::uint64_t RecordSender::failed() const {
  std::set<std::uint64_t> all = failed_;
  all.insert(open_.begin(), open_.end());
  return all.size();
}

void RecordSender::on_appended(Lane, Ticket ticket, const Appended& result) {
  last_answer_ = Clock::now();
  if (const auto found = open_.find(ticket); found != open_.end()) open_.erase(found);
  if (!result.error) return;
  failed_.insert(ticket);
  if (error_.empty()) error_ = *result.error + "; send again: what did arrive is not run twice";
}

void RecordSender::on_connection(bool connected, std::string_view detail) {
  trouble_ = connected ? std::string() : std::string(detail);
}

}  // namespace penstock
