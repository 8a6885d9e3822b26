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
  flow->own.flow = flow;
  flows_.emplace(flow->account, flow);
  return *flow;
}

Line* Lines::find(Flow& flow, std::string_view line) {
  if (flow.own.name == line) return &flow.own;
  for (const auto& other : flow.others) {
    if (other->name == line) return other.get();
  }
  return nullptr;
}

Line& Lines::make(Flow& flow, std::string_view line) {
  if (Line* const found = find(flow, line)) return *found;
  if (!flow.own.has_jobs() && flow.own.gate.unused()) {
    flow.own.name = line;
    flow.own.loaded_to = kNothingLoaded;
    return flow.own;
  }
  flow.others.push_back(std::make_unique<Line>());
  flow.others.back()->flow = &flow;
  flow.others.back()->name = line;
  return *flow.others.back();
}

void Lines::forget(Flow& flow) {
  PENSTOCK_CHECK(flow.idle() && !flow.fair.ready, "only an idle flow is forgotten");
  flow.each([](const Line& line) {
    PENSTOCK_CHECK(line.gate.unused(), "a line without jobs waits for nothing");
  });
  flows_.erase(flow.account);
  flow.fair = {};
  flow.others.clear();
  flow.own.name.clear();
  flow.own.loaded_to = kNothingLoaded;
  flow.own.blocked_until = Time{};
  free_.push_back(&flow);
}

void Lines::tidy(Flow& flow) {
  std::erase_if(flow.others, [](const auto& line) { return !line->has_jobs() && line->gate.unused(); });
}

void Lines::insert(Line& line, LiveJob* job) {
  job->flow = line.flow;
  job->line = &line;
  LiveJob* before = line.jobs.last();
  while (before && job->place < before->place) before = before->previous;
  line.jobs.insert_after(before, job);
}

LiveJob* Lines::first(Line& line) {
  if (line.jobs.empty() && line.more) refill(line);
  return line.jobs.first();
}

LiveJob* Lines::first(Flow& flow) {
  LiveJob* first_job = nullptr;
  flow.each([&](Line& line) {
    if (!line.ready()) return;
    LiveJob* const job = first(line);
    if (job && (!first_job || job->place < first_job->place)) first_job = job;
  });
  return first_job;
}

// A running job keeps its row.
bool Lines::runs(const Flow& flow, std::string_view row_key) {
  for (const LiveJob* job = flow.running.first(); job; job = job->next) {
    if (job->row_key == row_key) return true;
  }
  return false;
}

void Lines::refill(Line& line) {
  const std::string& account = line.flow->account;
  const std::string prefix = keys::line_prefix(account, line.name);
  std::string from = prefix;
  if (line.loaded_to != kNothingLoaded) {
    from = keys::line(account, line.name, line.loaded_to.order, line.loaded_to.offset.next());
  }
  line.more = false;
  std::size_t loaded = 0;
  view_.scan(from, keys::after_prefix(prefix), [&](std::string_view key, std::string_view value) {
    if (loaded == kRefill) {
      line.more = true;
      return false;
    }
    if (runs(*line.flow, key)) return true;
    Result<JobRow> row = JobRow::decode(value);
    PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
    const keys::LineKey place = keys::parse_line(key);
    LiveJob* const job = pool_.take();
    job->row = std::move(*row);
    job->digest = identity_digest(job->row.account, job->row.id);
    job->place = {place.order, place.offset};
    job->row_key = key;
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
  while (line.jobs.size() > keep) {
    LiveJob* const last = line.jobs.last();
    PENSTOCK_CHECK(!last->row_key.empty(), "a job without row stays in memory");
    line.jobs.remove(last);
    line.more = true;
    line.loaded_to = line.jobs.empty() ? LinePlace{last->place.order, Offset{last->place.offset.value - 1}}
                                       : line.jobs.last()->place;
    pool_.give_back(last);
  }
}

void Lines::rebuild(const std::function<void(Flow&)>& found) {
  std::string from(1, keys::kLine);
  const std::string end = keys::after_prefix(from);
  for (bool any = true; any;) {
    any = false;
    view_.scan(from, end, [&](std::string_view key, std::string_view) {
      const keys::LineKey line = keys::parse_line(key);
      Flow& flow = make(line.account);
      make(flow, line.line).more = true;
      any = true;
      from = keys::after_prefix(keys::line_prefix(line.account, line.line));
      found(flow);
      return false;
    });
  }
}

}  // namespace penstock
