#include "consumer/schedule/lines/lines.h"

#include <algorithm>

#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

Flow* Lines::find(std::string_view account) {
  const auto found = flows_.find(account);
  return found == flows_.end() ? nullptr : found->second.get();
}

LiveJob* Lines::find_job(std::string_view account, std::string_view id) {
  Flow* const flow = find(account);
  if (!flow) return nullptr;
  LiveJob* found = nullptr;
  flow->each_running([&](LiveJob* job) {
    if (job->row.id == id) found = job;
  });
  flow->each([&](Line& line) {
    if (found) return;
    LiveJob* job = line.jobs.first();
    while (job && job->row.id != id) job = job->next;
    found = job;
  });
  return found;
}

Flow& Lines::make(std::string_view account) {
  if (Flow* const flow = find(account)) return *flow;
  // A flow is reused with its buffers, because accounts come and go with every job.
  if (free_.empty()) free_.push_back(std::make_unique<Flow>());
  std::unique_ptr<Flow> made = std::move(free_.back());
  free_.pop_back();
  Flow* const flow = made.get();
  flow->account = account;
  flow->own.flow = flow;
  if (sharing_ == Sharing::kWithinAccounts) flow->shares = std::make_unique<Shares>();
  if (sharing_ == Sharing::kByOneClock) flow->shares = std::make_unique<Shares>(*clock_);
  // The key is a view of the account's name in the flow, which does not move.
  flows_.emplace(flow->account, std::move(made));
  return *flow;
}

namespace {

constexpr std::size_t kTidyLines = 8;  // without jobs, that a flow may keep

Line* find_in(LineSet& set, std::string_view name) {
  if (set.own.name == name) return &set.own;
  for (const auto& other : set.others) {
    if (other->name == name) return other.get();
  }
  return nullptr;
}

void tidy(LineSet& set) {
  // Before the lines go, because it knows them by their addresses.
  if (Share* const share = set.own.share) share->flow->shares->at_gates.forget_others();
  std::erase_if(set.others, [](const auto& line) {
    return !line->has_jobs() && line->gate.unused() && line->blocked_until == Time{};
  });
}

void rename(Line& line, std::string_view name) {
  line.name = name;
  line.copies = is_copies_line(name);
  line.flow->had_copies = line.flow->had_copies || line.copies;
}

Line& make_in(LineSet& set, std::string_view name) {
  if (Line* const found = find_in(set, name)) return *found;
  // Most accounts have jobs of one type at a time, so the line in the set is renamed when it is
  // empty.
  if (!set.own.has_jobs() && set.own.gate.unused()) {
    rename(set.own, name);
    set.own.loaded_to = kNothingLoaded;
    set.own.collection.reset();
    return set.own;
  }
  if (set.others.size() > kTidyLines) tidy(set);
  set.others.push_back(std::make_unique<Line>());
  set.others.back()->flow = set.own.flow;
  set.others.back()->share = set.own.share;
  rename(*set.others.back(), name);
  return *set.others.back();
}

Share* find_share(Flow& flow, std::string_view name) {
  const auto found = flow.shares->by_name.find(name);
  return found == flow.shares->by_name.end() ? nullptr : found->second.get();
}

Share& make_share(Flow& flow, std::string_view name) {
  if (Share* const found = find_share(flow, name)) return *found;
  auto made = std::make_unique<Share>();
  Share& share = *made;
  share.flow = &flow;
  share.name = name;
  share.copies = name == kCopiesMark;
  if (share.copies) flow.shares->copies = &share;
  share.own.flow = &flow;
  share.own.share = &share;
  flow.shares->by_name.emplace(name, std::move(made));
  return share;
}

}  // namespace

Line* Lines::find(Flow& flow, std::string_view line) {
  if (!flow.shares) return find_in(flow, line);
  Share* const share = find_share(flow, share_name(line));
  return share ? find_in(*share, line) : nullptr;
}

Line& Lines::make(Flow& flow, std::string_view line) {
  return make_in(flow.shares ? make_share(flow, share_name(line)) : static_cast<LineSet&>(flow),
                 line);
}

void Lines::weigh(Share& share) const {
  const LiveJob* first_job = nullptr;
  share.each([&](const Line& line) {
    const LiveJob* const job = line.jobs.first();
    if (job && (!first_job || job->place < first_job->place)) first_job = job;
  });
  if (first_job) weigh(share, first_job->row.weight);
}

void Lines::weigh(Share& share, int weight) const {
  const bool of_account = share.name.empty() && sharing_ == Sharing::kWithinAccounts;
  (of_account ? share.flow->fair : share.fair).weight = weight;
}

void Lines::forget(Flow& flow) {
  const bool out = !flow.fair.ready && !(flow.shares && flow.shares->listed);
  PENSTOCK_CHECK(flow.idle() && out, "only an idle flow is forgotten");
  flow.each([](const Line& line) {
    PENSTOCK_CHECK(line.gate.unused(), "a line without jobs waits for nothing");
  });
  const auto found = flows_.find(flow.account);
  // Taken out of the map before it is cleared: its name is the map's key.
  std::unique_ptr<Flow> spare = std::move(found->second);
  flows_.erase(found);
  flow.fair = {};
  flow.shares.reset();
  flow.others.clear();
  flow.own.name.clear();
  flow.own.copies = flow.had_copies = flow.among_copies = false;
  flow.own.loaded_to = kNothingLoaded;
  flow.own.blocked_until = Time{};
  flow.own.collection.reset();
  flow.own.ready_place.unlink();
  flow.own.ready_place.held = false;
  flow.own.ready_place.opened_at = Time{};
  free_.push_back(std::move(spare));
}

