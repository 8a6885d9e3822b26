#include "topics/simulated/cluster.h"

#include <algorithm>

#include "topics/simulated/properties.h"
#include "topics/simulated/session.h"
#include "topics/values/check.h"

namespace penstock {

using simulated::Group;
using simulated::log_append_time;
using simulated::max_message_bytes;
using simulated::Payload;

namespace {

constexpr std::int64_t kMaxRatePpm = 10'000;
constexpr std::int64_t kMaxSkewMs = 250;

}  // namespace

SimulatedCluster::SimulatedCluster(const ClusterOptions& options)
    : options_(options), random_(options.seed), faults_(options.faults), injector_(*this) {
  injector_.start();
}

SimulatedCluster::~SimulatedCluster() {
  PENSTOCK_CHECK(sessions_.empty(), "a simulated cluster outlives its sessions");
}

Time SimulatedCluster::wall() const {
  return options_.first_time + std::chrono::duration_cast<Duration>(now().time_since_epoch());
}

SimulatedHost& SimulatedCluster::add_host() {
  const auto range = static_cast<std::uint64_t>(2 * kMaxRatePpm + 1);
  const std::int64_t rate =
      options_.rates_differ ? static_cast<std::int64_t>(random_.below(range)) - kMaxRatePpm : 0;
  const Instant booted{random_.between(std::chrono::hours(1), std::chrono::hours(1000))};
  hosts_.push_back(std::make_unique<SimulatedHost>(*this, hosts_.size(), rate, booted));
  return *hosts_.back();
}

Status SimulatedCluster::create(const TopicSettings& settings) {
  if (topics_.contains(settings.name))
    return failure("topic " + settings.name +
                   " already exists: describe it, or choose another name");
  if (settings.partitions < 1 ||
      static_cast<std::size_t>(settings.partitions) > kMaxSimulatedPartitions)
    return failure("topic " + settings.name + " needs 1 to " +
                   std::to_string(kMaxSimulatedPartitions) + " partitions");
  if (settings.replication < 1 || settings.replication > options_.brokers)
    return failure("topic " + settings.name + " needs a replication of 1 to " +
                   std::to_string(options_.brokers) + ", the number of brokers");
  if (const Status checked = simulated::check_properties(settings.config); !checked) return checked;
  Topic& topic = topics_[settings.name];
  topic.settings = settings;
  add_partitions(topic);
  return {};
}

void SimulatedCluster::add_partitions(Topic& topic) {
  const TopicSettings& settings = topic.settings;
  const TopicUuid uuid{options_.seed + 1, ++topics_made_};
  for (PartitionId id = 0; id < settings.partitions; ++id) {
    topic.partitions.push_back(std::make_unique<Partition>(
        settings.name, id, log_append_time(settings.config), max_message_bytes(settings.config)));
    topic.partitions.back()->set_topic_uuid(uuid);
    if (!faulty()) continue;
    const auto skew = static_cast<std::int64_t>(random_.below(2 * kMaxSkewMs + 1)) - kMaxSkewMs;
    topic.partitions.back()->lead(Duration(skew), {});
  }
}

void SimulatedCluster::recreate(const std::string& name) {
  const auto found = topics_.find(name);
  PENSTOCK_CHECK(found != topics_.end(), "the topic has been created");
  auto before = std::exchange(found->second.partitions, {});
  add_partitions(found->second);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i]->replace_with(*found->second.partitions[i]);
    for (const auto& wake : before[i]->take_waiting()) wake();
    deleted_.push_back(std::move(before[i]));
  }
}

Status SimulatedCluster::configure(const std::string& name,
                                   const std::vector<TopicProperty>& config) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return failure("topic " + name + " does not exist: create it first");
  if (const Status checked = simulated::check_properties(config); !checked) return checked;
  auto& properties = found->second.settings.config;
  for (const TopicProperty& wanted : config) {
    const auto same =
        std::find_if(properties.begin(), properties.end(),
                     [&](const TopicProperty& there) { return there.name == wanted.name; });
    if (same == properties.end())
      properties.push_back(wanted);
    else
      same->value = wanted.value;
  }
  for (auto& partition : found->second.partitions)
    partition->configure(log_append_time(properties), max_message_bytes(properties));
  return {};
}

