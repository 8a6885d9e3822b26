#include "cli/produce/remote_producer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "cli/remote/json_text.h"
#include "producer/job_sender.h"
#include "topics/produce_client.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

constexpr std::size_t kMaxLinesPerRequest = 5'000, kMaxRequestBytes = 4u << 20;

struct RemoteRecord {
  TopicId topic;
  std::string line;
  Ticket ticket = 0;
};

class RemoteProduceClient final : public ProduceClient {
 public:
  RemoteProduceClient(WorkerClient worker, const std::string& prefix)
      : worker_(std::move(worker)), topic_begins_(prefix + ".") {}

  TopicId topic(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    const auto same = std::find(names_.begin(), names_.end(), name);
    const auto index = std::distance(names_.begin(), same);
    if (same == names_.end()) names_.emplace_back(name);
    return TopicId{static_cast<std::int32_t>(index)};
  }

  void open(TopicId topic) override {
    const std::lock_guard lock(mutex_);
    opens_.push_back(topic);
    changed_.notify_all();
  }

  Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) override {
    if (!record.headers.empty())
      return {Taken::kFailed, "headers cannot be sent through a worker: use --brokers"};
    // The key becomes the member that the gateway makes it of again.
    const auto key = JobJson(std::string(*record.key));
    const std::string_view rest = trimmed(*record.value).substr(1);
    std::string line =
        "{\"account\":" + key.dump(-1, ' ', false, JobJson::error_handler_t::replace) + ",";
    line += rest;
    // Valid JSON has line ends only between its parts.
    std::replace(line.begin(), line.end(), '\n', ' ');
    const std::lock_guard lock(mutex_);
    records_.push_back({topic, std::move(line), ticket});
    changed_.notify_all();
    return {};
  }

  void purge() override {
    const std::lock_guard lock(mutex_);
    purges_ = true;
    changed_.notify_all();
  }

  void wake() override {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

  void poll(ProduceListener& listener, std::chrono::milliseconds at_most) override {
    std::vector<TopicId> opens;
    std::vector<RemoteRecord> batch;
    bool purges = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, at_most, [this] {
        return woken_ || purges_ || !opens_.empty() || !records_.empty();
      });
      woken_ = false;
      purges = std::exchange(purges_, false);
      opens.swap(opens_);
      take_batch(batch, purges);
    }
    for (const TopicId topic : opens) listener.on_opened(topic, look_up(topic));
    if (purges) {
      for (const RemoteRecord& record : batch)
        listener.on_delivered(record.ticket,
                              {.offset = {}, .error = "given up", .never_sent = true});
    } else if (!batch.empty()) {
      send_batch(batch, listener);
    }
  }

 private:
  // Records of one topic, in their order; all records if they are given up.
  void take_batch(std::vector<RemoteRecord>& batch, bool all) {
    std::size_t bytes = 0;
    while (!records_.empty()) {
      const RemoteRecord& next = records_.front();
      const bool fits = batch.size() < kMaxLinesPerRequest &&
                        (batch.empty() || (bytes + next.line.size() < kMaxRequestBytes &&
                                           next.topic == batch.front().topic));
      if (!all && !fits) return;
      bytes += next.line.size();
      batch.push_back(std::move(records_.front()));
      records_.pop_front();
    }
  }

  [[nodiscard]] std::string queue_of(TopicId topic) {
    const std::lock_guard lock(mutex_);
    const std::string& name = names_[static_cast<std::size_t>(topic.value)];
    return name.starts_with(topic_begins_) ? name.substr(topic_begins_.size()) : name;
  }

  [[nodiscard]] Opened look_up(TopicId topic) {
    const auto queue = worker_.get(queue_target(queue_of(topic)));
    if (queue) {
      return {.partitions = static_cast<int>(count_member(*queue, "partitions")),
              .error = {},
              .detail = {}};
    }
    const bool refused = queue.error().status / 100 == 4;
    return {.error = refused ? OpenError::kRefused : OpenError::kTemporary,
            .detail = queue.error().message};
  }

  void send_batch(const std::vector<RemoteRecord>& batch, ProduceListener& listener) {
    std::string body;
    for (const RemoteRecord& record : batch) body += record.line + "\n";
    auto answer =
        worker_.link().ask({.method = "POST",
                            .target = queue_target(queue_of(batch.front().topic), "/jobs"),
                            .body = std::move(body),
                            .type = "application/x-ndjson"});
    if (answer && answer->status / 100 != 2) answer = worker_.link().refused(*answer);
    std::string_view lines = answer ? std::string_view(answer->text) : std::string_view();
    for (const RemoteRecord& record : batch) {
      if (!answer) {
        // A request that was refused as a whole has sent nothing.
        listener.on_delivered(record.ticket, {.offset = {},
                                              .error = answer.error().message,
                                              .never_sent = answer.error().status / 100 == 4});
        continue;
      }
      const std::size_t end = lines.find('\n');
      deliver(record.ticket, JobJson::parse(lines.substr(0, end), nullptr, false), listener);
      lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
    }
  }

  static void deliver(Ticket ticket, const JobJson& line, ProduceListener& listener) {
    const bool sent = line.is_object() && line.contains("partition");
    if (sent) {
      Delivered delivered{.partition = static_cast<PartitionId>(count_member(line, "partition")),
                          .offset = {},
                          .error = {}};
      if (line.contains("offset") && line["offset"].is_number_integer())
        delivered.offset = Offset{count_member(line, "offset")};
      return listener.on_delivered(ticket, delivered);
    }
    const auto& errors = array_member(line, "errors");
    std::string detail = errors.empty() ? "" : text_of(errors.front(), "detail");
    if (detail.empty()) detail = "the worker's answer has no line for this job";
    listener.on_delivered(ticket, {.offset = {}, .error = detail});
  }

  WorkerClient worker_;  // used by the polling thread alone
  const std::string topic_begins_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> names_;  // index: TopicId
  std::vector<TopicId> opens_;
  std::deque<RemoteRecord> records_;
  bool purges_ = false, woken_ = false;
};

}  // namespace

std::unique_ptr<Producer> open_remote_producer(WorkerClient worker, const std::string& prefix) {
  JobSenderOptions options;
  options.prefix = prefix;
  auto client = std::make_unique<RemoteProduceClient>(std::move(worker), prefix);
  return std::make_unique<Producer>(
      std::make_unique<JobSender>(std::move(client), std::move(options)));
}

}  // namespace penstock
