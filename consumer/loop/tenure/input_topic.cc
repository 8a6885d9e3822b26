#include "consumer/loop/tenure/input_topic.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

TopicUuid noted_input_topic(View& view) {
  std::string bytes;
  if (!view.get(keys::kMetaInputTopic, &bytes)) return {};
  Cursor cursor(bytes);
  const std::uint64_t high = cursor.u64();
  return {high, cursor.u64()};
}

// Starting with nothing is the only way to continue without guessing.
std::string give_up_both(const QueueNames& names) {
  return "To give the old jobs up, stop all workers of the queue, delete " + names.topic() +
         " and " + names.state_topic() + " and the group " + names.group() +
         ", run `penstock topics create` and start the workers again";
}

}  // namespace

Status check_input_topic(View& view, const QueueNames& names, Offset next, const Bounds& bounds) {
  const TopicUuid noted = noted_input_topic(view);
  if (are_different(noted, bounds.topic)) {
    return failure("the queue's topic " + names.topic() +
                   " was deleted and created again: its id is " + to_text(bounds.topic) +
                   ", and the state has taken records up to offset " + std::to_string(next.value) +
                   " of the topic with the id " + to_text(noted) + ". " + give_up_both(names));
  }
  // Also catches a topic that was created again if the brokers tell no ids.
  if (next > bounds.end) {
    return failure("the queue's topic ends at offset " + std::to_string(bounds.end.value) +
                   " but the state has taken records up to " + std::to_string(next.value) +
                   ": the topic was truncated, or deleted and created again. Restore it. " +
                   give_up_both(names));
  }
  return {};
}

std::string truncated_input(const QueueNames& names, PartitionId partition, Offset position) {
  return "the queue's topic " + names.topic() + ", partition " + std::to_string(partition) +
         ", has lost records below offset " + std::to_string(position.value) +
         " that were taken from it (an unclean election), and others may have taken their places: "
         "those are skipped. Find the records that were sent since, send them again, and start "
         "the worker again: it continues from that offset";
}

std::string lost_state(const QueueNames& names, Offset committed) {
  return "the state has no position in the queue's topic, but the group " + names.group() +
         " has committed offset " + std::to_string(committed.value) +
         ": the state was lost, and with it the knowledge of what has been done. Restore the "
         "topic " +
         names.state_topic() + "; or delete the group's offsets, and every record is read again";
}

void note_input_topic(View& view, TopicUuid topic) {
  // Without a change there is no row, so an idle partition does not become dirty.
  if (!topic.known() || noted_input_topic(view) == topic) return;
  std::string bytes;
  put_u64(bytes, topic.high);
  put_u64(bytes, topic.low);
  view.put(keys::kMetaInputTopic, bytes);
}

}  // namespace penstock
