// The administrative calls of a Log. They block. Each call creates its own client, so they may be
// made from any thread.
#pragma once

#include <string>
#include <vector>

#include "topics/kafka/client/client_conf.h"
#include "topics/log.h"

namespace penstock::kafka {

[[nodiscard]] Status create_topic(const Properties& properties, const TopicSettings& topic);
[[nodiscard]] Status configure_topic(const Properties& properties, const std::string& topic,
                                     const std::vector<TopicProperty>& config);
[[nodiscard]] Result<TopicDescription> describe_topic(const Properties& properties,
                                                      const std::string& topic);
[[nodiscard]] Result<int> count_brokers(const Properties& properties);
[[nodiscard]] Result<std::vector<OffsetsAt>> offsets_at(const Properties& properties,
                                                        const std::string& topic, Time at);

}  // namespace penstock::kafka