void Lines::forget(Share& share) {
  PENSTOCK_CHECK(share.idle() && !share.fair.ready, "only an idle share is forgotten");
  share.each([](const Line& line) {
    PENSTOCK_CHECK(line.gate.unused(), "a line without jobs waits for nothing");
  });
  Shares& shares = *share.flow->shares;
  shares.at_gates.forget_others();
  if (share.copies) shares.copies = nullptr;
  shares.by_name.erase(shares.by_name.find(share.name));
}

void Lines::insert(Line& line, LiveJob* job) {
  job->flow = line.flow;
  job->line = &line;
  // From the end, where nearly all jobs belong.
  LiveJob* before = line.jobs.last();
  while (before && job->place < before->place) before = before->previous;
  line.jobs.insert_after(before, job);
}

void Lines::load_to(Line& line, const LinePlace& place) {
  while (!loads(line, place)) refill(line, refill_size());
}

LiveJob* Lines::first(Line& line) {
  if (line.jobs.empty() && line.more) refill(line, refill_size());
  return line.jobs.first();
}

LiveJob* Lines::next(LiveJob* job) {
  if (!job->next && job->line->more) refill(*job->line, kBatchRefill);
  return job->next;
}

LiveJob* Lines::first(LineSet& set) {
  LiveJob* first_job = nullptr;
  set.each([&](Line& line) {
    if (!line.ready()) return;
    LiveJob* const job = first(line);
    if (job && (!first_job || job->turn < first_job->turn)) first_job = job;
  });
  return first_job;
}

// The keys of the rows of running jobs, sorted.
std::vector<std::string_view> Lines::running_rows(const Flow& flow) {
  std::vector<std::string_view> keys;
  flow.each_running([&](const LiveJob* job) { keys.push_back(job->row_key); });
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::size_t Lines::refill_size() const {
  // One at least, however crowded memory is: without its first job, the line could not start
  // anything.
  return is_crowded() ? 1 : std::min(kRefill, max_live_jobs_ - pool_.in_use());
}

void Lines::refill(Line& line, std::size_t most) {
  const std::string& account = line.flow->account;
  const std::string prefix = keys::line_prefix(account, line.name);
  std::string from = prefix;
  if (line.loaded_to != kNothingLoaded) {
    from = keys::line(account, line.name, line.loaded_to.order, line.loaded_to.seq.next());
  }
  // Until the scan meets a row behind those that it loads.
  line.more = false;
  std::size_t loaded = 0;
  const std::vector<std::string_view> running = running_rows(*line.flow);
  view_.scan(from, keys::after_prefix(prefix), [&](std::string_view key, std::string_view value) {
    if (loaded == most) {
      line.more = true;
      return false;
    }
    // A running job keeps its row, and must not be loaded beside itself.
    if (std::binary_search(running.begin(), running.end(), key)) return true;
    Result<JobRow> row = JobRow::decode(value);
    PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
    const keys::LineKey place = keys::parse_line(key);
    LiveJob* const job = pool_.take();
    job->row = std::move(*row);
    job->digest = identity_digest(job->row.account, job->row.id);
    job->place = {place.order, place.seq};
    job->turn = LineOrder::turn_of(job->place, line.copies);
    job->row_key = key;
    job->ready_since = ready_since(job->row);
    job->identity_row = true;
    job->flow = line.flow;
    job->line = &line;
    line.jobs.push_back(job);
    line.loaded_to = job->place;
    ++loaded;
    return true;
  });
}

void Lines::trim(Line& line, std::size_t keep) {
  while (line.jobs.size() > keep && !line.jobs.last()->keeps()) drop_last(line);
}

void Lines::trim_saved(Line& line, std::size_t keep) {
  while (line.jobs.size() > keep) {
    const LiveJob* const last = line.jobs.last();
    if (last->row_key.empty() || last->unsaved_at != LiveJob::kNotUnsaved || last->keeps()) return;
    drop_last(line);
  }
}

void Lines::drop_last(Line& line) {
  LiveJob* const last = line.jobs.last();
  PENSTOCK_CHECK(!last->row_key.empty(), "a job without row stays in memory");
  line.jobs.remove(last);
  line.more = true;
  line.loaded_to = line.jobs.empty()
                       ? LinePlace{last->place.order, JobSeq{last->place.seq.value - 1}}
                       : line.jobs.last()->place;
  pool_.give_back(last);
}

void Lines::give_memory_back() {
  for (std::size_t left = kMaxFreedPerStep; left > 0 && free_.size() > kMaxSpareFlows; --left) {
    free_.pop_back();
  }
  if (free_.capacity() > 2 * kMaxSpareFlows && free_.size() <= kMaxSpareFlows) {
    free_.shrink_to_fit();
  }
  // What stays is moved, so only where it is little of what there was.
  constexpr std::size_t kMinTable = 4096, kSparse = 16;
  if (flows_.capacity() > kMinTable && flows_.size() < flows_.capacity() / kSparse) {
    flows_.rehash(0);
  }
}

}  // namespace penstock
