// A program with a thread of its own, and then a worker with a C++ handler that goes through rows, a follow-up job and a checkpoint for each,
// and one for the follow-ups. Both note what they do: JSON lines, each written by one call.
//
//   long_worker CONFIG NOTES
//   note := {"what": "start" | "row" | "end" | "page", "id", "row"}
#include <fcntl.h>
#include <penstock/worker.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <latch>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

class Notes {
 public:
  explicit Notes(const char* path) : fd_(open(path, O_WRONLY | O_CREAT | O_APPEND, 0600)) {}

  void write(const char* what, const penstock::Attempt& attempt, int row) const {
    const nlohmann::json note{{"what", what}, {"id", attempt.id()}, {"row", row}};
    const std::string line = note.dump() + "\n";
    if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      std::perror("a note");
    }
  }

 private:
  const int fd_;
};

// A row's work: it ends when it is to stop, or after 20 ms.
void take_a_while(const penstock::Attempt& attempt) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable().wait_for(lock, std::chrono::milliseconds(20),
                                     [&] { return attempt.stop_requested(); });
}

penstock::Outcome go_through_rows(penstock::Attempt& attempt, const Notes& notes) {
  const int rows = attempt.args().at("rows");
  int row = attempt.cursor().is_null() ? 0 : attempt.cursor().get<int>();
  notes.write("start", attempt, row);
  for (; row < rows; ++row) {
    take_a_while(attempt);
    notes.write("row", attempt, row);
    attempt.enqueue({.type = "page", .args = {{"row", row}}});
    attempt.checkpoint(row + 1);
  }
  notes.write("end", attempt, rows);
  return penstock::done();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: long_worker CONFIG NOTES\n", stderr);
    return 2;
  }
  const Notes notes(arguments[2]);
  // It has no signal blocked: a graceful stop must not depend on which thread gets the signal.
  std::latch ends(1);
  std::jthread own([&] { ends.wait(); });
  penstock::Worker worker({.config = arguments[1]});
  worker.handle("rows",
                [&](penstock::Attempt& attempt) { return go_through_rows(attempt, notes); });
  worker.handle("page", [&](penstock::Attempt& attempt) {
    notes.write("page", attempt, attempt.args().at("row"));
    return penstock::done();
  });
  const int status = worker.run();
  ends.count_down();
  return status;
}
