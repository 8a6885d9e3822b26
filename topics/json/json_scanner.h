// The first stage of reading JSON, and the only place that uses simdjson (which picks the fastest
// code for the processor at run time). It checks that the text is UTF-8 and that its strings end
// and contain no raw control characters, and finds where each token begins. The second stage is
// JsonDocument.
//
// A scanner reuses its buffers and allocates only for a text longer than all before. It belongs to
// one thread; its results are valid until the next scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace penstock {

struct JsonScanFault {
  std::size_t byte;
  const char* detail;
};

class JsonScanner {
 public:
  JsonScanner();
  ~JsonScanner();
  JsonScanner(JsonScanner&&) noexcept;
  JsonScanner& operator=(JsonScanner&&) noexcept;

  // Copies the text. At most kMaxValueBytes and kMaxDerivedRoomBytes.
  [[nodiscard]] std::optional<JsonScanFault> scan(std::string_view text);

  // The copied text; the bytes after it are spaces, so that finding a token's end needs no
  // check against the length.
  [[nodiscard]] const char* text() const { return text_; }
  // Where each token begins: an opening quote, one of {}[]:, or the first byte of anything else
  // that is not white space. After the last comes the length of the text.
  [[nodiscard]] const std::uint32_t* places() const { return places_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  void reserve(std::size_t bytes);

  struct Stage;
  std::unique_ptr<Stage> stage_;
  const char* text_ = nullptr;
  const std::uint32_t* places_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace penstock
