// A file or standard input as a stream of lines that another thread can end: a reader that waits
// for more of it (a pipe, a terminal) then sees the end of the stream. Lines are passed on as they
// arrive, but only complete ones, so stopping leaves no partial line (except for lines above
// kMaxLineBytes, which are passed on in parts).
//
// One thread reads; stop() may be called from any thread, including that of a signal.
#pragma once

#include <atomic>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

class StoppableInput final : private std::streambuf {
 public:
  static constexpr std::size_t kMaxLineBytes = 2u << 20;

  // `path` may be "-" for standard input.
  [[nodiscard]] static Result<std::unique_ptr<StoppableInput>> open(const std::string& path);
  ~StoppableInput() override;

  [[nodiscard]] std::istream& stream() { return stream_; }
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  StoppableInput(int file, int stop);
  int_type underflow() override;
  // Takes what is available, without waiting for `count` bytes.
  std::streamsize xsgetn(char* to, std::streamsize count) override;
  [[nodiscard]] int_type hand_on(std::size_t bytes);
  [[nodiscard]] bool wait_for_more() const;

  const int file_;
  const int stop_;  // an eventfd
  std::atomic<bool> stopped_ = false;
  std::vector<char> buffer_;
  std::size_t handed_on_ = 0;  // in the buffer
  std::size_t filled_ = 0;     // in the buffer
  std::istream stream_;
};

}  // namespace penstock
