// The implementation of <penstock/worker.h> except for Worker.
#include <stdexcept>

#include "consumer/handlers/native/attempt_state.h"
#include "consumer/handlers/protocol/job_request_json.h"
#include "consumer/handlers/protocol/raw_json.h"
#include "penstock/worker.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kProgressEvery{100};  // each report becomes part of a commit

}  // namespace

Outcome done() { return {}; }
Outcome next(nlohmann::json cursor) {
  return {.kind = Outcome::Kind::kNext, .cursor = std::move(cursor)};
}
Outcome next_raw(std::string cursor) {
  check_json(cursor);
  return {.kind = Outcome::Kind::kNext, .raw_cursor = std::move(cursor)};
}
Outcome retry(std::string error, std::optional<std::chrono::milliseconds> in, std::string name) {
  return {.kind = Outcome::Kind::kRetry,
          .reason = std::move(error),
          .in = in,
          .error_name = std::move(name)};
}
Outcome snooze(std::chrono::milliseconds in) { return {.kind = Outcome::Kind::kSnooze, .in = in}; }
Outcome discard(std::string reason) {
  return {.kind = Outcome::Kind::kDiscard, .reason = std::move(reason)};
}
Outcome cancel(std::string reason) {
  return {.kind = Outcome::Kind::kCancel, .reason = std::move(reason)};
}

const std::string& Attempt::queue() const { return state_.start.request.queue; }
const std::string& Attempt::id() const { return state_.start.request.id; }
const std::string& Attempt::type() const { return state_.start.request.type; }
const std::string& Attempt::account() const { return state_.start.request.account; }
int Attempt::attempt() const { return state_.start.request.attempt; }
int Attempt::max_attempts() const { return state_.start.request.max_attempts; }
const std::string& Attempt::token() const { return state_.token; }

// Parsed on first use, because many handlers never ask for them.
const nlohmann::json& Attempt::args() const {
  if (!state_.args) state_.args = nlohmann::json::parse(raw_args());
  return *state_.args;
}

const std::string& Attempt::raw_args() const {
  if (!state_.start.request.items.empty()) {
    throw std::logic_error("jobs of type " + type() +
                           " are passed to the handler together: their arguments are in items()");
  }
  static const std::string kNone = "{}";
  const std::string& raw = state_.start.request.args;
  return raw.empty() ? kNone : raw;
}

const std::optional<Replay>& Attempt::replay() const { return state_.replay; }

const std::vector<Item>& Attempt::items() const {
  if (state_.items) return *state_.items;
  std::vector<Item> items;
  for (const AttemptItem& item : state_.start.request.items) {
    const std::string raw = item.args.empty() ? "{}" : item.args;
    items.push_back({item.id, nlohmann::json::parse(raw), item.attempt, pairs(item.headers), raw,
                     replay_of(item.replay)});
  }
  return state_.items.emplace(std::move(items));
}

void Attempt::set_outcome(std::size_t item, Outcome outcome) {
  const std::size_t count = state_.start.request.items.size();
  if (item >= count) {
    throw std::out_of_range("the batch has " + std::to_string(count) + " items, none at " +
                            std::to_string(item));
  }
  if (outcome.kind == Outcome::Kind::kNext) {
    throw std::invalid_argument("next() applies to the whole batch: return it instead");
  }
  // A handler that has caught AttemptStopped goes on, but what it says no longer counts.
  if (state_.has_stopped()) return;
  state_.outcomes.resize(count);
  state_.outcomes[item] = to_value(outcome);
}

void Attempt::progress(std::int64_t n, std::int64_t total) {
  if (n < 0 || total < 0) throw std::invalid_argument("progress must not be negative");
  const auto now = State::Clock::now();
  // The last report of a loop is never dropped, so that 100 % is shown.
  if (n < total && now < state_.next_progress) return;
  state_.next_progress = now + kProgressEvery;
  state_.progress(n, total);
}

const nlohmann::json& Attempt::cursor() const {
  const std::string& raw = state_.start.request.cursor;
  if (!state_.cursor) state_.cursor = nlohmann::json::parse(raw.empty() ? "null" : raw);
  return *state_.cursor;
}

const std::string& Attempt::raw_cursor() const { return state_.start.request.cursor; }

const std::vector<std::pair<std::string, std::string>>& Attempt::headers() const {
  return state_.headers;
}

std::string_view Attempt::header(std::string_view name) const {
  // As in Kafka, the last header of a name wins.
  for (auto it = state_.headers.rbegin(); it != state_.headers.rend(); ++it) {
    if (it->first == name) return it->second;
  }
  return {};
}

std::chrono::steady_clock::time_point Attempt::deadline() const { return state_.deadline(); }
bool Attempt::stop_requested() const { return state_.is_asked_to_stop(); }
void Attempt::heartbeat() { state_.alive(); }
void Attempt::checkpoint(const nlohmann::json& cursor) { save(cursor.dump()); }
void Attempt::checkpoint_raw(std::string cursor) {
  check_json(cursor);
  save(std::move(cursor));
}
void Attempt::save(std::string cursor) {
  if (cursor.size() > kMaxCursorBytes) {
    throw std::length_error("a cursor of " + std::to_string(cursor.size()) +
                            " bytes cannot be saved; at most " + std::to_string(kMaxCursorBytes) +
                            " can: store the data elsewhere and put its key into the cursor");
  }
  state_.checkpoint(std::move(cursor));
}
void Attempt::enqueue(JobRequest job) { state_.enqueue(job); }

}  // namespace penstock
