#include "consumer/lines.h"

#include "state/keys.h"
#include "topics/check.h"

namespace penstock {

Flow* Lines::find(std::string_view account) {
  const auto found = flows_.find(account);
  return found == flows_.end() ? nullptr : found->second;
}

Flow& Lines::make(std::string_view account) {
  if (Flow* const flow = find(account)) return *flow;
  if (free_.empty()) {
    storage_.push_back(std::make_unique<Flow>());
    free_.push_back(storage_.back().get());
  }
  Flow* const flow = free_.back();
  free_.pop_back();
  flow->account = account;
  flows_.emplace(flow->account, flow);
  return *flow;
}

void Lines::forget(Flow& flow) {
  PENSTOCK_CHECK(flow.idle() && !flow.fair.ready, "only an idle flow is forgotten");
  flows_.erase(flow.account);
  flow.fair = {};
  flow.loaded_to = {INT64_MIN, Offset{-1}};
  flow.blocked_until = Time{};
  free_.push_back(&flow);
}

void Lines::insert(Flow& flow, LiveJob* job) {
  job->flow = &flow;
  LiveJob* before = flow.line.last();
  while (before && job->place < before->place) before = before->previous;
  flow.line.insert_after(before, job);
}

LiveJob* Lines::first(Flow& flow) {
  if (flow.line.empty() && flow.more) refill(flow);
  return flow.line.first();
}

// A running job keeps its row.
bool Lines::runs(const Flow& flow, const LinePlace& place) {
  for (const LiveJob* job = flow.running.first(); job; job = job->next) {
    if (job->place == place) return true;
  }
  return false;
}

void Lines::refill(Flow& flow) {
  const std::string prefix = keys::line_prefix(flow.account);
  std::string from = prefix;
  if (flow.loaded_to.order != INT64_MIN) {
    from = keys::line(flow.account, flow.loaded_to.order, flow.loaded_to.offset.next());
  }
  flow.more = false;
  std::size_t loaded = 0;
  view_.scan(from, keys::after_prefix(prefix), [&](std::string_view key, std::string_view value) {
    if (loaded == kRefill) {
      flow.more = true;
      return false;
    }
    const keys::LineKey place = keys::parse_line(key);
    if (runs(flow, {place.order, place.offset})) return true;
    Result<JobRow> row = JobRow::decode(value);
    PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
    LiveJob* const job = pool_.take();
    job->row = std::move(*row);
    job->digest = identity_digest(job->row.account, job->row.id);
    job->place = {place.order, place.offset};
    job->row_key = key;
    job->identity_row = true;
    job->flow = &flow;
    flow.line.push_back(job);
    flow.loaded_to = job->place;
    ++loaded;
    return true;
  });
}

void Lines::trim(Flow& flow, std::size_t keep) {
  while (flow.line.size() > keep) {
    LiveJob* const last = flow.line.last();
    PENSTOCK_CHECK(!last->row_key.empty(), "a job without row stays in memory");
    flow.line.remove(last);
    flow.more = true;
    flow.loaded_to = flow.line.empty() ? LinePlace{last->place.order, Offset{last->place.offset.value - 1}}
                                       : flow.line.last()->place;
    pool_.give_back(last);
  }
}

void Lines::rebuild(const std::function<void(Flow&)>& found) {
  std::string from(1, keys::kLine);
  const std::string end = keys::after_prefix(from);
  for (bool any = true; any;) {
    any = false;
    view_.scan(from, end, [&](std::string_view key, std::string_view) {
      Flow& flow = make(keys::parse_line(key).account);
      flow.more = true;
      any = true;
      from = keys::after_prefix(keys::line_prefix(flow.account));
      found(flow);
      return false;
    });
  }
}

}  // namespace penstock
