#include "consumer/loop/tenure/tenure_replay.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

std::optional<std::string> owned(const std::optional<std::string_view>& bytes) {
  return bytes ? std::optional<std::string>(*bytes) : std::nullopt;
}

std::optional<std::string_view> viewed(const std::optional<std::string>& bytes) {
  return bytes ? std::optional<std::string_view>(*bytes) : std::nullopt;
}

}  // namespace

std::size_t TenureReplay::Kept::bytes() const {
  std::size_t bytes = sizeof(Kept) + (key ? key->size() : 0) + (value ? value->size() : 0);
  for (const Header& header : headers) bytes += sizeof(Header) + size_of(view_of(header));
  return bytes;
}

void TenureReplay::step(Now now) {
  if (stopped_ || !core_.jobs || core_.owner.ended() || core_.task->restoring()) return;
  if (!core_.jobs->replays().any() || !core_.parts.control.is_read()) return;
  core_.jobs->replays().forget_deleted();
  if (core_.owner.waits_for_room()) return;
  take_kept(now);
  const auto source = core_.jobs->copies().wants(now);
  // What was read stays while its replay waits for room or its rate.
  if (!source) return;
  if (source->replay != replay_ || (kept_.empty() && next_ != source->from)) begin(*source);
  to_ = source->to;
  if (is_at_end()) {
    stop_reading();
    return core_.jobs->copies().absent_before(to_);
  }
  const bool few = kept_bytes_ < max_kept_bytes() / 4;
  if (!reading_ && !asked_bounds_ && few && next_ < to_) {
    reading_ = true;
    core_.parts.session.read(*from_, next_);
  }
}

std::size_t TenureReplay::max_kept_bytes() const {
  const auto partitions = static_cast<std::size_t>(core_.options.task.queue.partitions);
  return std::clamp(kMaxKeptBytesOfQueue / std::max<std::size_t>(partitions, 1), kMinKeptBytes,
                    kMaxKeptBytes);
}

void TenureReplay::begin(const Copies::Source& source) {
  forget();
  replay_ = source.replay;
  const QueueNames names = core_.names();
  const std::string topic = source.dead ? names.dead_topic() : names.topic();
  from_ = {core_.parts.topics.second_of(topic), core_.partition()};
  next_ = source.from;
  to_ = source.to;
}

void TenureReplay::forget() {
  stop_reading();
  asked_bounds_ = false;
  end_ = {};
  kept_.clear();
  kept_bytes_ = 0;
  forget_answers();
}

void TenureReplay::stop_reading() {
  if (std::exchange(reading_, false)) core_.parts.session.stop_reading(*from_);
}

void TenureReplay::stop() {
  stopped_ = true;
  forget();
}

bool TenureReplay::is_ready(Now now) {
  if (stopped_ || !core_.jobs || core_.owner.waits_for_room()) return false;
  if (kept_.empty() && !(reading_ && is_at_end())) return false;
  const auto source = core_.jobs->copies().wants(now);
  if (!source || source->replay != replay_) return false;
  if (kept_.empty()) return true;
  // A program's answers wake the loop, and so does the input.
  const Kept& first = kept_.front();
  return first.offset < source->admitted && (source->through->empty() || first.is_answered);
}

void TenureReplay::on_records(std::span<const LogRecord> records, Now now) {
  if (!reading_ || stopped_) return;
  std::size_t taken = 0;
  if (kept_.empty() && !core_.owner.waits_for_room()) {
    const auto source = core_.jobs->copies().wants(now);
    // Directly, which saves keeping them.
    if (source && source->replay == replay_ && source->through->empty())
      taken = core_.jobs->replay(records, now);
  }
  next_ = records.back().offset.next();
  keep(records.subspan(taken));
  if (kept_bytes_ >= max_kept_bytes() || next_ >= to_) stop_reading();
}

void TenureReplay::keep(std::span<const LogRecord> records) {
  for (const LogRecord& record : records) {
    Kept kept{record.offset, record.timestamp, owned(record.key), owned(record.value), {}};
    for (const HeaderView& header : record.headers) kept.headers.push_back(copy_of(header));
    kept_bytes_ += kept.bytes();
    kept_.push_back(std::move(kept));
  }
}

LogRecord TenureReplay::Kept::view(std::vector<HeaderView>& views) const {
  for (const Header& header : headers) views.push_back(view_of(header));
  return {offset, timestamp, viewed(key), viewed(value), views};
}

