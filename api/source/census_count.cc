#include "api/source/census_count.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace penstock {
namespace {

constexpr std::size_t kMaxErrorNameBytes = 100, kShortNumber = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool older(const JobCensus::Account& a, const JobCensus::Account& b) {
  return std::tie(a.oldest, a.account) < std::tie(b.oldest, b.account);
}

}  // namespace

std::string_view error_name(std::string_view reason) {
  std::size_t end = std::min(reason.find_first_of("\n\r"), reason.size());
  for (std::size_t at = 1; at < end; ++at) {
    if (reason[at] == '"' || reason[at] == '\'') end = at;
    if (!is_digit(reason[at])) continue;
    const std::size_t begin = at;
    while (at < end && is_digit(reason[at])) ++at;
    // A short number is a status, which tells errors apart.
    if (at - begin > kShortNumber) end = begin;
  }
  end = std::min(end, kMaxErrorNameBytes);
  // No character is cut in the middle.
  while (end > 0 && end < reason.size() && (reason[end] & '\xc0') == '\x80') --end;
  while (end > 1 && reason[end - 1] == ' ') --end;
  return reason.substr(0, end);
}

void CensusCount::add(const ShownJob& job) {
  ++census_.states[std::string(to_string(job.state))];
  if (job.state == JobState::kDead || job.state == JobState::kRetrying) add_failure(job);
  if (is_terminal(job.state)) return;
  if (job.state != JobState::kRunning) ++census_.waiting[std::string(to_string(job.waits.kind))];
  if (job.state == JobState::kReady || job.state == JobState::kWaiting ||
      job.state == JobState::kRunning)
    add_to_account(job);
}

void CensusCount::add_failure(const ShownJob& job) {
  std::tuple key(job.type, std::string(error_name(job.reason)), job.state == JobState::kDead);
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    if (groups_.size() >= JobCensus::kMaxGroups) {
      census_.groups_full = true;
      return;
    }
    JobCensus::Group group{.type = job.type,
                           .error = std::get<1>(key),
                           .dead = std::get<2>(key),
                           .jobs = 0,
                           .last = {},
                           .id = job.id,
                           .account = job.account};
    found = groups_.emplace(std::move(key), std::move(group)).first;
  }
  ++found->second.jobs;
  found->second.last = std::max(found->second.last, job.started);
}

void CensusCount::add_to_account(const ShownJob& job) {
  if (open_ && open_->account != job.account) close_account();
  if (!open_) open_ = JobCensus::Account{job.account, 0, 0, job.created};
  ++open_->jobs;
  open_->running += job.state == JobState::kRunning ? 1 : 0;
  open_->oldest = std::min(open_->oldest, job.created);
}

void CensusCount::close_account() {
  if (!open_) return;
  census_.oldest.push_back(*std::exchange(open_, std::nullopt));
  // Not after each account, because sorting that often would cost more than it saves.
  if (census_.oldest.size() >= 2 * JobCensus::kMaxAccounts) cut_accounts();
}

void CensusCount::cut_accounts() {
  std::sort(census_.oldest.begin(), census_.oldest.end(), older);
  if (census_.oldest.size() > JobCensus::kMaxAccounts)
    census_.oldest.resize(JobCensus::kMaxAccounts);
}

void CensusCount::finish() {
  close_account();
  cut_accounts();
  for (auto& [key, group] : groups_) census_.failures.push_back(std::move(group));
  std::stable_sort(census_.failures.begin(), census_.failures.end(),
                   [](const auto& a, const auto& b) { return a.jobs > b.jobs; });
}

}  // namespace penstock
