#include "topics/json/json_scanner.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "topics/values/check.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr std::size_t kFirstCapacity = 4096;
constexpr std::size_t kUnusedDepth = 1;  // simdjson's own second stage is not used

}  // namespace

struct JsonScanner::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> simd;
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = 0;
};

JsonScanner::JsonScanner() : stage_(std::make_unique<Stage>()) { reserve(kFirstCapacity); }
JsonScanner::~JsonScanner() = default;
JsonScanner::JsonScanner(JsonScanner&&) noexcept = default;
JsonScanner& JsonScanner::operator=(JsonScanner&&) noexcept = default;

void JsonScanner::reserve(std::size_t bytes) {
  if (bytes <= stage_->capacity) return;
  // Doubling at least, so that texts of slowly growing sizes rarely allocate.
  stage_->capacity = std::bit_ceil(bytes);
  stage_->buffer = std::make_unique<char[]>(stage_->capacity + simdjson::SIMDJSON_PADDING);
  const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
      stage_->capacity, kUnusedDepth, stage_->simd);
  PENSTOCK_CHECK(error == simdjson::SUCCESS, "simdjson could not make its buffers");
}

std::optional<JsonScanFault> JsonScanner::scan(std::string_view text) {
  reserve(text.size());
  char* copy = stage_->buffer.get();
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  std::memset(copy + text.size(), ' ', simdjson::SIMDJSON_PADDING);
  text_ = copy;

  const auto error = stage_->simd->stage1(reinterpret_cast<const std::uint8_t*>(copy), text.size(),
                                          simdjson::stage1_mode::regular);
  switch (error) {
    case simdjson::SUCCESS:
      break;
    case simdjson::EMPTY:
      return JsonScanFault{0, "nothing but white space"};
    case simdjson::UTF8_ERROR:
      return JsonScanFault{first_bad_utf8(text), "a byte that is not UTF-8"};
    case simdjson::UNCLOSED_STRING:
      return JsonScanFault{text.size(), "a string that does not end"};
    // simdjson does not tell where.
    case simdjson::UNESCAPED_CHARS:
      return JsonScanFault{0, "a raw control character inside a string (write it as \\u00XX)"};
    default:
      return JsonScanFault{0, simdjson::error_message(error)};
  }
  count_ = stage_->simd->n_structural_indexes;
  // A token's end is found from the beginning of the next token, so the last one needs a successor,
  // too.
  stage_->simd->structural_indexes[count_] = static_cast<std::uint32_t>(text.size());
  places_ = stage_->simd->structural_indexes.get();
  return std::nullopt;
}

}  // namespace penstock
