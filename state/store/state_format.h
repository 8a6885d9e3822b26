// The format in which a partition's state is written, and the rules for changing it, so that a
// rolling upgrade can be undone:
//
//  - A worker that knows the formats up to N can take over a state that is written in N - 1 or N.
//  - It continues in the state's own format, which workers of the previous release can read.
//  - When the operator says that all workers are new (`penstock upgrade finish`), the state's
//    format becomes N. It never goes back.
//  - A new state is written in N - 1, unless the operator has said so before.
//
// The number covers everything that a partition writes for others to read: its rows, and its
// messages to other partitions. Rows that exist when the format becomes N stay as they were
// written, so a reader of N must read those too. The first release has only format 1.
//
// Used on the thread of the partition's loop.
#pragma once

#include <cstdint>
#include <string_view>

#include "state/store/view.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::uint32_t kNewestFormat = 1;

class StateFormat {
 public:
  // `newest`: the newest format that the worker knows.
  StateFormat(View& view, std::uint32_t newest) : view_(view), newest_(newest) {}

  // Whether a worker that knows `newest` can take over these rows. If not, the error says what to
  // do.
  [[nodiscard]] static Status check(View& view, std::string_view queue, std::uint32_t newest);
  // The rows are those of the log.
  void restored();
  // The operator has said that every worker knows this format; 0: the operator has said nothing.
  // If this worker does not know it, the newest format that it knows is written. Only after
  // restored().
  void finish(std::uint32_t format);
  // The format to write.
  [[nodiscard]] std::uint32_t written() const { return written_; }

 private:
  void write(std::uint32_t format);

  View& view_;
  const std::uint32_t newest_;
  std::uint32_t written_ = 0;
};

}  // namespace penstock
