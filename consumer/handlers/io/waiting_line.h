// The attempts that an executor has taken but not begun, first in, first out. Bounded by the Inbox
// through which they come. Belongs to the executor's thread.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "consumer/handlers/io/inbox.h"

namespace penstock {

class WaitingLine {
 public:
  void push(StartCommand start) { line_.push_back(std::move(start)); }
  [[nodiscard]] std::size_t size() const { return line_.size(); }
  [[nodiscard]] bool empty() const { return line_.empty(); }

  // The first attempt; empty if there is none.
  [[nodiscard]] std::optional<StartCommand> pop() {
    if (line_.empty()) return std::nullopt;
    std::optional<StartCommand> first(std::move(line_.front()));
    line_.pop_front();
    return first;
  }

  // Removes the attempt; empty if it does not wait here.
  [[nodiscard]] std::optional<StartCommand> remove(const AttemptKey& key) {
    for (auto it = line_.begin(); it != line_.end(); ++it) {
      if (it->request.key != key) continue;
      std::optional<StartCommand> found(std::move(*it));
      line_.erase(it);
      return found;
    }
    return std::nullopt;
  }

 private:
  std::deque<StartCommand> line_;
};

}  // namespace penstock
