// Checks that a partition's input is still the topic that the state's input position refers to: the
// state keeps the topic's id (row kMetaInputTopic). Used on the thread of the partition's loop.
#pragma once

#include <string>

#include "state/store/view.h"
#include "topics/log.h"
#include "topics/names.h"

namespace penstock {

// The error says what has happened to the topic and what to do. `next` is the state's input
// position.
[[nodiscard]] Status check_input_topic(View& view, const QueueNames& names, Offset next,
                                       const Bounds& bounds);

// Why reading stops at a partition whose records below `position` have gone from the log's end.
[[nodiscard]] std::string truncated_input(const QueueNames& names, PartitionId partition,
                                          Offset position);
// Why a state without an input position is not accepted: the group has committed an offset.
[[nodiscard]] std::string lost_state(const QueueNames& names, Offset committed);

// Notes in the commit being built that the state's input position refers to this topic.
void note_input_topic(View& view, TopicUuid topic);

}  // namespace penstock
