// What one tenure does to the log through its loop's session: reads and writes its partition of the
// state topic, and appends the messages of its outbox.
//
// What always holds: every append has a ticket that leads back to this tenure, or nothing was
// appended. Belongs to the loop's thread.
#pragma once

#include "consumer/loop/tenure/tenure_options.h"
#include "consumer/loop/tenure/tenure_parts.h"
#include "state/log/log_size.h"
#include "state/log/outbox.h"
#include "state/owner/owner.h"

namespace penstock {

class TenureLog final : public StateLog, public OutboxHost {
 public:
  TenureLog(const TenureOptions& options, TenureParts& parts);

  [[nodiscard]] bool is_state(TopicId topic) const { return topic == state_.topic; }
  // The size of the state log, with what this tenure has appended.
  [[nodiscard]] LogSize& size() { return size_; }
  void delete_before(Offset before);

  // StateLog
  void ask_bounds() override;
  void read(Offset from) override;
  void stop_reading() override;
  [[nodiscard]] bool append(std::uint64_t number, std::string_view record) override;

  // OutboxHost
  [[nodiscard]] bool append_outbox(std::uint64_t number, const Destination& to,
                                   const NewRecord& record) override;
  void renew_outbox() override;

 private:
  [[nodiscard]] bool append(Lane lane, TopicPartition to, std::uint64_t number,
                            const NewRecord& record);

  TenureParts& parts_;
  std::uint64_t tenure_;
  TopicPartition state_;
  LogSize size_;
};

}  // namespace penstock
