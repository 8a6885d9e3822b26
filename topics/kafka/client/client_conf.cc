#include "topics/kafka/client/client_conf.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace penstock::kafka {
namespace {

struct Setting {
  const char* name;
  const char* value;
};

// Defaults, which the user's values override.
constexpr std::array kCommonDefaults = {
    Setting{"socket.keepalive.enable", "true"},  Setting{"socket.nagle.disable", "true"},
    Setting{"socket.timeout.ms", "12000"},       Setting{"reconnect.backoff.ms", "50"},
    Setting{"reconnect.backoff.max.ms", "1000"}, Setting{"message.max.bytes", "10485760"},
    Setting{"statistics.interval.ms", "0"},      Setting{"enable.metrics.push", "false"},
    Setting{"log.connection.close", "false"},
};
// Somebody waits for the answer: a broker that does not respond must count as unreachable before
// stopping a worker takes too long.
constexpr std::array kAdminDefaults = {
    Setting{"socket.connection.setup.timeout.ms", "10000"},
};
// A member never fetches, so it needs no buffers for records. It learns of a rebalance from the
// answer to a heartbeat.
constexpr std::array kMemberDefaults = {
    Setting{"heartbeat.interval.ms", "300"},
    Setting{"max.poll.interval.ms", "60000"},
    Setting{"queued.min.messages", "1"},
    Setting{"queued.max.messages.kbytes", "1"},
};
// The default of fetch.queue.backoff.ms is 1 s, which stalls whenever the reader is ahead of the
// loop. A broker holds back an empty fetch for fetch.wait.max.ms, during which a newly read
// partition has to wait.
constexpr std::array kReaderDefaults = {
    Setting{"fetch.queue.backoff.ms", "5"},
    Setting{"fetch.error.backoff.ms", "100"},
    Setting{"fetch.min.bytes", "1"},
    Setting{"fetch.wait.max.ms", "100"},
    Setting{"fetch.message.max.bytes", "1048576"},
    Setting{"queued.max.messages.kbytes", "32768"},
    Setting{"topic.metadata.propagation.max.ms", "10000"},
};
constexpr std::array kLaneDefaults = {
    Setting{"queue.buffering.max.messages", "100000"},
    Setting{"queue.buffering.max.kbytes", "65536"},
    Setting{"retry.backoff.ms", "50"},
    Setting{"compression.type", "none"},
};

// Values that override the user's.
constexpr std::array kCommonForced = {
    Setting{"allow.auto.create.topics", "false"},
};
constexpr std::array kMemberForced = {
    Setting{"enable.auto.commit", "false"},
    Setting{"group.protocol", "classic"},
    Setting{"partition.assignment.strategy", "cooperative-sticky"},
};
constexpr std::array kReaderForced = {
    Setting{"enable.auto.commit", "false"},
    Setting{"auto.commit.enable", "false"},
    Setting{"auto.offset.reset", "error"},
    Setting{"enable.partition.eof", "false"},
};
constexpr std::array kLaneForced = {
    Setting{"enable.idempotence", "true"},
    Setting{"acks", "all"},
};
constexpr std::array kStateLane = {Setting{"linger.ms", "0"}};
constexpr std::array kOutboxLane = {Setting{"linger.ms", "5"}};

// Trouble arrives as events. Without a callback, librdkafka would write its own lines to standard
// error, between those of the program.
void ignore_log(const rd_kafka_t*, int, const char*, const char*) {}

class ConfWriter {
 public:
  ConfWriter() : conf_(rd_kafka_conf_new()) { rd_kafka_conf_set_log_cb(conf_.get(), ignore_log); }

  void set(const std::string& name, const std::string& value) {
    std::array<char, kErrorTextBytes> text{};
    if (rd_kafka_conf_set(conf_.get(), name.c_str(), value.c_str(), text.data(), text.size()) !=
            RD_KAFKA_CONF_OK &&
        error_.empty()) {
      error_ = "kafka property \"" + name + "\": " + text.data();
    }
  }
  template <std::size_t N>
  void set_all(const std::array<Setting, N>& settings) {
    for (const Setting& setting : settings) set(setting.name, setting.value);
  }
  void set_all(const Properties& properties) {
    for (const auto& [name, value] : properties) set(name, value);
  }
  Result<ConfHandle> finish() {
    if (!error_.empty()) return failure(error_);
    return std::move(conf_);
  }

 private:
  ConfHandle conf_;
  std::string error_;
};

void set_defaults(Role role, ConfWriter& conf) {
  conf.set_all(kCommonDefaults);
  if (role == Role::kAdmin) conf.set_all(kAdminDefaults);
  if (role == Role::kMember) conf.set_all(kMemberDefaults);
  if (role == Role::kReader) conf.set_all(kReaderDefaults);
  if (role == Role::kStateLane || role == Role::kOutboxLane) conf.set_all(kLaneDefaults);
  if (role == Role::kStateLane) conf.set_all(kStateLane);
  if (role == Role::kOutboxLane) conf.set_all(kOutboxLane);
}

void set_forced(Role role, ConfWriter& conf) {
  conf.set_all(kCommonForced);
  if (role == Role::kMember) conf.set_all(kMemberForced);
  if (role == Role::kReader) conf.set_all(kReaderForced);
  if (role == Role::kStateLane || role == Role::kOutboxLane) conf.set_all(kLaneForced);
}

int wanted_events(Role role) {
  if (role == Role::kMember) {
    return RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT | RD_KAFKA_EVENT_ERROR;
  }
  if (role == Role::kStateLane || role == Role::kOutboxLane) {
    return RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR;
  }
  return RD_KAFKA_EVENT_ERROR;
}

}  // namespace

Properties member_timeouts(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds kLeast{6'000};
  return {{"session.timeout.ms", std::to_string(std::max(lease, kLeast).count())}};
}

// With a lease of 15 s: an acknowledgement can take 11.6 s when a broker crashes, and more on a busy
// machine. 14 s is between the two, and leaves the second that librdkafka may take to notice that
// the time is over. A request to a leader that hangs is given up early enough for one more attempt
// at its successor.
Properties lane_timeouts(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds kMargin{1'000}, kLongestRequest{10'000};
  const std::chrono::milliseconds delivery = lease - kMargin;
  const std::chrono::milliseconds request = std::min(kLongestRequest, delivery * 5 / 7);
  return {{"delivery.timeout.ms", std::to_string(delivery.count())},
          {"request.timeout.ms", std::to_string(request.count())}};
}

Result<ConfHandle> client_conf(Role role, const Properties& given, const Properties& extra) {
  ConfWriter writer;
  set_defaults(role, writer);
  writer.set_all(given);
  set_forced(role, writer);
  writer.set_all(extra);
  Result<ConfHandle> conf = writer.finish();
  if (conf) rd_kafka_conf_set_events(conf->get(), wanted_events(role));
  return conf;
}

}  // namespace penstock::kafka
