#include "tests/simulation/checker/message_checks.h"

#include "tests/simulation/checks/replays/replay_model.h"
#include "topics/record/dead_record.h"

namespace penstock::simulation {
namespace {

std::string header(const LogRecord& record, std::string_view name) {
  for (const HeaderView& one : record.headers) {
    if (one.name == name) return std::string(one.value.value_or(""));
  }
  return {};
}

// What the dead topic refuses as too large comes as its head.
bool is_same(const std::optional<std::string>& sent, const LogRecord& arrived) {
  if (sent == arrived.value) return true;
  return sent && arrived.value && !header(arrived, kCutHeader).empty() &&
         sent->starts_with(*arrived.value);
}

// The token of the attempt that asked for a follow-up job.
std::string asker(const std::string& record) {
  const std::size_t from = record.find("\"from\":\"");
  if (from == std::string::npos) return {};
  return record.substr(from + 8, record.find('"', from + 8) - from - 8);
}

}  // namespace

void MessageChecks::asked(const AttemptRequest& request, std::size_t jobs) {
  asked_[request.key.token.text()] += static_cast<int>(jobs);
}

void MessageChecks::produced(const CommitFacts& facts, const Produced& message) {
  const Sent sent{message.topic, message.partition, message.key, message.value, 0};
  const bool fresh = sent_.try_emplace(message.message, sent).second;
  run_.rules().check(Rule::kOutboxOnce, fresh,
                     [&] { return name_of(facts) + " produces " + message.message + " again"; });
}

void MessageChecks::buried(const CommitFacts& facts, const Produced& message) {
  const std::string source = message.header("penstock-source");
  run_.rules().check(Rule::kBadRecord, buried_.insert(source).second,
                     [&] { return name_of(facts) + " buries " + source + " again"; });
}

void MessageChecks::derived(const CommitFacts& facts, const Produced& message) {
  // A copy has the arguments of its original.
  if (!message.header("penstock-replay").empty()) return;
  const std::string origin = message.header("penstock-origin");
  const std::string from = asker(message.value.value_or(""));
  if (!from.empty() && origin.empty() && message.topic == names().topic()) {
    const auto asked = asked_.find(from);
    const bool once = asked != asked_.end() && --asked->second >= 0;
    run_.rules().check(Rule::kFollowUps, once, [&] {
      return name_of(facts) + " produces more than attempt " + from + " asked for";
    });
  }
  if (origin.empty()) return;
  run_.rules().check(Rule::kForwarded, forwarded_.insert(origin).second,
                     [&] { return name_of(facts) + " forwards " + origin + " again"; });
}

void MessageChecks::arrived(const std::string& topic, PartitionId partition,
                            const LogRecord& record) {
  arrived(topic, partition, record, header(record, "penstock-message"));
}

void MessageChecks::arrived(const std::string& topic, PartitionId partition,
                            const LogRecord& record, const std::string& message) {
  const auto found = sent_.find(message);
  const bool same = found != sent_.end() && found->second.topic == topic &&
                    found->second.partition == partition && found->second.key == record.key &&
                    is_same(found->second.value, record);
  run_.rules().check(Rule::kOutboxOnce, same, [&] {
    return message + " arrived, but no honoured commit has produced it like that";
  });
  if (same) ++found->second.arrivals;
}

void MessageChecks::control_arrived(PartitionId partition, const LogRecord& record) {
  const std::string message = header(record, "penstock-message");
  if (!message.empty()) arrived(control_topic(kPrefix), partition, record, message);
}

bool MessageChecks::all_arrived() const {
  for (const auto& [message, sent] : sent_) {
    if (sent.arrivals == 0) return false;
  }
  return true;
}

void MessageChecks::check_end() {
  for (const auto& [message, sent] : sent_) {
    run_.rules().check(Rule::kOutboxComes, sent.arrivals > 0,
                       [&] { return message + " never arrived"; });
    const bool is_shadow = sent.topic == QueueNames(kPrefix, kShadowQueue).topic();
    if (sent.topic != names().topic() && !is_shadow) continue;
    run_.rules().check(Rule::kOutboxOnce, sent.arrivals <= 1,
                       [&] { return message + " was taken more than once"; });
  }
}

}  // namespace penstock::simulation
