// `?wait=admitted|ended&timeout=10s`: waits until the workers have said what has become of jobs.
//
// The watch must begin before the jobs are sent, so that nothing is missed. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/request/message.h"
#include "api/request/problem.h"
#include "api/source/source.h"

namespace penstock {

inline constexpr std::chrono::milliseconds kDefaultWait{10'000}, kMaxWait{60'000};
inline constexpr std::size_t kMaxWaitedJobs = 10'000;

struct AskedWait {
  enum class For : std::uint8_t { kNothing, kAdmission, kEnd };
  For what = For::kNothing;
  std::chrono::milliseconds timeout = kDefaultWait;

  // From the parameters `wait` and `timeout`.
  [[nodiscard]] static tl::expected<AskedWait, Problem> of(const ApiRequest& request);
};

// What has become of a job by the end of the wait.
struct WaitedState {
  std::string state;         // "admitted", "duplicate", or how it ended; empty: not known
  std::string duplicate_of;  // the id of the job that it repeats, or was folded into
  std::string reason;        // why it ended so; may be empty
};

class JobWait {
 public:
  // The jobs that the source watches; `asked` must be for something.
  [[nodiscard]] static tl::expected<JobWait, SourceError> begin(
      Source& source, const std::string& queue, const std::vector<JobIdentity>& jobs,
      const AskedWait& asked);

  // The record of that number is at this offset; of records without one, nothing is awaited.
  void sent(std::size_t number, Offset offset) { offsets_[number] = offset; }
  // Blocks until all is known, or the time is over, or `stopped` returns true.
  [[nodiscard]] std::vector<WaitedState> wait(const std::function<bool()>& stopped);

 private:
  JobWait(std::vector<JobIdentity> jobs, const AskedWait& asked);
  [[nodiscard]] bool enough(const WatchBoard::Changes& changes) const;
  [[nodiscard]] const WatchedChange* decisive(std::size_t number,
                                              const std::vector<WatchedChange>& changes) const;

  std::vector<JobIdentity> jobs_;
  AskedWait asked_;
  std::vector<std::optional<Offset>> offsets_;
  std::vector<bool> watched_;
  // Shared with the loops, which may write to it after the wait is over.
  std::shared_ptr<WatchBoard> board_;
};

[[nodiscard]] WaitedState waited_state(const JobIdentity& job, const WatchedChange& change);

}  // namespace penstock
