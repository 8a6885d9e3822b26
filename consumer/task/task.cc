#include "consumer/task/task.h"

#include <algorithm>

#include "state/rows/encoding.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {

namespace {

// What write_row() writes at most: the row with its key, the identity's row, which has that key in
// it, and the expiry's.
std::size_t saved_bytes(const JobRow& row) {
  constexpr std::size_t kAround = 112;    // numbers, times, lengths
  constexpr std::size_t kKeyAround = 48;  // of a line's key: its kind, a bulk's digest, the place
  constexpr std::size_t kExpiryBytes = 32;
  const std::size_t names = row.account.size() + row.type.size();
  const std::size_t texts = names + row.id.size() + row.bulk.size() + row.reason.size() +
                            row.value.size() + row.origin.size() + row.cursor.size();
  const std::size_t expiry =
      row.expires_at == Time{} ? 0 : kExpiryBytes + row.account.size() + row.id.size();
  return kAround + texts + row.header_bytes() + 2 * (names + kKeyAround) + expiry;
}

Lines::Sharing sharing_of(const QueuePolicy& queue) {
  if (queue.order != Order::kFair) return Lines::Sharing::kNone;
  return queue.fair == FairShare::kFlat ? Lines::Sharing::kByOneClock
                                        : Lines::Sharing::kWithinAccounts;
}

}  // namespace

Task::Task(TaskOptions options, View& view, Outbox& outbox, TaskHost& host)
    : options_(std::move(options)),
      names_(options_.prefix, options_.queue.name),
      view_(view),
      outbox_(outbox),
      arrivals_(view, names_.topic() + "/" + std::to_string(options_.partition)),
      host_(host),
      fair_(sharing_of(options_.queue)),
      lines_(view, pool_, sharing_of(options_.queue), &fair_.clock(), options_.max_live_jobs,
             options_.max_flows),
      rest_(view, lines_),
      bulks_(view, DedupWindow(options_.queue.dedup_window).longest()),
      due_(view, keys::kDue),
      expiries_(view, keys::kExpiry),
      window_(options_.queue.dedup_window),
      limits_(options_.queue.name, options_.queue.account_concurrency, view_, clock_,
              options_.max_shared_limits),
      unique_locks_(view),
      unique_gates_(options_.queue.name),
      breakers_(view_, clock_) {}

Task::~Task() {
  lines_.each([](Flow& flow) { flow.each([](Line& line) { (void)Gate::leave(line); }); });
}

Status Task::check_state(View& view, const QueuePolicy& queue) {
  std::string bytes;
  if (view.get(keys::kMetaFormat, &bytes) && Cursor(bytes).u32() != keys::kFormatVersion) {
    return failure("the state of queue \"" + queue.name + "\" has format " +
                   std::to_string(Cursor(bytes).u32()) + ", this version reads " +
                   std::to_string(keys::kFormatVersion) + ": run the version that wrote it");
  }
  if (!view.get(keys::kMetaPartitions, &bytes)) return {};
  const std::uint32_t partitions = Cursor(bytes).u32();
  if (partitions == static_cast<std::uint32_t>(queue.partitions)) return {};
  return failure(
      "the state of queue \"" + queue.name + "\" was written for " + std::to_string(partitions) +
      " partitions, the configuration says " + std::to_string(queue.partitions) +
      ": another count would split accounts. Set it back, or begin a new queue with the new count "
      "and send the waiting jobs there");
}

void Task::put_meta(std::string_view key, std::uint32_t value) {
  std::string bytes;
  put_u32(bytes, value);
  view_.put(key, bytes);
}

