// The appends of a session that have not been reported to it yet.
//
// - Every append that was accepted is reported once, in the order of the answers, unless its lane
//   has been renewed since then.
// - There are at most kMaxAppendsInFlight of them, with kMaxAppendBytesInFlight bytes, of which the
//   outbox leaves half to the state. A single append always has room.
//
// Belongs to the session's thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "topics/embedded/disk/mailbox.h"
#include "topics/log.h"

namespace penstock::embedded {

class Appends {
 public:
  [[nodiscard]] AppendId id(Lane lane, Ticket ticket) const;
  void renew(Lane lane);

  [[nodiscard]] bool has_room(Lane lane, std::size_t bytes) const;
  // An append has been passed to the writer.
  void sent(std::size_t bytes);
  // An append is refused: it has not been passed to the writer, and the next tell() reports it.
  void refuse(const AppendId& id, std::string reason, Refusal refusal);

  // Takes over the writer's answers; leaves `answers` empty.
  void answered(std::vector<AppendAnswer>& answers);
  [[nodiscard]] bool has_news() const { return !refused_.empty() || told_ < answers_.size(); }
  // Reports at most kMaxRecordsPerPoll. False: there was nothing to report.
  bool tell(LogListener& listener);

 private:
  std::array<std::uint32_t, 2> incarnations_{};  // of the lanes
  std::size_t in_flight_ = 0;
  std::size_t bytes_in_flight_ = 0;
  std::vector<AppendAnswer> refused_;
  std::vector<AppendAnswer> answers_;
  std::size_t told_ = 0;  // of answers_
};

}  // namespace penstock::embedded
