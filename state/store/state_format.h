// The format that a partition's state is written in, and the rule for changing it, so that a
// rolling upgrade can be undone:
//
//  - a worker that knows the formats up to N takes a state over that is written in N - 1 or N;
//  - it goes on in the state's own format, which the workers of the release before can read;
//  - when the operator says that all workers are new (`penstock upgrade finish`), the state's
//    format becomes N; it never goes back;
//  - a state that begins is written in N - 1, unless the operator has said so before.
//
// The number covers all that a partition writes for others to read: its rows, and its messages to
// other partitions. What is there when the format becomes N stays as it was written, so a reader of
// N reads it too. The first release has format 1 alone.
//
// Used by the partition's one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "state/store/view.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::uint32_t kNewestFormat = 1;

class StateFormat {
 public:
  // `newest`: what the worker knows.
  StateFormat(View& view, std::uint32_t newest) : view_(view), newest_(newest) {}

  // Whether a worker that knows `newest` can take over these rows; if not, the way out.
  [[nodiscard]] static Status check(View& view, std::string_view queue, std::uint32_t newest);
  // The rows are those of the log.
  void restored();
  // The operator has said that every worker knows this format; 0: nobody has said anything. Where
  // it is more than this worker knows, what it knows. Only after restored().
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