void Task::restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) {
  commit_seq_ = seq + 1;
  last_token_ = {generation, epoch.value, 0, TokenPlace::of(names_.topic(), options_.partition)};
  std::string bytes;
  if (view_.get(keys::kMetaInputNext, &bytes)) input_next_ = Offset{Cursor(bytes).i64()};
  if (view_.get(keys::kMetaJobs, &bytes)) identity_rows_ = Cursor(bytes).u64();
  if (view_.get(keys::kMetaTurn, &bytes)) last_turn_ = Cursor(bytes).i64();
  arrivals_.restored();
  put_meta(keys::kMetaGeneration, generation);
  put_meta(keys::kMetaPartitions, static_cast<std::uint32_t>(options_.queue.partitions));
  put_meta(keys::kMetaFormat, keys::kFormatVersion);
  dirty_ = true;

  clock_ = now.wall;
  const std::uint32_t oldest = window_.oldest_kept(now.wall);
  dedup_.forget_before(oldest);
  unique_locks_.restored();
  due_.reset();
  expiries_.reset();
  unparking_ = true;
  const Restoration::Parts parts{view_, *options_.types, dedup_, limits_, breakers_, lines_};
  restoration_.emplace(parts, oldest);
  own_budget_ = StepBudget(options_.bounds);
}

void Task::restore_some(Now now) {
  clock_ = now.wall;
  if (!restoring() || unsaved_bytes() > kMaxUnsavedBytes) return;
  const auto found = [this](Line& line) { settle(line); };
  if (restoration_->step(options_.bounds.restored_rows, found)) return;
  if (restoration_->left_lines()) rest_.left();
  restoration_.reset();
}

bool Task::wants_input() const {
  if (restoring() && !planted(Bug::kAdmitsInRestoration)) return false;
  return unsaved_bytes() < kMaxUnsavedBytes && !outbox_.full();
}

// -- Lines

std::string_view Task::line_of(const JobRow& row, std::string& buffer) const {
  if (options_.queue.order == Order::kStrict) return {};
  const bool in_bulk = options_.queue.order == Order::kFair && !row.bulk.empty();
  if (!in_bulk || planted(Bug::kBulksInTurn)) return row.type;
  buffer.assign(row.type).push_back('\0');
  put_digest(buffer, identity_digest(row.account, row.bulk));
  return buffer;
}

std::string Task::line_key(const LiveJob* job) const {
  std::string buffer;
  return keys::line(job->row.account, line_of(job->row, buffer), job->place.order,
                    job->place.offset);
}

LinePlace Task::place_of(const JobRow& row) const {
  const Offset turn{row.turn >= 0 ? row.turn : turn_of(row.offset)};
  switch (options_.queue.order) {
    case Order::kReady:
      return {to_ms(row.run_at), turn};
    case Order::kFair:
      return {planted(Bug::kPriorityIgnored) ? 0 : row.priority, turn};
    default:
      return {0, turn};
  }
}

// Of what is in memory until the commit is built, all that it will write.
std::size_t Task::unsaved_bytes() const {
  return unsaved_bytes_ + ended_digests_.size() + bulks_.unsaved_bytes() +
         unique_locks_.unsaved_bytes() + breakers_.unsaved_bytes() + limits_.unsaved_bytes() +
         view_.batch().size();
}

void Task::mark_unsaved(LiveJob* job) {
  if (job->unsaved_at == LiveJob::kNotUnsaved) {
    job->unsaved_at = static_cast<std::uint32_t>(unsaved_.size());
    unsaved_.push_back(job);
  } else {
    unsaved_bytes_ -= job->unsaved_bytes;  // it may have grown
  }
  job->unsaved_bytes = saved_bytes(job->row);
  unsaved_bytes_ += job->unsaved_bytes;
}

void Task::forget_unsaved(LiveJob* job) {
  if (job->unsaved_at == LiveJob::kNotUnsaved) return;
  unsaved_.back()->unsaved_at = job->unsaved_at;
  unsaved_[job->unsaved_at] = unsaved_.back();
  unsaved_.pop_back();
  job->unsaved_at = LiveJob::kNotUnsaved;
  unsaved_bytes_ -= job->unsaved_bytes;
}

