#include "cli/enqueue/enqueue_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/enqueue/enqueue_result.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

inline constexpr std::chrono::milliseconds kLookAtTheRestEvery{100};
inline constexpr std::chrono::milliseconds kPatienceOnceStopped{5'000};
inline constexpr std::uint64_t kLookEveryLines = 1'000;
inline constexpr std::size_t kRoomForAnId = 64;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == text.npos; }

std::string count_of(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

LineEnqueuer::LineEnqueuer(Producer& producer, Output& output, std::string queue)
    : producer_(producer), output_(output), queue_(std::move(queue)) {}

Exit LineEnqueuer::run(std::istream& in, std::optional<std::uint64_t> total_bytes) {
  LineSource lines(in, kMaxValueBytes);
  std::uint64_t last_line = 0;
  bool read_all = false;
  {
    // In a block of its own, so that the bar is gone before the report is written.
    Progress progress(output_, total_bytes ? "bytes" : "lines", total_bytes);
    while (!gave_up_ && !is_stopped()) {
      const auto line = lines.next();
      if (!line) {
        read_all = !is_stopped();
        break;
      }
      if (!send(*line)) break;
      last_line = line->number;
      if (last_line % kLookEveryLines == 0) take_answers();
      progress.update(total_bytes ? lines.bytes_read() : last_line);
    }
    wait_for_the_rest();
  }
  take_answers();
  return report(read_all, last_line);
}

bool LineEnqueuer::send(const InputLine& line) {
  if (is_blank(line.text)) return true;
  if (line.too_long) {
    note_bad(line.number,
             "longer than the " + std::to_string(kMaxValueBytes) + " bytes that a job may have");
    return true;
  }
  const auto job = reader_.read(line.text);
  if (!job) {
    note_bad(line.number, job.error());
    return true;
  }
  // The producer adds an id to a job that has none.
  const bool space = wait_for_space(job->account.size() + job->value.size() + kRoomForAnId);
  if (!space) return false;
  // Kept only for --json. Without it, a success has nothing to print, so it is only counted.
  auto account = output_.is_json() ? std::string(job->account) : std::string();
  const std::uint64_t sequence = sequence_++;
  {
    const std::lock_guard lock(mutex_);
    unsafe_.push_back({line.number, false});
  }
  producer_.send_raw(queue_, job->account, job->value,
                     [this, sequence, number = line.number, account](const Delivery& delivery) {
                       const std::lock_guard lock(mutex_);
                       // A line that was refused is listed, and sending it again would not help.
                       const bool gave_up =
                           delivery.failure && delivery.failure->reason == FailureReason::kGaveUp;
                       if (!gave_up) acknowledge(sequence);
                       if (!delivery.failure && account.empty()) {
                         ++acknowledged_;
                       } else {
                         answers_.push_back({number, account, delivery});
                       }
                     });
  return true;
}

// Under the lock.
void LineEnqueuer::acknowledge(std::uint64_t sequence) {
  unsafe_[sequence - first_unsafe_].acknowledged = true;
  while (!unsafe_.empty() && unsafe_.front().acknowledged) {
    unsafe_.pop_front();
    ++first_unsafe_;
  }
}

// Each line has its answer within the delivery timeout. A user who stops it may not want to wait so
// long for a Kafka that is away, and is told what is known by then.
void LineEnqueuer::wait_for_the_rest() {
  auto left = kPatienceOnceStopped;
  while (!producer_.flush(kLookAtTheRestEvery)) {
    take_answers();
    if (!is_stopped() || left <= left.zero()) continue;
    left -= kLookAtTheRestEvery;
    if (left > left.zero()) continue;
    const std::lock_guard lock(mutex_);
    output_.note(
        "Waiting for acknowledgements; Ctrl-C again ends it at once. Every line before line " +
        std::to_string(unsafe_.empty() ? 1 : unsafe_.front().number) +
        " is acknowledged, or will be listed as bad.");
  }
}

// False: stopped before there was any.
bool LineEnqueuer::wait_for_space(std::size_t bytes) {
  while (!producer_.wait_for_space(bytes, kLookAtTheRestEvery)) {
    take_answers();
    if (is_stopped()) return false;
  }
  return true;
}

void LineEnqueuer::take_answers() {
  std::vector<Answered> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
    sent_ += std::exchange(acknowledged_, 0);
  }
  for (const auto& answered : answers) show(answered);
}

void LineEnqueuer::show(const Answered& answered) {
  if (const auto& failure = answered.delivery.failure) {
    gave_up_ = gave_up_ || failure->reason == FailureReason::kGaveUp;
    return note_bad(answered.line, *failure);
  }
  ++sent_;
  output_.json(enqueue_json(queue_, answered.account, answered.delivery.sent));
}

void LineEnqueuer::note_bad(std::uint64_t number, const Failure& failure) {
  note_bad(number, failure_text(failure));
}

void LineEnqueuer::note_bad(std::uint64_t number, std::string message) {
  ++bad_;
  if (listed_.size() < kMaxListedLines) listed_.push_back({number, std::move(message)});
}

Exit LineEnqueuer::report(bool read_all, std::uint64_t last_line) {
  output_.note("Enqueued " + count_of(sent_, "job") + " to " + queue_ + ".");
  // Lines that Kafka did not acknowledge are listed later than those that were refused at once.
  std::sort(listed_.begin(), listed_.end(),
            [](const BadLine& a, const BadLine& b) { return a.number < b.number; });
  for (const auto& [number, message] : listed_) {
    output_.error("line " + std::to_string(number) + ": " + message);
  }
  if (bad_ > listed_.size()) {
    output_.error("and " + count_of(bad_ - listed_.size(), "more line") + " like these");
  }
  if (!read_all && !gave_up_) {
    report_stop(last_line);
  } else if (!read_all) {
    output_.error("stopped after line " + std::to_string(last_line) +
                  "; later lines were not read: send them when Kafka is back");
  }
  if (bad_ > 0) output_.error(count_of(bad_, "line") + " not enqueued");
  return bad_ > 0 || !read_all ? Exit::kFailed : Exit::kDone;
}

void LineEnqueuer::report_stop(std::uint64_t last_line) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t next = unsafe_.empty() ? last_line + 1 : unsafe_.front().number;
  const std::string again = "go on with line " + std::to_string(next) +
                            ", such as with `tail -n +" + std::to_string(next) +
                            " FILE | penstock enqueue --from - ...`";
  if (next > last_line) {
    output_.error("stopped after line " + std::to_string(last_line) +
                  "; every line up to it is acknowledged or listed above: " + again);
    return;
  }
  output_.error("stopped after line " + std::to_string(last_line) + "; every line before line " +
                std::to_string(next) + " is acknowledged or listed above, later ones may not be: " +
                again + " (jobs that have an id and did arrive are then dropped as duplicates)");
}

}  // namespace penstock
