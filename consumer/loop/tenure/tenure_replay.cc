#include "consumer/loop/tenure/tenure_replay.h"

#include <algorithm>
#include <string>
#include <utility>

namespace penstock {

void TenureReplay::step(Now now) {
  if (stopped_ || !core_.jobs || core_.owner.ended() || core_.task->restoring()) return;
  if (!core_.jobs->replays().any() || !core_.parts.control.is_read()) return;
  core_.jobs->replays().forget_deleted();
  const Sources sources = core_.jobs->copies().sources();
  forget_over(sources);
  if (core_.owner.waits_for_room()) return;
  for (const Copies::Source& source : sources) take_kept(ahead_of(source), source, now);
  read_next(sources, now);
}

std::size_t TenureReplay::max_kept_bytes() const {
  const auto partitions = static_cast<std::size_t>(core_.options.task.queue.partitions);
  const std::size_t share = kMaxKeptBytesOfQueue / std::max<std::size_t>(partitions, 1);
  return std::clamp(share, kMinKeptBytes, kMaxKeptBytes) / std::max<std::size_t>(aheads_.size(), 1);
}

void TenureReplay::forget_over(const Sources& sources) {
  std::erase_if(aheads_, [&](const std::unique_ptr<ReadAhead>& ahead) {
    const bool goes_on =
        std::any_of(sources.begin(), sources.end(),
                    [&](const Copies::Source& source) { return source.of == ahead->of(); });
    if (!goes_on && reading_ == ahead.get()) stop_reading();
    return !goes_on;
  });
}

ReadAhead* TenureReplay::find(const Copies::Reading& of) const {
  for (const auto& ahead : aheads_) {
    if (ahead->of() == of) return ahead.get();
  }
  return nullptr;
}

ReadAhead& TenureReplay::ahead_of(const Copies::Source& source) {
  if (ReadAhead* const ahead = find(source.of)) return *ahead;
  const QueueNames names = core_.names();
  const std::string topic = source.dead ? names.dead_topic() : names.topic();
  const TopicPartition from{core_.parts.topics.second_of(topic), core_.partition()};
  return *aheads_.emplace_back(std::make_unique<ReadAhead>(source.of, from, source.from));
}

// -- Taking

void TenureReplay::take_kept(ReadAhead& ahead, const Copies::Source& source, Now now) {
  if (ahead.empty()) return;
  if (!source.through->empty()) return take_answered(ahead, source);
  // With a rate, most passes take none; and other partitions may have used up this pass's bounds.
  Copies& copies = core_.jobs->copies();
  if (copies.is_step_spent() || !copies.takes(source.of, ahead.kept().front().offset, now)) return;
  std::vector<std::vector<HeaderView>> headers(std::min(ahead.kept().size(), kMaxCopiesPerStep));
  std::vector<LogRecord> records;
  for (std::size_t i = 0; i < headers.size(); ++i)
    records.push_back(ahead.kept()[i].view(headers[i]));
  for (std::size_t taken = core_.jobs->replay(source.of, records, now); taken > 0; --taken)
    ahead.drop_first();
}

void TenureReplay::take_answered(ReadAhead& ahead, const Copies::Source& source) {
  Copies& copies = core_.jobs->copies();
  // Paused, it is forgotten with all answers, and asks again when it is resumed.
  if (const Status heard = ahead.hear(); !heard)
    return copies.pause(source.of, "its program failed " + heard.error().message);
  while (!ahead.empty() && ahead.kept().front().is_answered) {
    std::vector<HeaderView> headers;
    const LogRecord record = ahead.kept().front().view(headers);
    if (!copies.take_answered(source.of, record, ahead.kept().front().answer)) break;
    ahead.drop_first();
  }
  const auto program = [&](std::string line, ReadAhead::Answer answer) {
    core_.parts.host.ask_program(*source.through, std::move(line), std::move(answer));
  };
  ahead.ask(copies, program, core_.parts.session);
}

bool TenureReplay::is_ready(Now now) {
  if (stopped_ || aheads_.empty() || !core_.jobs || core_.owner.waits_for_room()) return false;
  const Sources sources = core_.jobs->copies().sources();
  return std::any_of(sources.begin(), sources.end(), [&](const Copies::Source& source) {
    ReadAhead* const ahead = find(source.of);
    if (!ahead) return false;
    if (ahead->empty()) return ahead == reading_ && end_ >= to_;
    // A program's answers wake the loop, and so does the input.
    const ReadAhead::Kept& first = ahead->kept().front();
    const bool answered = source.through->empty() || first.is_answered;
    return answered && core_.jobs->copies().takes(source.of, first.offset, now);
  });
}

// -- Reading

// Whose records to read now. A replay goes on reading until as much is kept as may be, unless its
// turn is over and another one has little left.
void TenureReplay::read_next(const Sources& sources, Now now) {
  if (asks_bounds_) return;
  if (reading_ && reading_->empty() && end_ >= to_) {
    const Copies::Reading of = reading_->of();
    stop_reading();
    return core_.jobs->copies().absent_before(of, to_);
  }
  if (reading_ && now.boot < turn_ends_) return;
  // Behind the one that has read last, by name.
  const auto first = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
    return source.of.replay > last_.replay;
  });
  const auto begin_first_of = [&](Sources::const_iterator from, Sources::const_iterator to) {
    for (auto source = from; source != to; ++source) {
      ReadAhead& ahead = ahead_of(*source);
      const bool few = ahead.bytes() < max_kept_bytes() / 4;
      if (&ahead == reading_ || !few || !source->has_room || ahead.next() >= source->to) continue;
      begin(ahead, *source, now);
      return true;
    }
    return false;
  };
  if (!begin_first_of(first, sources.end()))
    static_cast<void>(begin_first_of(sources.begin(), first));
}

