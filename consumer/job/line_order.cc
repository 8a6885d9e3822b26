#include "consumer/job/line_order.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

namespace {

// Above the order of every job that is no copy, and of a copy that goes on holding something from
// its last iteration.
constexpr std::int64_t kCopiesLast = std::int64_t{1} << 62, kFirstOfCopies = std::int64_t{1} << 61;

}  // namespace

std::string_view LineOrder::line_of(const JobRow& row, std::string& buffer) const {
  if (row.is_copy()) {
    buffer.assign(is_strict() ? std::string_view() : std::string_view(row.type));
    buffer.push_back('\0');
    return buffer.append(kCopiesMark);
  }
  if (is_strict()) return {};
  const bool in_bulk = order_ == Order::kFair && !row.bulk.empty();
  if (!in_bulk) return row.type;
  // A digest, because the id might not fit behind the type: a line's name has 255 bytes at most.
  buffer.assign(row.type).push_back('\0');
  put_digest(buffer, identity_digest(row.account, row.bulk));
  return buffer;
}

LinePlace LineOrder::place_of(const JobRow& row) const {
  // A job that has yielded goes by the number that it got then.
  const JobSeq turn = row.turn.given() ? row.turn : row.seq;
  switch (order_) {
    case Order::kReady:
      return {to_ms(row.run_at), turn};
    case Order::kFair:
      return {row.priority, turn};
    default:
      return {0, turn};
  }
}

LinePlace LineOrder::turn_of(const LinePlace& place, bool is_copy) {
  if (!is_copy) return place;
  // The least order of all is that of a job that goes on.
  const bool goes_on = place.order < INT64_MIN / 2;
  return {goes_on ? kFirstOfCopies : kCopiesLast + place.order, place.seq};
}

std::string LineOrder::key_of(const LiveJob& job) const {
  std::string buffer;
  return keys::line(job.row.account, line_of(job.row, buffer), job.place.order, job.place.seq);
}

}  // namespace penstock
