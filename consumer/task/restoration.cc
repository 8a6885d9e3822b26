#include "consumer/task/restoration.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

Restoration::Restoration(const Parts& parts, std::uint32_t oldest_bucket)
    : parts_(parts), oldest_bucket_(oldest_bucket), lines_(parts.view, parts.lines) {}

bool Restoration::step(std::size_t max_rows, const LineRebuild::Found& found) {
  if (restore_stage(max_rows, found)) return true;
  // The next stage begins in the next step, whose bound it then has to itself.
  if (stage_ == Stage::kLines) return false;
  stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  from_.clear();
  return true;
}

bool Restoration::restore_stage(std::size_t max_rows, const LineRebuild::Found& found) {
  switch (stage_) {
    case Stage::kIdentities:
      return restore_identities(max_rows * kIdentitiesPerRow);
    case Stage::kLimits:
      return parts_.limits.restore_some(from_, max_rows);
    case Stage::kBreakers:
      return parts_.breakers.restore_some(parts_.types, from_, max_rows);
    case Stage::kReplays:
      return parts_.replays.restore_some(from_, max_rows);
    case Stage::kLines:
      return lines_.step(max_rows, found);
  }
  return false;
}

// One row has the identities that ended in one commit, which may be more than one step reads.
bool Restoration::restore_identities(std::size_t max_identities) {
  bool more = false;
  const auto read = [&](std::string_view key, std::string_view value) {
    // Only the row at which the last step stopped is continued in its middle.
    if (key != from_) taken_ = 0;
    const std::uint32_t bucket = keys::parse_dedup_bucket(key);
    for (Cursor cursor(value.substr(taken_)); !cursor.at_end(); --max_identities) {
      more = max_identities == 0;
      if (more) {
        from_ = key;
        return false;
      }
      Digest digest;
      digest.high = cursor.u64();
      digest.low = cursor.u64();
      parts_.dedup.end(digest, bucket);
      taken_ += kDigestBytes;
    }
    return true;
  };
  parts_.view.scan(from_.empty() ? keys::dedup_bucket(oldest_bucket_) : from_,
                   keys::after_prefix(std::string(1, keys::kDedup)), read);
  return more;
}

}  // namespace penstock