void TenureReplay::begin(ReadAhead& ahead, const Copies::Source& source, Now now) {
  stop_reading();
  reading_ = &ahead;
  last_ = ahead.of();
  from_ = ahead.from();
  to_ = source.to;
  end_ = {};
  turn_ends_ = now.boot + kTurn;
  core_.parts.session.read(from_, ahead.next());
}

void TenureReplay::stop_reading() {
  if (std::exchange(reading_, nullptr) && !std::exchange(asks_bounds_, false))
    core_.parts.session.stop_reading(from_);
}

void TenureReplay::stop() {
  stopped_ = true;
  stop_reading();
  aheads_.clear();
}

void TenureReplay::on_records(std::span<const LogRecord> records, Now now) {
  if (!reading_ || asks_bounds_ || stopped_) return;
  std::size_t taken = 0;
  // Directly, which saves keeping them.
  if (reading_->empty() && !core_.owner.waits_for_room() &&
      core_.jobs->copies().takes_directly(reading_->of()))
    taken = core_.jobs->replay(reading_->of(), records, now);
  reading_->passed(records);
  reading_->keep(records.subspan(taken));
  if (reading_->bytes() >= max_kept_bytes() || reading_->next() >= to_) stop_reading();
}

// The session has stopped reading.
void TenureReplay::on_refused(std::string_view detail) {
  if (asks_bounds_ || stopped_) return;
  if (const ReadAhead* const ahead = std::exchange(reading_, nullptr))
    core_.jobs->copies().pause(ahead->of(), "its records cannot be read: " + std::string(detail));
}

// -- Bounds

void TenureReplay::on_out_of_range() {
  if (!reading_ || asks_bounds_ || stopped_) return;
  asks_bounds_ = true;
  end_ = {};
  core_.parts.session.bounds(from_);
}

void TenureReplay::on_bounds(const Result<Bounds>& bounds, Now) {
  if (!reading_ || !asks_bounds_ || stopped_) return;
  ReadAhead& ahead = *std::exchange(reading_, nullptr);
  asks_bounds_ = false;
  // After an error it is asked again: the read that follows ends in the same way.
  if (!bounds || !ahead.empty()) return;
  Copies& copies = core_.jobs->copies();
  const std::string place = "partition " + std::to_string(core_.partition());
  if (bounds->end < ahead.next()) {
    return copies.pause(ahead.of(), place + " of its topic ends at offset " +
                                        std::to_string(bounds->end.value) + ", before offset " +
                                        std::to_string(ahead.next().value) +
                                        ", which it was to read next: the topic was created "
                                        "again or has lost records; cancel the replay and start "
                                        "another one");
  }
  if (bounds->start <= ahead.next()) return;
  const Offset until = std::min(bounds->start, to_);
  core_.notice("the replay \"" + ahead.of().replay +
               "\": " + std::to_string(until.value - ahead.next().value) +
               " records were removed by retention before they were read");
  copies.lost_before(ahead.of(), until);
  ahead.skip_to(until);
}

}  // namespace penstock
