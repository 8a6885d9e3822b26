// `enqueue --from`: sends every good line of a stream of JSON lines, and lists the others by number
// at the end. If Kafka does not acknowledge a line, or the user stops it, reading stops, and the
// report says up to which line everything is safe and how to go on.
//
// The caller's thread reads the lines and writes the results; the producer's answers wait for it in
// a list, which the producer's buffer bounds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <istream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enqueue/line_source.h"
#include "cli/program/output.h"
#include "cli/program/program.h"
#include "cli/program/progress.h"
#include "penstock/producer.h"
#include "producer/json_line.h"

namespace penstock {

// The lines beyond this number are only counted.
inline constexpr std::size_t kMaxListedLines = 10'000;

class LineEnqueuer {
 public:
  LineEnqueuer(Producer& producer, Output& output, std::string queue);

  // Asked after each line: true ends the reading, and the report says how to go on.
  void on_stop(std::function<bool()> stopped) { stopped_ = std::move(stopped); }
  // `total_bytes` is the size of the stream if known, for the progress bar. Returns kFailed if any
  // line was bad.
  [[nodiscard]] Exit run(std::istream& in, std::optional<std::uint64_t> total_bytes);

 private:
  struct Answered {
    std::uint64_t line;
    std::string account;  // only with --json
    Delivery delivery;
  };
  struct BadLine {
    std::uint64_t number;
    std::string message;
  };
  struct SentLine {
    std::uint64_t number;
    bool acknowledged;
  };

  [[nodiscard]] bool send(const InputLine& line);  // false: stopped before
  [[nodiscard]] bool wait_for_space(std::size_t bytes);
  void take_answers();
  void show(const Answered& answered);
  void note_bad(std::uint64_t number, const Failure& failure);
  void note_bad(std::uint64_t number, std::string message);
  void acknowledge(std::uint64_t sequence);
  void wait_for_the_rest();
  [[nodiscard]] bool is_stopped() const { return stopped_ && stopped_(); }
  [[nodiscard]] Exit report(bool read_all, std::uint64_t last_line);
  void report_stop(std::uint64_t last_line);

  Producer& producer_;
  Output& output_;
  const std::string queue_;
  JsonLineReader reader_;
  std::uint64_t sent_ = 0;
  std::uint64_t bad_ = 0;
  bool gave_up_ = false;
  std::function<bool()> stopped_;
  std::uint64_t sequence_ = 0;  // how many lines have been handed to the producer
  std::vector<BadLine> listed_;

  std::mutex mutex_;
  std::vector<Answered> answers_;
  std::uint64_t acknowledged_ = 0;  // the ones that need no output of their own
  std::deque<SentLine> unsafe_;     // from the first line that has not been acknowledged
  std::uint64_t first_unsafe_ = 0;  // its sequence number
};

}  // namespace penstock
