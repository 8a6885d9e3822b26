#include "topics/embedded/disk/catalog.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "topics/values/whole_number.h"

namespace penstock::embedded {
namespace {

constexpr int kMaxPartitions = 10000;
constexpr std::size_t kMaxNameBytes = 249;  // Kafka's limit

Result<std::int64_t> parse_number(const TopicProperty& property, std::int64_t least) {
  const auto number = whole_number<std::int64_t>(property.value);
  if (!number || *number < least) {
    return failure("property " + property.name + " is \"" + property.value +
                   "\", expected an integer of at least " + std::to_string(least));
  }
  return *number;
}

Status apply_number(const TopicProperty& property, TopicRules& rules) {
  // As in Kafka, only retention can be switched off with -1.
  const bool unlimited_allowed = property.name.starts_with("retention.");
  const Result<std::int64_t> number = parse_number(property, unlimited_allowed ? -1 : 1);
  if (!number) return tl::unexpected<Error>(number.error());
  const bool unlimited = *number == -1;
  if (property.name == "retention.ms") {
    rules.retention.age = unlimited ? std::nullopt : std::optional(Duration(*number));
  } else if (property.name == "retention.bytes") {
    rules.retention.bytes = unlimited ? std::nullopt : std::optional(*number);
  } else if (property.name == "segment.bytes") {
    rules.retention.segment_bytes = *number;
  } else if (property.name == "max.message.bytes") {
    rules.max_message_bytes = static_cast<std::size_t>(*number);
  }
  return {};
}

bool is_number(const std::string& name) {
  return name == "retention.ms" || name == "retention.bytes" || name == "segment.bytes" ||
         name == "max.message.bytes";
}

Status check_name(const std::string& name) {
  const auto legal = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." &&
      std::all_of(name.begin(), name.end(), legal)) {
    return {};
  }
  return failure("topic name \"" + name + "\" is not 1 to 249 of A-Za-z0-9._-");
}

Status check_settings(const TopicSettings& topic) {
  if (Status name = check_name(topic.name); !name) return name;
  if (topic.partitions < 1 || topic.partitions > kMaxPartitions) {
    return failure("topic " + topic.name + ": " + std::to_string(topic.partitions) +
                   " partitions, expected 1 to " + std::to_string(kMaxPartitions));
  }
  if (topic.replication != 1) {
    return failure("topic " + topic.name + ": replication " + std::to_string(topic.replication) +
                   ", but the embedded log is one process: use 1");
  }
  return {};
}

void set_property(std::vector<TopicProperty>& config, const TopicProperty& property) {
  const auto same = std::find_if(config.begin(), config.end(),
                                 [&](const TopicProperty& p) { return p.name == property.name; });
  if (same == config.end()) {
    config.push_back(property);
  } else {
    same->value = property.value;
  }
}

// Random, so that it also differs from a topic's id in an earlier directory of the same name.
TopicUuid new_uuid() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
  // Never all zeros, because such an id counts as unknown.
  return {word() | 1, word()};
}

std::vector<std::unique_ptr<Partition>> new_partitions(const TopicRow& row) {
  std::vector<std::unique_ptr<Partition>> partitions;
  for (PartitionId id = 0; id < row.settings.partitions; ++id) {
    partitions.push_back(
        std::make_unique<Partition>(PartitionKey{row.id, id}, Offset{0}, Segments{}));
  }
  return partitions;
}

Error corrupt(const Store& store, const std::string& topic) {
  return {"the embedded log in " + store.directory() + " has a corrupt row for topic " + topic +
          ": restore the directory from a copy, or remove it to start with an empty log"};
}

Result<std::unique_ptr<Partition>> load_partition(Store& store, const std::string& topic,
                                                  PartitionKey key) {
  std::optional<Offset> start = Offset{0};
  std::deque<Segment> segments;
  bool sound = true;
  Status status = store.scan(start_key(key), [&](std::string_view, std::string_view row) {
    start = parse_offset_row(row);
    return false;
  });
  if (!status) return tl::unexpected<Error>(status.error());
  status = store.scan(segment_prefix(key), [&](std::string_view at, std::string_view row) {
    const std::optional<Segment> segment = parse_segment_row(at, row);
    sound = segment && (segments.empty() || segments.back().end() == segment->base);
    if (sound) segments.push_back(*segment);
    return sound;
  });
  if (!status) return tl::unexpected<Error>(status.error());
  if (!start || !sound) return tl::unexpected<Error>(corrupt(store, topic));
  return std::make_unique<Partition>(key, *start, Segments(std::move(segments)));
}

}  // namespace

