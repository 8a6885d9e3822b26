#include "state/store/state_format.h"

#include <algorithm>
#include <optional>
#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

constexpr std::uint32_t kFirst = 1;

[[nodiscard]] std::uint32_t oldest_of(std::uint32_t newest) { return std::max(newest - 1, kFirst); }

[[nodiscard]] std::optional<std::uint32_t> format_of(View& view) {
  std::string bytes;
  if (!view.get(keys::kMetaFormat, &bytes)) return std::nullopt;
  return Cursor(bytes).u32();
}

}  // namespace

Status StateFormat::check(View& view, std::string_view queue, std::uint32_t newest) {
  const std::optional<std::uint32_t> format = format_of(view);
  const std::uint32_t oldest = oldest_of(newest);
  // A state without a format is only beginning: restored() decides in which format.
  if (!format || (*format >= oldest && *format <= newest)) return {};
  const std::string reads = oldest == newest
                                ? std::to_string(newest)
                                : std::to_string(oldest) + " and " + std::to_string(newest);
  const std::string found = "the state of queue \"" + std::string(queue) + "\" has format " +
                            std::to_string(*format) + ", this version reads " + reads + ": ";
  if (*format > newest) {
    return failure(found +
                   "its upgrade to a later version was finished, and cannot be undone. Run that "
                   "version here too");
  }
  return failure(
      found +
      "run the version between on all workers first, and with it `penstock upgrade finish`");
}

void StateFormat::restored() {
  const std::optional<std::uint32_t> format = format_of(view_);
  // So that a worker of the previous release can still take the partition over, even if this worker
  // was the first to own it.
  if (!format) return write(oldest_of(newest_));
  written_ = *format;
}

void StateFormat::finish(std::uint32_t format) {
  // Never lower: rows in the newer format may exist already.
  if (const std::uint32_t known = std::min(format, newest_); known > written_) write(known);
}

void StateFormat::write(std::uint32_t format) {
  written_ = format;
  std::string bytes;
  put_u32(bytes, format);
  view_.put(keys::kMetaFormat, bytes);
}

}  // namespace penstock