void TenureReplay::take_kept(Now now) {
  if (kept_.empty()) return;
  const auto source = core_.jobs->copies().wants(now);
  if (!source || source->replay != replay_) return;
  if (!source->through->empty()) return take_answered(*source->through);
  std::vector<std::vector<HeaderView>> headers(std::min(kept_.size(), kMaxCopiesPerStep));
  std::vector<LogRecord> records;
  for (std::size_t i = 0; i < headers.size(); ++i) records.push_back(kept_[i].view(headers[i]));
  for (std::size_t taken = core_.jobs->replay(records, now); taken > 0; --taken) drop_first();
}

void TenureReplay::drop_first() {
  kept_bytes_ -= kept_.front().bytes();
  kept_.pop_front();
}

// -- Through a program

void TenureReplay::take_answered(const std::vector<std::string>& program) {
  hear();
  while (!kept_.empty() && kept_.front().is_answered) {
    std::vector<HeaderView> headers;
    const LogRecord record = kept_.front().view(headers);
    if (!core_.jobs->copies().take_answered(record, kept_.front().answer)) break;
    drop_first();
  }
  ask(program);
}

void TenureReplay::ask(const std::vector<std::string>& program) {
  if (!answers_) {
    answers_ = std::make_shared<ProgramAnswers>();
    answers_->wakes = &core_.parts.session;
  }
  for (std::size_t i = 0; i < std::min(kept_.size(), kMaxAsked); ++i) {
    Kept& kept = kept_[i];
    if (std::exchange(kept.is_asked, true)) continue;
    std::vector<HeaderView> headers;
    auto line = core_.jobs->copies().line_for(kept.view(headers));
    kept.is_answered = !line;
    if (!line) continue;
    core_.parts.host.ask_program(program, *std::move(line),
                                 [to = answers_, offset = kept.offset](Result<std::string> answer) {
                                   const std::lock_guard lock(to->mutex);
                                   to->answers.push_back({offset, std::move(answer)});
                                   if (to->wakes) to->wakes->wake();
                                 });
  }
}

void TenureReplay::hear() {
  if (!answers_) return;
  std::vector<ProgramAnswers::Answer> heard;
  {
    const std::lock_guard lock(answers_->mutex);
    heard.swap(answers_->answers);
  }
  for (ProgramAnswers::Answer& answer : heard) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.offset == answer.offset; });
    if (found == kept_.end()) continue;
    if (answer.line) {
      found->answer = *std::move(answer.line);
      found->is_answered = true;
      continue;
    }
    // Asked again when the replay is resumed.
    for (Kept& kept : kept_) kept.is_asked = kept.is_answered;
    return core_.jobs->copies().pause(
        "its program failed at offset " + std::to_string(answer.offset.value) + " of partition " +
        std::to_string(core_.partition()) + ": " + answer.line.error().message);
  }
}

// What is on its way finds nobody.
void TenureReplay::forget_answers() {
  if (!answers_) return;
  {
    const std::lock_guard lock(answers_->mutex);
    answers_->wakes = nullptr;
  }
  answers_.reset();
}

// -- Bounds

void TenureReplay::on_refused(std::string_view detail, Now now) {
  if (!std::exchange(reading_, false) || stopped_ || !core_.jobs) return;
  const auto source = core_.jobs->copies().wants(now);
  // Otherwise it is refused again when this replay has its turn.
  if (source && source->replay == replay_)
    core_.jobs->copies().pause("cannot read its source: " + std::string(detail));
}

void TenureReplay::on_out_of_range() {
  if (!std::exchange(reading_, false)) return;
  asked_bounds_ = true;
  end_ = {};
  core_.parts.session.bounds(*from_);
}

void TenureReplay::on_bounds(const Result<Bounds>& bounds, Now now) {
  if (!asked_bounds_ || stopped_) return;
  // After an error it is asked again: the read that follows ends in the same way.
  asked_bounds_ = false;
  const auto source = core_.jobs->copies().wants(now);
  if (!bounds || !source || source->replay != replay_ || !kept_.empty()) return;
  if (bounds->start <= next_) return;
  core_.notice("the replay \"" + replay_ +
               "\": " + std::to_string(std::min(bounds->start, to_).value - next_.value) +
               " records were removed by retention before they were read");
  core_.jobs->copies().lost_before(bounds->start);
}

}  // namespace penstock
