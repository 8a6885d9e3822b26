// Reads the control topic for a loop, from its start and then continuously. It knows when it has
// read as far as a new owner of a partition must: to the end that the topic had after the claim. So
// a pause or a limit of 0 holds across a failover, whichever owner applied it first.
//
// Belongs to the loop's thread. The topic is compacted, so missing offsets are skipped. Its last
// record always remains (Kafka does not compact an active segment), so the end is reached when that
// record has arrived. Silence proves nothing, because a halt may follow while a broker cannot be
// read; after kSilence, the notice says why nothing starts.
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
  // Whether it keeps what partitions report of replays, which no loop needs.
  enum class Reports : std::uint8_t { kIgnored, kKept };
  ControlReader(LogSession& session, TopicId topic, Notice notice,
                Reports reports = Reports::kIgnored);

  // A partition is being taken over: nothing may start before everything that the topic contains
  // now has been read.
  void read_to_end(Now now);
  [[nodiscard]] bool is_read() const { return !asking_ && position_ >= wanted_; }

  [[nodiscard]] bool reads(TopicId topic) const { return topic == from_.topic; }
  void on_bounds(const Result<Bounds>& bounds, Now now);
  void on_records(std::span<const LogRecord> records, Now now);
  void on_out_of_range(Now now);
  void tick(Now now);

  [[nodiscard]] const Control& control() const { return control_; }
  // Whether it has changed since the last call.
  [[nodiscard]] bool take_changed() { return std::exchange(changed_, false); }

 private:
  LogSession& session_;
  TopicPartition from_;
  Notice notice_;
  Reports reports_;
  Control control_;
  bool changed_ = false;
  bool asking_ = false;  // waiting for the bounds
  bool reading_ = false;
  bool failed_ = false;  // has reported that the topic cannot be read
  bool silent_ = false;  // has reported that nothing arrives
  Offset position_{-1};  // the next offset that may arrive
  Offset wanted_{0};
  Instant last_progress_{};
  Instant ask_at_{};
};

}  // namespace penstock