Result<TopicRules> parse_rules(const std::vector<TopicProperty>& config) {
  TopicRules rules;
  bool compacted = false;
  for (const TopicProperty& property : config) {
    if (property.name == "cleanup.policy") compacted = property.value == "compact";
    if (!is_number(property.name)) continue;
    if (Status status = apply_number(property, rules); !status) {
      return tl::unexpected<Error>(status.error());
    }
  }
  if (compacted) {
    rules.retention.age.reset();
    rules.retention.bytes.reset();
  }
  return rules;
}

Topic::Topic(TopicRow row, TopicRules rules, std::vector<std::unique_ptr<Partition>> partitions)
    : name_(row.settings.name),
      uuid_(row.uuid),
      partitions_(std::move(partitions)),
      row_(std::move(row)),
      rules_(rules) {
  apply_rules();
}

void Topic::apply_rules() {
  // Copied into atomic members, which appends and the writer read without the lock.
  max_message_bytes_ = rules_.max_message_bytes;
  for (const auto& partition : partitions_) {
    partition->set_segment_bytes(rules_.retention.segment_bytes);
  }
}

Partition* Topic::partition(PartitionId id) const {
  if (id < 0 || id >= partition_count()) return nullptr;
  return partitions_[static_cast<std::size_t>(id)].get();
}

TopicRules Topic::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

TopicRow Topic::row() const {
  const std::lock_guard lock(mutex_);
  return row_;
}

void Topic::change(TopicRow row, TopicRules rules) {
  const std::lock_guard lock(mutex_);
  row_ = std::move(row);
  rules_ = rules;
  apply_rules();
}

Status Catalog::load() {
  std::vector<TopicRow> rows;
  std::optional<std::string> bad;
  Status status = store_.scan(kTopicPrefix, [&](std::string_view key, std::string_view bytes) {
    std::optional<TopicRow> row = parse_topic_row(key, bytes);
    if (!row) bad = std::string(key.substr(kTopicPrefix.size()));
    if (row) rows.push_back(std::move(*row));
    return !bad;
  });
  if (bad) return tl::unexpected<Error>(corrupt(store_, *bad));
  for (std::size_t i = 0; status && i < rows.size(); ++i) status = load_topic(std::move(rows[i]));
  return status;
}

Status Catalog::load_topic(TopicRow row) {
  const std::string name = row.settings.name;
  Result<TopicRules> rules = parse_rules(row.settings.config);
  // They were checked before they were stored.
  if (!rules) return tl::unexpected<Error>(corrupt(store_, name));
  std::vector<std::unique_ptr<Partition>> partitions;
  for (PartitionId id = 0; id < row.settings.partitions; ++id) {
    auto partition = load_partition(store_, name, PartitionKey{row.id, id});
    if (!partition) return tl::unexpected<Error>(partition.error());
    partitions.push_back(std::move(*partition));
  }
  next_id_ = std::max(next_id_, row.id + 1);
  topics_.emplace(name, std::make_unique<Topic>(std::move(row), *rules, std::move(partitions)));
  return {};
}

Status Catalog::create(const TopicSettings& settings) {
  if (Status status = check_settings(settings); !status) return status;
  const Result<TopicRules> rules = parse_rules(settings.config);
  if (!rules) return failure("topic " + settings.name + ": " + rules.error().message);
  const std::lock_guard lock(mutex_);
  if (topics_.contains(settings.name)) {
    return failure("topic " + settings.name + " already exists: describe it or configure it");
  }
  TopicRow row{next_id_, new_uuid(), settings};
  Changes changes;
  changes.put(topic_key(settings.name), topic_row(row));
  // Before the topic can be found, because nobody may use one that a restart would lose.
  if (Status status = store_.write(changes, true); !status) return status;
  ++next_id_;
  auto partitions = new_partitions(row);
  topics_.emplace(settings.name,
                  std::make_unique<Topic>(std::move(row), *rules, std::move(partitions)));
  return {};
}

Status Catalog::configure(const std::string& name, const std::vector<TopicProperty>& config) {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(name);
  if (found == topics_.end()) return failure("topic " + name + " does not exist: create it first");
  TopicRow row = found->second->row();
  for (const TopicProperty& property : config) set_property(row.settings.config, property);
  const Result<TopicRules> rules = parse_rules(row.settings.config);
  if (!rules) return failure("topic " + name + ": " + rules.error().message);
  Changes changes;
  changes.put(topic_key(name), topic_row(row));
  if (Status status = store_.write(changes, true); !status) return status;
  found->second->change(std::move(row), *rules);
  return {};
}

Topic* Catalog::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.get();
}

std::vector<Topic*> Catalog::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Topic*> topics;
  for (const auto& [name, topic] : topics_) topics.push_back(topic.get());
  return topics;
}

}  // namespace penstock::embedded
