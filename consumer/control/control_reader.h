// Reads the control topic for a loop, from its start and then for ever, and knows when it has read
// as far as somebody who takes a partition over must have: to the end that the topic had after the
// claim. So a pause or a halted limit holds across a failover, whoever applied it first.
//
// Belongs to a loop's thread. The topic is compacted: offsets that are gone are passed over. The
// last record always stays (Kafka compacts no active segment), so the end is reached when it has
// come. Silence proves nothing: while a broker cannot be read, a halt may lie behind it; after
// kSilence of it the notice is given why nothing starts.
#pragma once

#include <functional>
#include <string>

#include "consumer/control/control.h"
#include "topics/log.h"

namespace penstock {

class ControlReader {
 public:
  static constexpr std::chrono::seconds kSilence{10};
  static constexpr std::chrono::seconds kAskAgain{1};

  using Notice = std::function<void(const std::string&)>;
  ControlReader(LogSession& session, TopicId topic, Notice notice);

  // Something is taken over: what the topic holds by now must be read before anything starts.
  void read_to_end(Now now);
  [[nodiscard]] bool is_read() const { return !asking_ && position_ >= wanted_; }

  [[nodiscard]] bool reads(TopicId topic) const { return topic == from_.topic; }
  void on_bounds(const Result<Bounds>& bounds, Now now);
  void on_records(std::span<const LogRecord> records, Now now);
  void on_out_of_range(Now now);
  void tick(Now now);

  [[nodiscard]] const Control& control() const { return control_; }
  // Whether it has changed since this was asked last.
  [[nodiscard]] bool take_changed() { return std::exchange(changed_, false); }

 private:
  LogSession& session_;
  TopicPartition from_;
  Notice notice_;
  Control control_;
  bool changed_ = false;
  bool asking_ = false;  // for the bounds
  bool reading_ = false;
  bool failed_ = false;  // it was said that the topic cannot be read
  bool silent_ = false;  // or that nothing comes of it
  Offset position_{-1};  // the next that may come
  Offset wanted_{0};
  Instant last_progress_{};
  Instant ask_at_{};
};

}  // namespace penstock
