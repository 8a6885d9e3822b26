#include "consumer/loop/replay/read_ahead.h"

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

LogRecord ReadAhead::Kept::view(std::vector<HeaderView>& views) const {
  for (const Header& header : headers) views.push_back(view_of(header));
  return {offset, timestamp, viewed(key), viewed(value), views};
}

std::size_t ReadAhead::Kept::bytes() const {
  std::size_t bytes = sizeof(Kept) + (key ? key->size() : 0) + (value ? value->size() : 0);
  for (const Header& header : headers) bytes += sizeof(Header) + size_of(view_of(header));
  return bytes;
}

// What is on its way finds nobody.
ReadAhead::~ReadAhead() {
  if (!answers_) return;
  const std::lock_guard lock(answers_->mutex);
  answers_->wakes = nullptr;
}

void ReadAhead::keep(std::span<const LogRecord> records) {
  for (const LogRecord& record : records) {
    Kept kept{record.offset, record.timestamp, owned(record.key), owned(record.value), {}};
    for (const HeaderView& header : record.headers) kept.headers.push_back(copy_of(header));
    bytes_ += kept.bytes();
    kept_.push_back(std::move(kept));
  }
}

void ReadAhead::drop_first() {
  bytes_ -= kept_.front().bytes();
  kept_.pop_front();
}

void ReadAhead::ask(Copies& copies, const Program& program, LogSession& wakes) {
  if (!answers_) {
    answers_ = std::make_shared<ProgramAnswers>();
    answers_->wakes = &wakes;
  }
  for (std::size_t i = 0; i < std::min(kept_.size(), kMaxAsked); ++i) {
    Kept& kept = kept_[i];
    if (std::exchange(kept.is_asked, true)) continue;
    std::vector<HeaderView> headers;
    auto line = copies.line_for(of_, kept.view(headers));
    kept.is_answered = !line;
    if (!line) continue;
    program(*std::move(line), [to = answers_, offset = kept.offset](Result<std::string> answer) {
      const std::lock_guard lock(to->mutex);
      to->answers.push_back({offset, std::move(answer)});
      if (to->wakes) to->wakes->wake();
    });
  }
}

Status ReadAhead::hear() {
  if (!answers_) return {};
  std::vector<ProgramAnswers::Answer> heard;
  {
    const std::lock_guard lock(answers_->mutex);
    heard.swap(answers_->answers);
  }
  std::sort(heard.begin(), heard.end(),
            [](const auto& one, const auto& other) { return one.offset < other.offset; });
  for (ProgramAnswers::Answer& answer : heard) {
    if (!answer.line) {
      return failure("at offset " + std::to_string(answer.offset.value) + ": " +
                     answer.line.error().message);
    }
    const auto found =
        std::lower_bound(kept_.begin(), kept_.end(), answer.offset,
                         [](const Kept& kept, Offset offset) { return kept.offset < offset; });
    if (found == kept_.end() || found->offset != answer.offset) continue;
    found->answer = *std::move(answer.line);
    found->is_answered = true;
  }
  return {};
}

}  // namespace penstock
