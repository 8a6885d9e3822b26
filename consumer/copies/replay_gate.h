// Where the copies of a paused replay wait, and whether the partition pauses the replay itself.
//
// What always holds: it is closed at once when the partition pauses the replay, before the control
// topic has been told, and opens when the replay is resumed.
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <string>

#include "consumer/replay/replay_record.h"
#include "consumer/schedule/gate.h"

namespace penstock {

class ReplayGate final : public Gate {
 public:
  explicit ReplayGate(std::string name) : name_(std::move(name)) {}

  // What is in force; absent: the replay is not known, or was deleted.
  void set(const std::optional<ReplayRecord>& record);
  // The partition pauses the replay for this reason, unless it does so already.
  void pause(const std::string& reason);
  [[nodiscard]] bool pauses_itself() const { return !own_reason_.empty(); }
  // Whether the control topic is to be told of that.
  [[nodiscard]] bool has_news() const { return pauses_itself() && !told_; }
  void told() { told_ = true; }
  [[nodiscard]] const std::string& own_reason() const { return own_reason_; }

  // Gate
  [[nodiscard]] std::int64_t room() const override {
    return said_.state == ReplayState::kPaused || pauses_itself() ? 0 : kOpen;
  }
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] Blocker blocker() const override { return {Waits::kReplay, name_}; }

 private:
  // Of what is in force.
  struct Said {
    std::optional<ReplayState> state;
    Time started_at{};
    std::uint64_t resumes = 0;
    friend bool operator==(const Said&, const Said&) = default;
  };

  const std::string name_;
  Said said_;
  std::string why_;         // what an operator or another partition has said of a pause
  std::string own_reason_;  // empty: this partition does not pause it
  bool told_ = false;
};

}  // namespace penstock