void Task::write_row(LiveJob* job, std::string key) {
  if (!job->row_key.empty() && job->row_key != key) view_.erase(job->row_key);
  view_.put(key, job->row.encode());
  if (!job->identity_row) {
    job->identity_row = true;
    ++identity_rows_;
    dedup_.remove(job->digest);  // the identity row tells of it from now on
    const bool waits = !is_terminal(job->row.state) || planted(Bug::kExpiryKept);
    if (waits && job->row.expires_at != Time{}) {
      std::string who;
      put_text(who, job->row.account);
      put_text(who, job->row.id);
      view_.put(keys::expiry(job->row.expires_at, job->row.offset), who);
      expiries_.added(job->row.expires_at, job->row.offset);
    }
  }
  if (job->row_key != key) view_.put(keys::identity(job->digest), key);
  job->row_key = std::move(key);
}

void Task::erase_row(LiveJob* job) {
  if (job->row_key.empty()) return;
  view_.erase(job->row_key);
  job->row_key.clear();
}

// The job leaves memory; its row, if any, stays.
void Task::release(LiveJob* job) {
  PENSTOCK_CHECK(!job->keeps(), "what leaves memory holds nothing");
  forget_unsaved(job);
  pool_.give_back(job);
}

// Takes a job that waits in memory out of its line.
void Task::detach(LiveJob* job) {
  if (!job->line) return;
  Line& line = *job->line;
  if (job->keeps()) let_go(job);
  const bool first = line.jobs.first() == job;
  const bool changes = first || line.collection;
  line.jobs.remove(job);
  line.collection.reset();
  job->line = nullptr;
  job->flow = nullptr;
  changes ? wake(line) : settle(line);
}

// Where there is no room for its account, its row alone waits until there is.
void Task::leave_row(LiveJob* job) {
  write_row(job, line_key(job));
  release(job);
  rest_.left();
}

void Task::enter_line(LiveJob* job) {
  job->place = job->turn = place_of(job->row);
  if (!lines_.has_room_for(job->row.account)) return leave_row(job);
  if (rest_.any() && !lines_.find(job->row.account) && !planted(Bug::kRestOvertaken)) {
    rest_.bring(job->row.account, [this](Line& found) { settle(found); });
  }
  Flow& flow = lines_.make(job->row.account);
  std::string buffer;
  Line& line = Lines::make(flow, line_of(job->row, buffer));
  if (job->keeps()) {
    job->place.order = kGoesOnFirst;
    erase_row(job);  // which might be loaded beside it
    lines_.load_to(line, job->place);
  }
  const bool changes = joins_batch(line, job);
  if (!Lines::loads(line, job->place)) {
    write_row(job, keys::line(flow.account, line.name, job->place.order, job->place.offset));
    release(job);
    return changes ? wake(line) : settle(line);
  }
  Lines::insert(line, job);
  mark_unsaved(job);
  if (changes || line.jobs.first() == job) return wake(line);
  if (line.gate.waits_at) line.gate.waits_at->joined();
  // The first may wait for what this one keeps.
  const bool waits = !line.gate.unused() || line.blocked_until != Time{};
  if (job->keeps() && waits && !planted(Bug::kKeptBehindWaiting)) let_go(job);
  settle(line);
}

void Task::to_due(LiveJob* job) {
  write_row(job, keys::due(job->row.run_at, job->row.offset));
  due_.added(job->row.run_at, job->row.offset);
  release(job);
}

// -- Time

// The jobs from `first` on whose time has come, in the order of their rows.
std::vector<LiveJob*> Task::load_due(const keys::TimeKey& first, std::size_t most, Now now) {
  std::vector<LiveJob*> jobs;
  std::size_t bytes = 0;
  keys::TimeKey last = first;
  view_.scan(keys::due(first.at, first.offset),
             keys::due(now.wall + Duration{1}, Offset{INT64_MIN}),
             [&](std::string_view key, std::string_view row) {
               jobs.push_back(load(key, row));
               last = keys::parse_time(key);
               bytes += row.size();
               return jobs.size() < most && bytes < kDueBytesAScan;
             });
  due_.removed_up_to(last);
  return jobs;
}

