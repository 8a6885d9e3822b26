// Reads a topic once, each partition from one offset to another, without a consumer group, and
// calls a function for each record: to list and resend dead records, and to see what a replay would
// do. The ranges usually come from Log::offsets_at.
//
//   TopicScan scan(session, topic, ranges);
//   const Status read = scan.run([&](PartitionId, const LogRecord&) { ...; return true; });
//
// What always holds:
// - Each partition's records come in offset order, none twice, and none outside its range.
// - It ends: once each partition has reached its end, or with an error after `Patience::answer`
//   without an answer. A part of a range that cannot be read is in gaps() and is not waited for:
//   what retention has removed, and offsets at which no record lies (a transaction's markers).
//
// run() blocks. The session is the scan's alone meanwhile, on the calling thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

// The records of a partition from `from` to before `end`; empty if they are equal.
struct ScanRange {
  Offset from;
  Offset end;
};

// The part of a range that was not read, from `from` to before `to`.
struct ScanGap {
  enum class Why : std::uint8_t {
    kRemoved,  // by retention or DeleteRecords, before it was read
    kAbsent,   // the broker answers, but has no record there
  };
  PartitionId partition;
  Offset from;
  Offset to;
  Why why;
};

class TopicScan final : private LogListener {
 public:
  static constexpr std::size_t kMaxGaps = 10'000;  // further ones only end the scan's waiting

  struct Patience {
    // After this much silence, the bounds are asked for; after as much again, what has not come is
    // absent.
    std::chrono::milliseconds silence{5'000};
    std::chrono::milliseconds answer{30'000};  // without any progress
  };

  // False ends the scan.
  using OnRecord = std::function<bool(PartitionId partition, const LogRecord& record)>;

  // One range per partition, from partition 0 on. The session must outlive this.
  TopicScan(LogSession& session, std::string topic, const std::vector<ScanRange>& ranges,
            Patience patience);
  TopicScan(LogSession& session, std::string topic, const std::vector<ScanRange>& ranges)
      : TopicScan(session, std::move(topic), ranges, Patience()) {}

  // At most once. Success: everything was read, or `on_record` has returned false. `stopped` is
  // asked several times per second; true ends the scan with an error.
  [[nodiscard]] Status run(const OnRecord& on_record, const std::function<bool()>& stopped = {});

  // The next offset that on_record would get.
  [[nodiscard]] Offset position(PartitionId partition) const {
    return parts_[static_cast<std::size_t>(partition)].range.from;
  }
  [[nodiscard]] const std::vector<ScanGap>& gaps() const { return gaps_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Part {
    ScanRange range;  // of what is still to come
    bool reading = false;
    bool asking = false;                          // for its bounds
    std::optional<Clock::time_point> asked = {};  // in this silence; when the answer came

    [[nodiscard]] bool is_open() const { return range.from < range.end; }
  };

  void begin(PartitionId partition);
  void pass_over(PartitionId partition, Offset to, ScanGap::Why why);
  void close_all();
  void progress();
  void look_into_silence();
  void ask(PartitionId partition);
  [[nodiscard]] Status trouble() const;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] TopicPartition at(PartitionId partition) const { return {topic_, partition}; }
  [[nodiscard]] Part& part(PartitionId partition) {
    return parts_[static_cast<std::size_t>(partition)];
  }

  void on_records(TopicPartition from, std::span<const LogRecord> records) override;
  void on_out_of_range(TopicPartition from, Offset position) override;
  void on_truncated(TopicPartition from, Offset position) override;
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override;
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override;
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}

  LogSession& session_;
  const std::string name_;
  const Patience patience_;
  TopicId topic_;
  std::vector<Part> parts_;
  std::vector<ScanGap> gaps_;
  const OnRecord* on_record_ = nullptr;
  bool ended_ = false;  // by on_record
  Clock::time_point last_progress_;
  std::string trouble_;  // that the session recovers from, the latest
  std::string fatal_;
};

}  // namespace penstock