TopicDescription SimulatedCluster::describe(const std::string& name) const {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return {.name = name, .exists = false, .config = {}};
  const TopicSettings& settings = found->second.settings;
  return {name, true, settings.partitions, settings.replication, settings.config};
}

void SimulatedCluster::forget_group(std::string_view name) {
  for (auto& [key, group] : groups_) {
    if (key.first == name) group->forget_offsets();
  }
}

SimulatedCluster::Partition* SimulatedCluster::find(std::string_view name, PartitionId partition) {
  const auto found = topics_.find(name);
  if (found == topics_.end() || partition < 0) return nullptr;
  auto& partitions = found->second.partitions;
  const auto index = static_cast<std::size_t>(partition);
  return index < partitions.size() ? partitions[index].get() : nullptr;
}

int SimulatedCluster::partition_count(std::string_view name) const {
  const auto found = topics_.find(name);
  return found == topics_.end() ? 0 : found->second.settings.partitions;
}

const SimulatedCluster::Partition& SimulatedCluster::partition(std::string_view topic,
                                                               PartitionId partition) const {
  const auto found = topics_.find(topic);
  PENSTOCK_CHECK(found != topics_.end(), "the topic has been created");
  return *found->second.partitions.at(static_cast<std::size_t>(partition));
}

std::vector<SimulatedCluster::Partition*> SimulatedCluster::partitions() {
  std::vector<Partition*> all;
  for (auto& [name, topic] : topics_)
    for (auto& partition : topic.partitions) all.push_back(partition.get());
  return all;
}

Group& SimulatedCluster::group(std::string_view name, std::string_view topic, int partitions) {
  auto& group = groups_[{std::string(name), std::string(topic)}];
  if (!group) group = std::make_unique<Group>(*this, partitions);
  return *group;
}

std::vector<Group*> SimulatedCluster::groups() {
  std::vector<Group*> all;
  for (auto& [name, group] : groups_) all.push_back(group.get());
  return all;
}

std::optional<Offset> SimulatedCluster::committed(std::string_view group, std::string_view topic,
                                                  PartitionId partition) const {
  const auto found = groups_.find({std::string(group), std::string(topic)});
  return found == groups_.end() ? std::nullopt : found->second->committed(partition);
}

const FaultRates& SimulatedCluster::rates() const {
  static const FaultRates kNone;
  return faulty() ? faults_.rates() : kNone;
}

const Payload& SimulatedCluster::keep(const NewRecord& record, Time created) {
  return payloads_.emplace_back(record, created);
}

Offset SimulatedCluster::append(std::string_view topic, PartitionId partition,
                                const NewRecord& record) {
  Partition* const to = find(topic, partition);
  PENSTOCK_CHECK(to != nullptr, "the topic has been created");
  return enter(*to, keep(record, wall()));
}

Offset SimulatedCluster::enter(Partition& partition, const Payload& payload) {
  const Time time = partition.log_append_time() ? wall() + partition.skew() : payload.created();
  const Offset offset = partition.append(payload, time);
  payload.set_entered();
  note(payload.digest());
  note(static_cast<std::uint64_t>(to_ms(time)) * 31 + static_cast<std::uint64_t>(offset.value));
  if (on_append_) on_append_(partition.topic(), partition.id(), partition.at(offset));
  for (const auto& wake : partition.take_waiting()) wake();
  return offset;
}

void SimulatedCluster::trim(std::string_view topic, PartitionId partition, Offset before) {
  Partition* const of = find(topic, partition);
  PENSTOCK_CHECK(of != nullptr, "the topic has been created");
  of->trim(before);
}

void SimulatedCluster::note(std::uint64_t what) {
  const auto time = static_cast<std::uint64_t>(now().time_since_epoch().count());
  for (const std::uint64_t word : {what, time}) {
    history_ = (history_ ^ word) * 0x9e3779b97f4a7c15ULL;
    history_ ^= history_ >> 29;
  }
}

std::uint64_t SimulatedCluster::attach(SimulatedSession& session) {
  const std::uint64_t id = unique();
  sessions_.emplace(id, &session);
  return id;
}

SimulatedSession* SimulatedCluster::session(std::uint64_t id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

std::vector<SimulatedSession*> SimulatedCluster::sessions_of(const SimulatedHost& host) const {
  std::vector<SimulatedSession*> all;
  for (const auto& [id, session] : sessions_)
    if (&session->host() == &host) all.push_back(session);
  return all;
}

}  // namespace penstock
