// A state log in memory for tests: claims, commits and releases by hand, chained as an owner would.
#pragma once

#include <string>
#include <vector>

#include "state/log/follower.h"
#include "state/rows/digest.h"
#include "state/store/batch.h"

namespace penstock {

inline std::string rows_of(std::vector<std::pair<std::string, std::string>> rows) {
  Batch batch;
  for (const auto& [key, value] : rows) batch.put(key, value);
  return std::string(batch.bytes());
}

// What an owner would append, one after the other.
struct LogWriter {
  std::vector<std::string> records;
  Offset epoch{-1};
  std::uint64_t seq = 0;
  std::uint64_t hash = 0;

  Offset add(std::string record) {
    records.push_back(std::move(record));
    return Offset{static_cast<std::int64_t>(records.size()) - 1};
  }
  Offset claim(std::uint64_t nonce = 1, std::chrono::milliseconds lease = kUsualLease) {
    return epoch = add(encode(Claim{nonce, 5, epoch, "writer", lease}));
  }
  Offset commit(std::vector<std::pair<std::string, std::string>> rows = {}) {
    return placed(encode(Commit{epoch, seq + 1, hash, rows_of(std::move(rows))}));
  }
  Offset release() { return placed(encode(Release{epoch, seq + 1, hash})); }

 private:
  Offset placed(std::string record) {
    ++seq;
    hash = bytes_hash(record);
    return add(std::move(record));
  }
};

inline Time at_ms(std::int64_t ms) { return time_from_ms(1'800'000'000'000 + ms); }

// Feeds the records from `from` on, and settles; the verdicts.
inline std::vector<Follower::Verdict> feed_all(Follower& follower, const LogWriter& log,
                                               std::size_t from = 0) {
  std::vector<Follower::Verdict> verdicts;
  for (std::size_t i = from; i < log.records.size(); ++i) {
    const Offset offset{static_cast<std::int64_t>(i)};
    verdicts.push_back(follower.feed(offset, log.records[i], at_ms(offset.value)).value());
  }
  if (!follower.settle()) verdicts.clear();
  return verdicts;
}

}  // namespace penstock
