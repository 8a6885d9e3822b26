// The ids of topics in a session, by name: each topic is named to the session once.
//
// Belongs to one loop and its thread.
#pragma once

#include <map>
#include <string>

#include "topics/log.h"

namespace penstock {

class TopicIds {
 public:
  explicit TopicIds(LogSession& session) : session_(session) {}

  [[nodiscard]] TopicId of(const std::string& name) {
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    return ids_[name] = session_.topic(name);
  }
  // A second handle, to read the topic at another position.
  [[nodiscard]] TopicId second_of(const std::string& name) {
    const auto found = second_ids_.find(name);
    if (found != second_ids_.end()) return found->second;
    return second_ids_[name] = session_.second_topic(name);
  }

 private:
  LogSession& session_;
  std::map<std::string, TopicId> ids_, second_ids_;
};

}  // namespace penstock
