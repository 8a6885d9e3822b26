#include "api/routes/metrics_text.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

namespace penstock {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using Labels = std::vector<std::pair<std::string, std::string>>;

class Families {
 public:
  // Values that are added next belong to this family.
  void begin(std::string name, std::string help, MetricType type) {
    families_.push_back({std::move(name), std::move(help), type, {}});
  }
  void add(const Labels& labels, double value) {
    ClientMetric metric;
    for (const auto& [name, text] : labels) metric.label.push_back({name, text});
    if (families_.back().type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    families_.back().metric.push_back(std::move(metric));
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  std::vector<MetricFamily> families_;
};

// Without a silent loop's figures, its queue's counters would go back, so the queue is left out.
std::vector<const QueueStatus*> whole(const std::vector<QueueStatus>& queues) {
  std::vector<const QueueStatus*> whole;
  for (const QueueStatus& queue : queues) {
    if (queue.silent_loops == 0) whole.push_back(&queue);
  }
  return whole;
}

using Queues = std::vector<const QueueStatus*>;
using Value = double (*)(const QueueStatus&);

void add_each(Families& out, const Queues& queues, const char* name, const char* help,
              MetricType type, Value value) {
  out.begin(name, help, type);
  for (const QueueStatus* const queue : queues) out.add({{"queue", queue->queue}}, value(*queue));
}

double number(std::uint64_t value) { return static_cast<double>(value); }
double seconds(std::chrono::milliseconds span) { return static_cast<double>(span.count()) / 1000; }

struct Labelled {
  const char* label;
  std::uint64_t TaskCounters::*counter;
};
constexpr Labelled kOutcomes[] = {{"succeeded", &TaskCounters::succeeded},
                                  {"dead", &TaskCounters::dead},
                                  {"cancelled", &TaskCounters::cancelled},
                                  {"duplicate", &TaskCounters::duplicate},
                                  {"expired", &TaskCounters::expired}};
constexpr Labelled kRecords[] = {{"admitted", &TaskCounters::admitted},
                                 {"bad", &TaskCounters::bad},
                                 {"forwarded", &TaskCounters::forwarded},
                                 {"command", &TaskCounters::commands},
                                 {"command_without_job", &TaskCounters::commands_without_job},
                                 {"message_ignored", &TaskCounters::messages_ignored}};

template <std::size_t size>
void add_labelled(Families& out, const Queues& queues, const char* label,
                  const Labelled (&all)[size]) {
  for (const QueueStatus* const queue : queues) {
    for (const auto& [name, counter] : all) {
      out.add({{"queue", queue->queue}, {label, name}}, number(queue->counters.*counter));
    }
  }
}

void add_counters(Families& out, const Queues& queues) {
  out.begin("penstock_jobs_total", "Jobs that have ended, by terminal state.", MetricType::Counter);
  add_labelled(out, queues, "outcome", kOutcomes);
  out.begin("penstock_records_total", "Records taken from the queue's topic, by result.",
            MetricType::Counter);
  add_labelled(out, queues, "kind", kRecords);
  add_each(out, queues, "penstock_attempts_started_total", "Attempts started.", MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.started); });
  add_each(out, queues, "penstock_attempts_failed_total",
           "Attempts that failed, including last attempts.", MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.failed); });
  add_each(out, queues, "penstock_attempts_snoozed_total",
           "Attempts that ended with a snooze; a batch counts each of its jobs.",
           MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.snoozed); });
  add_each(out, queues, "penstock_breaker_failures_uncounted_total",
           "Failed attempts that no breaker counts, because their partition has the maximum number "
           "of breakers.",
           MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.uncounted_failures); });
  add_each(out, queues, "penstock_message_jumps_total",
           "Jumps over messages from other partitions that were removed before they were taken.",
           MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.message_jumps); });
  add_each(out, queues, "penstock_messages_missed_total",
           "Messages from other partitions that those jumps skipped.", MetricType::Counter,
           [](const QueueStatus& queue) { return number(queue.counters.messages_missed); });
  add_each(out, queues, "penstock_commits_total", "Commits to the state log that count.",
           MetricType::Counter, [](const QueueStatus& queue) { return number(queue.commits); });
}

void add_gauges(Families& out, const Queues& queues) {
  const auto gauge = [&](const char* name, const char* help, Value value) {
    add_each(out, queues, name, help, MetricType::Gauge, value);
  };
  gauge("penstock_attempts_running", "Attempts that are running.",
        [](const QueueStatus& queue) { return number(queue.running); });
  gauge("penstock_ready_accounts", "Accounts with a job that could start now.",
        [](const QueueStatus& queue) { return number(queue.ready_flows); });
  gauge("penstock_job_rows", "Jobs in the state: live ones, and ended ones that are still listed.",
        [](const QueueStatus& queue) { return number(queue.job_rows); });
  gauge("penstock_outbox_pending",
        "Messages to other partitions and topics that have not been acknowledged.",
        [](const QueueStatus& queue) { return number(queue.outbox_pending); });
  out.begin("penstock_outbox_undelivered",
            "Messages that have been undelivered for 10 s, by destination topic.",
            MetricType::Gauge);
  for (const QueueStatus* const queue : queues) {
    for (const auto& [topic, messages] : queue->undelivered) {
      out.add({{"queue", queue->queue}, {"topic", topic}}, number(messages));
    }
  }
  gauge("penstock_oldest_ready_seconds",
        "The longest time for which a job that could start has waited for a place or for its "
        "account's turn.",
        [](const QueueStatus& queue) { return seconds(queue.oldest_ready); });
  gauge("penstock_overdue_seconds",
        "How long the longest-due job has been waiting to enter its line.",
        [](const QueueStatus& queue) { return seconds(queue.overdue); });
  out.begin("penstock_lease_remaining_seconds",
            "The shortest remaining lease of the running partitions.", MetricType::Gauge);
  for (const QueueStatus* const queue : queues) {
    // Without a running partition there is no lease, and a 0 would look like one that has ended.
    if (queue->lease_left) out.add({{"queue", queue->queue}}, seconds(*queue->lease_left));
  }
  out.begin("penstock_partitions", "Partitions owned by this instance, by phase.",
            MetricType::Gauge);
  for (const QueueStatus* const queue : queues) {
    for (const auto& [phase, count] : queue->phases) {
      out.add({{"queue", queue->queue}, {"phase", phase}}, count);
    }
  }
}

}  // namespace

std::string metrics_text(const std::vector<QueueStatus>& queues, bool ready,
                         std::string_view version) {
  Families out;
  const Queues answered = whole(queues);
  add_counters(out, answered);
  add_gauges(out, answered);
  out.begin("penstock_loops_silent",
            "Loops that did not answer in time; their queue's other figures are left out.",
            MetricType::Gauge);
  for (const QueueStatus& queue : queues) out.add({{"queue", queue.queue}}, queue.silent_loops);
  out.begin("penstock_queue_stopped",
            "1 when the queue has stopped by itself, because of its topics; /readyz says why.",
            MetricType::Gauge);
  for (const QueueStatus& queue : queues) out.add({{"queue", queue.queue}}, queue.stopped ? 1 : 0);
  out.begin("penstock_ready", "1 when every partition of this instance runs, as /readyz says.",
            MetricType::Gauge);
  out.add({}, ready ? 1 : 0);
  out.begin("penstock_build_info", "1; the version is in the label.", MetricType::Gauge);
  out.add({{"version", std::string(version)}}, 1);
  return out.text();
}

}  // namespace penstock
