#include "tests/simulation/checker.h"

namespace penstock::simulation {

Checker::Checker(const Settings& settings, SimulatedCluster& cluster)
    : run_(settings, cluster),
      features_(run_),
      messages_(run_),
      bulks_(run_),
      running_(run_),
      shares_(run_, running_),
      commits_(run_, features_, messages_, bulks_, shares_),
      stores_(run_),
      attempts_(run_, features_, messages_, running_, shares_),
      end_(run_, features_, messages_, bulks_) {}

void Checker::appended(const std::string& topic, PartitionId partition, const LogRecord& record) {
  if (is_recreated()) return;
  if (topic == names().state_topic()) {
    const CommitFacts* const facts = run_.reference(partition).feed(record);
    features_.logs.appended(partition, facts ? record.value->size() : 0);
    if (facts) commits_.committed(*facts);
    return;
  }
  if (topic == slots_state_topic(kPrefix)) {
    const CommitFacts* const facts = run_.owner(partition).feed(record);
    if (facts) commits_.owner_committed(*facts);
    return;
  }
  if (topic == names().topic()) return input_appended(partition, record);
  if (topic == control_topic(kPrefix)) {
    messages_.control_arrived(partition, record);
    features_.replays.control_appended(record);
    features_.long_jobs.control_appended(record);
    features_.shared.control_appended(record, run_.cluster().now());
    return features_.limits.control_appended(record, run_.cluster().now());
  }
  if (topic == QueueNames(kPrefix, kShadowQueue).topic() &&
      !features_.replays.arrived_in_shadow(partition, record))
    return;
  messages_.arrived(topic, partition, record);
}

void Checker::input_appended(PartitionId partition, const LogRecord& record) {
  const Input& input = run_.model().read(partition, record, run_.cluster().now());
  features_.early.appended(input, record.offset);
  if (!input.message.empty()) {
    run_.rules().check(Rule::kOldest, input.oldest >= 1 && input.oldest <= input.last + 1, [&] {
      return input.message + " says that " + std::to_string(input.oldest) + " is the oldest";
    });
  }
  if (input.taken == Taken::kCopy) features_.replays.arrived(input);
  if (input.taken == Taken::kCommand) features_.replays.commanded(input);
  if (input.taken == Taken::kSlots) features_.shared_rate.told(partition, record);
  if (input.taken == Taken::kJob) {
    features_.batches.appended(input.job, run_.reference(partition).epoch());
  }
  if (!input.message.empty() && input.taken != Taken::kIgnored) {
    messages_.arrived(names().topic(), partition, record, input.message);
  }
}

void Checker::broken(std::size_t host, const std::string& reason) {
  if (is_recreated()) {
    stopped_ = true;
    return void(run_.rules().check(Rule::kRecreated, true, [] { return ""; }));
  }
  const bool meant =
      run_.settings().foreign_trims && reason.find("begins past its base") != std::string::npos;
  stopped_ = stopped_ || meant;
  run_.rules().check(Rule::kStopsLoudly, meant,
                     [&] { return "host " + std::to_string(host) + " is broken: " + reason; });
}

void Checker::given_up(std::size_t host, const std::string& why) {
  run_.rules().check(Rule::kBufferWaits, why.find("buffer is full") == std::string::npos,
                     [&] { return "host " + std::to_string(host) + ": " + why; });
}

}  // namespace penstock::simulation
