#include "consumer/job/line_order.h"

#include "consumer/replay/replay_terms.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/record/job_record.h"

namespace penstock {

namespace {

// Above the order of every job that is no copy, and of a copy that goes on holding something from
// its last iteration.
constexpr std::int64_t kCopiesLast = std::int64_t{1} << 62, kFirstOfCopies = std::int64_t{1} << 61;

static_assert(kCopiesMark.size() + kMaxTypeBytes + 1 + kMaxReplayNameBytes + 1 + kDigestBytes <=
                  255,
              "a line's name fits into its keys");

void append_replay(std::string& out, const JobRow& copy) {
  // Whatever a record from elsewhere says, a line's name fits.
  out.append(replay_of_copy(copy.id).substr(0, kMaxReplayNameBytes));
  if (copy.origin.empty()) return;
  out.push_back('/');
  put_digest(out, text_digest(copy.origin));
}

}  // namespace

std::string_view LineOrder::line_of(const JobRow& row, std::string& buffer) const {
  if (row.is_copy()) {
    buffer.assign(kCopiesMark);
    if (!is_strict()) buffer.append(row.type);
    buffer.push_back('\0');
    append_replay(buffer, row);
    return buffer;
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
