#include "topics/names.h"

#include <algorithm>
#include <array>

#include "topics/values/check.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr std::array<std::string_view, 2> kSharedTopics = {"control", "slots"};
constexpr std::array<std::string_view, 3> kSuffixes = {".state", ".dead", ".events"};

bool is_topic_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

Status check_letters(std::string_view what, std::string_view name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_topic_letter)) return {};
  return failure(std::string(what) + " \"" + excerpt(name) +
                 "\" is invalid: use one or more of A-Z a-z 0-9 . _ -");
}

std::string joined(std::string_view prefix, std::string_view name) {
  return std::string(prefix) + '.' + std::string(name);
}

}  // namespace

Status check_prefix(std::string_view prefix) { return check_letters("prefix", prefix); }

Status check_queue_name(std::string_view prefix, std::string_view queue) {
  if (auto status = check_prefix(prefix); !status) return status;
  if (auto status = check_letters("queue name", queue); !status) return status;
  const std::string named = "queue name \"" + excerpt(queue) + "\" is invalid: ";
  if (std::find(kSharedTopics.begin(), kSharedTopics.end(), queue) != kSharedTopics.end()) {
    return failure(named + "Penstock has a topic of its own with this name; choose another");
  }
  for (const std::string_view suffix : kSuffixes) {
    if (!queue.ends_with(suffix)) continue;
    return failure(named + "it must not end in " + std::string(suffix) +
                   ", which is how Penstock names a queue's own topics");
  }
  const std::size_t bytes = joined(prefix, queue).size();
  if (bytes <= kMaxQueueTopicBytes) return {};
  return failure(named + "with its prefix it has " + std::to_string(bytes) +
                 " bytes, expected at most " + std::to_string(kMaxQueueTopicBytes));
}

QueueNames::QueueNames(std::string_view prefix, std::string_view queue)
    : queue_(queue), topic_(joined(prefix, queue)) {
  // check_queue_name() refuses "slots" as a queue's name, but its topics are named by the same
  // rules.
  PENSTOCK_CHECK(queue == kSlotsQueue || check_queue_name(prefix, queue),
                 "a queue name that was not checked");
}

bool has_task(std::string_view topic) {
  return !topic.ends_with(".dead") && !topic.ends_with(".events");
}

std::string control_topic(std::string_view prefix) { return joined(prefix, "control"); }
std::string slots_topic(std::string_view prefix) { return joined(prefix, "slots"); }
std::string slots_state_topic(std::string_view prefix) { return joined(prefix, "slots.state"); }

std::string place_name(std::string_view topic, PartitionId partition, Offset offset) {
  constexpr std::size_t kNumbers = 2 * (1 + 20);
  std::string name;
  name.reserve(topic.size() + kNumbers);
  name.append(topic).append(1, '/').append(std::to_string(partition));
  return name.append(1, '/').append(std::to_string(offset.value));
}

}  // namespace penstock
