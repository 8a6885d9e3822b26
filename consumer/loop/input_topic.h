// Whether a partition's input is still the one that the state's place in it is of: the state keeps
// the id of its topic (row kMetaInputTopic). Pure.
#pragma once

#include <string>

#include "state/store/view.h"
#include "topics/log.h"
#include "topics/names.h"

namespace penstock {

// An error says what has happened to the topic and the way out. `next` is the state's place.
[[nodiscard]] Status check_input_topic(View& view, const QueueNames& names, Offset next,
                                       const Bounds& bounds);

// Why a partition is not read on whose records below `position` have gone from the log's end.
[[nodiscard]] std::string truncated_input(const QueueNames& names, PartitionId partition,
                                          Offset position);
// Why a state without a place in the input is not believed: the group has committed one.
[[nodiscard]] std::string lost_state(const QueueNames& names, Offset committed);

// The state's place is of this topic, from the commit that is being built on.
void note_input_topic(View& view, TopicUuid topic);

}  // namespace penstock
