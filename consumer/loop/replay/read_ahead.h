// The records of one replay's source that were read and not taken yet, in the order of their
// offsets, with what the replay's program has answered.
//
// Belongs to the loop's thread; the program's answers come from another one.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/task/copies.h"
#include "topics/log.h"

namespace penstock {

// What a program has answered, from its own thread to the loop's.
struct ProgramAnswers {
  struct Answer {
    Offset offset;
    Result<std::string> line;
  };
  std::mutex mutex;
  LogSession* wakes = nullptr;  // null: nobody waits any more
  std::vector<Answer> answers;
};

class ReadAhead {
 public:
  // Records that may be with the program of a replay at once.
  static constexpr std::size_t kMaxAsked = 256;

  struct Kept {
    Offset offset;
    Time timestamp;
    std::optional<std::string> key, value;
    std::vector<Header> headers;
    // Where the records go through a program.
    bool is_asked = false, is_answered = false;
    std::optional<std::string> answer = {};
    // Good while both are.
    [[nodiscard]] LogRecord view(std::vector<HeaderView>& views) const;
    [[nodiscard]] std::size_t bytes() const;
  };

  ReadAhead(Copies::Reading of, TopicPartition from, Offset next)
      : of_(std::move(of)), from_(from), next_(next) {}
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  [[nodiscard]] const Copies::Reading& of() const { return of_; }
  [[nodiscard]] TopicPartition from() const { return from_; }
  // Of the record to read next, which is behind those that are kept.
  [[nodiscard]] Offset next() const { return next_; }
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::deque<Kept>& kept() { return kept_; }

  // These were read and are not kept. Not empty.
  void passed(std::span<const LogRecord> records) { next_ = records.back().offset.next(); }
  // Those before this one are gone. None is kept.
  void skip_to(Offset next) { next_ = next; }
  void keep(std::span<const LogRecord> records);
  void drop_first();

  // Asks the program for the first of the kept records, as far as it has not been asked.
  using Answer = std::function<void(Result<std::string>)>;
  using Program = std::function<void(std::string line, Answer answer)>;
  void ask(Copies& copies, const Program& program, LogSession& wakes);
  // Takes in what it has answered. A failure: that of the first record for which it has failed.
  [[nodiscard]] Status hear();

 private:
  const Copies::Reading of_;
  const TopicPartition from_;
  Offset next_;
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
  std::shared_ptr<ProgramAnswers> answers_;  // shared with calls that are on their way
};

}  // namespace penstock