void Task::place_due(Now now) {
  for (std::size_t left = kMaxDueAStep;
       left > 0 && unsaved_bytes() < kMaxDueBytes && !outbox_.full();) {
    const auto first = due_.first_due(now.wall);
    if (!first) return;
    const std::vector<LiveJob*> jobs = load_due(*first, std::min(left, kDueAScan), now);
    PENSTOCK_CHECK(!jobs.empty(), "the index of due jobs knows rows that are there");
    for (LiveJob* const job : jobs) {
      erase_row(job);
      place(job, now);
    }
    left -= jobs.size();
  }
}

void Task::unblock_due(Now now) {
  for (std::size_t& left = budget().unblocked_lines; left > 0 && !blocked_.empty(); --left) {
    if (blocked_.begin()->first > now.wall) return;
    Line& line = *blocked_.begin()->second;
    blocked_.erase(blocked_.begin());
    line.blocked_until = Time{};
    settle(line);
  }
}

void Task::advance(Now now) {
  clock_ = now.wall;
  if (restoring()) return;
  own_budget_ = StepBudget(options_.bounds);
  if (unparking_) unpark_known_types(now);
  rest_.bring([this](Line& line) { settle(line); });
  place_due(now);
  unblock_due(now);
  open_due(now);
  expire_due(now);
  if ((pruning_ || now.wall >= next_prune_) && unsaved_bytes() < kMaxUnsavedBytes) {
    prune(now);
    next_prune_ = now.wall + kPruneEvery;
  }
}

std::optional<Time> Task::next_time() {
  const bool picks_left = budget().idle_picks == 0 && has_ready();
  const bool goes_on = pruning_ || has_reports();
  if (restoring() || unparking_ || picks_left || rest_.can_bring()) return Time{};
  if (goes_on && wants_input()) return Time{};
  std::optional<Time> next = due_.next();
  const auto sooner = [&](std::optional<Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  sooner(expiries_.next());
  if (!blocked_.empty()) sooner(blocked_.begin()->first);
  if (!timed_gates_.empty()) sooner((*timed_gates_.begin())->timer.at);
  sooner(limits_.shared().next_time());
  return next;
}

// -- Commit

void Task::save(std::uint64_t seq) {
  commit_seq_ = seq + 1;
  std::string bytes;
  put_i64(bytes, input_next_.value);
  view_.put(keys::kMetaInputNext, bytes);
  limits_.save();
  breakers_.save();
  const bool full = pool_.in_use() > options_.max_live_jobs;
  std::vector<Line*> crowded;
  while (!unsaved_.empty()) {
    if (planted(Bug::kInputFirst) && unsaved_.size() == 1 && !unsaved_.back()->identity_row &&
        seq % 2 == 0) {
      break;
    }
    LiveJob* const job = unsaved_.back();
    write_row(job, line_key(job));
    forget_unsaved(job);
    if (job->line && (job->line->jobs.size() > Lines::kKeptJobs || full))
      crowded.push_back(job->line);
  }
  bulks_.save();
  unique_locks_.save();
  for (Line* line : crowded) lines_.trim(*line, full ? 0 : Lines::kKeptJobs);
  if (!ended_digests_.empty()) {
    view_.put_unseen(keys::dedup(ended_bucket_, seq), ended_digests_);
    ended_digests_.clear();
  }
  bytes.clear();
  put_u64(bytes, identity_rows_);
  view_.put(keys::kMetaJobs, bytes);
  unsaved_bytes_ = 0;
  dirty_ = false;
  lines_.give_memory_back();
}

std::vector<Token> Task::running_tokens() const {
  std::vector<Token> tokens;
  tokens.reserve(running_.size());
  for (const auto& [number, job] : running_) tokens.push_back(job->token);
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

void Task::ask_all_to_stop() {
  std::vector<LiveJob*> running;
  for (const auto& [number, job] : running_) running.push_back(job);
  // The table's order differs from process to process; what a task does must not.
  std::sort(running.begin(), running.end(),
            [](const LiveJob* a, const LiveJob* b) { return a->token < b->token; });
  for (LiveJob* const job : running) {
    if (job->stop_asked) continue;
    job->stop_asked = true;
    host_.ask_to_stop(job->token);
  }
}

}  // namespace penstock
