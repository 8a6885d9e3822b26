#include "consumer/control/control_reader.h"

#include <algorithm>

namespace penstock {

ControlReader::ControlReader(LogSession& session, TopicId topic, Notice notice, Reports reports)
    : session_(session), from_{topic, 0}, notice_(std::move(notice)), reports_(reports) {}

void ControlReader::read_to_end(Now now) {
  asking_ = true;
  ask_at_ = now.boot + kAskAgain;
  session_.bounds(from_);
}

void ControlReader::on_bounds(const Result<Bounds>& bounds, Now now) {
  if (!bounds) {
    if (!failed_)
      notice_("limits and pauses cannot be read, so nothing starts: " + bounds.error().message);
    failed_ = true;
    // Still asking: tick() does it again.
    return;
  }
  failed_ = false;
  asking_ = false;
  // An answer may be late, and belong to an earlier question.
  wanted_ = std::max(wanted_, bounds->end);
  last_progress_ = now.boot;
  // It continues to read; only the end that is wanted has moved.
  if (reading_) return;
  reading_ = true;
  position_ = bounds->start;
  session_.read(from_, position_);
}

void ControlReader::on_records(std::span<const LogRecord> records, Now now) {
  last_progress_ = now.boot;
  silent_ = false;
  for (const LogRecord& record : records) {
    // A record that is refused counts as read, too, or partitions would wait for it for ever.
    position_ = record.offset.next();
    if (!record.key) continue;
    if (reports_ == Reports::kIgnored && is_replay_report_key(*record.key)) continue;
    const Status applied = control_.apply(*record.key, record.value);
    if (applied) {
      changed_ = true;
    } else {
      notice_("a record of the control topic is ignored: " + applied.error().message);
    }
  }
}

void ControlReader::on_out_of_range(Now now) {
  reading_ = false;
  // The topic was created again or cut, so nothing that was read from it counts any more.
  control_ = {};
  changed_ = true;
  wanted_ = Offset{0};
  read_to_end(now);
}

void ControlReader::tick(Now now) {
  if (asking_ && now.boot >= ask_at_) return read_to_end(now);
  if (asking_ || !reading_ || silent_ || is_read() || now.boot - last_progress_ < kSilence) return;
  silent_ = true;
  notice_("limits and pauses are not known up to offset " + std::to_string(wanted_.value) +
          " of the control topic, and nothing comes from it: nothing starts until it can be read");
}

}  // namespace penstock
