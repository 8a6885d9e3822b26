// A file or standard input as a stream that can be ended from another thread: who waits for more of
// it (a pipe, a terminal) then sees its end. One thread reads; stop() may be called from any, and
// from a signal's thread.
#pragma once

#include <array>
#include <atomic>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>

#include "topics/result.h"

namespace penstock {

class StoppableInput final : private std::streambuf {
 public:
  // `path` may be "-": standard input.
  [[nodiscard]] static Result<std::unique_ptr<StoppableInput>> open(const std::string& path);
  ~StoppableInput() override;

  [[nodiscard]] std::istream& stream() { return stream_; }
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  StoppableInput(int file, int stop);
  int_type underflow() override;
  [[nodiscard]] bool wait_for_more() const;

  const int file_;
  const int stop_;  // an eventfd
  std::atomic<bool> stopped_ = false;
  std::array<char, 64u << 10> buffer_;
  std::istream stream_;
};

}  // namespace penstock
