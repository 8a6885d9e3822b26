// Task: the jobs one bounded piece after the other, for lists that are longer than a loop may look
// at once.
#include <algorithm>
#include <tuple>

#include "consumer/task/task.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::string_view kWalkOrder{
    "ldue"};  // of the rows' kinds, as state/rows/keys.h names them

// As the bytes of a line key compare, without making one.
auto line_rank(std::string_view account, std::string_view line, std::int64_t order, Offset offset) {
  return std::tuple(account.size(), account, line.size(), line, order, offset);
}

bool contains_all(std::string_view bytes, const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [bytes](const std::string& text) {
    return bytes.find(text) != std::string_view::npos;
  });
}

}  // namespace

// The state of one piece.
struct Task::Walker {
  Task& task;
  const WalkPiece& piece;
  const Now now;
  const WalkFunction& function;
  int rows = 0;
  std::size_t bytes = 0;
  std::vector<const LiveJob*> unsaved;  // without a row, in their order
  std::size_t next_unsaved = 0;
  std::string last;
  bool full = false;

  // What the piece has passed: false when it is full.
  bool passed(std::string_view key, std::size_t size, bool more) {
    last = key;
    bytes += size;
    full = !more || ++rows >= piece.max_rows || bytes >= kMaxBytesAPiece;
    return !full;
  }

  bool show(std::string_view key, std::string_view value) {
    if (!contains_all(value, piece.containing)) return passed(key, value.size(), true);
    const Result<JobRow> row = JobRow::decode(value);
    PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
    if (!piece.account.empty() && row->account != piece.account)
      return passed(key, value.size(), true);
    const LiveJob* const live = task.in_memory(key, *row);
    return passed(key, value.size(), function(task.describe(live ? live->row : *row, live, now)));
  }

  bool show_unsaved_before(std::string_view key) {
    while (next_unsaved < unsaved.size()) {
      const LiveJob* const job = unsaved[next_unsaved];
      const std::string own = task.line_key(job);
      if (!key.empty() && own >= key) return true;
      ++next_unsaved;
      if (!passed(own, job->row.value.size(), function(task.describe(job->row, job, now))))
        return false;
    }
    return true;
  }

  // Good while `buffer` is.
  [[nodiscard]] auto rank(const LiveJob* job, std::string& buffer) const {
    return line_rank(job->row.account, task.line_of(job->row, buffer), job->place.order,
                     job->place.offset);
  }

  // The jobs of memory alone that this piece can come to.
  void gather_unsaved(std::string_view from) {
    const bool begun = !from.empty() && from.front() == keys::kLine;
    const keys::LineKey start = begun ? keys::parse_line(from) : keys::LineKey{};
    const auto first_rank = line_rank(start.account, start.line, start.order, start.offset);
    std::string buffer, other;
    for (const LiveJob* const job : task.unsaved_) {
      if (!job->row_key.empty()) continue;
      if (!piece.account.empty() && job->row.account != piece.account) continue;
      if (begun && rank(job, buffer) <= first_rank) continue;
      unsaved.push_back(job);
    }
    const auto wanted = std::min(unsaved.size(), static_cast<std::size_t>(piece.max_rows));
    std::partial_sort(
        unsaved.begin(), unsaved.begin() + static_cast<std::ptrdiff_t>(wanted), unsaved.end(),
        [&](const LiveJob* a, const LiveJob* b) { return rank(a, buffer) < rank(b, other); });
    unsaved.resize(wanted);
  }

  void walk_kind(char kind, std::string_view after) {
    const bool line = kind == keys::kLine;
    const std::string prefix =
        line && !piece.account.empty() ? keys::line_prefix(piece.account) : std::string(1, kind);
    const std::string from = after.empty() ? prefix : std::string(after) + '\0';
    if (line) gather_unsaved(after);
    task.view_.scan(from, keys::after_prefix(prefix),
                    [&](std::string_view key, std::string_view value) {
                      return show_unsaved_before(key) && show(key, value);
                    });
    if (line && !full) (void)show_unsaved_before({});
  }
};

bool Task::is_walk_key(std::string_view key) {
  if (key.empty() || kWalkOrder.find(key.front()) == std::string_view::npos) return false;
  const std::size_t numbers = 2 * sizeof(std::int64_t);
  if (key.front() != keys::kLine) return key.size() > 1;
  const std::size_t line_at =
      key.size() > 2 ? 2 + static_cast<std::size_t>(static_cast<unsigned char>(key[1])) : 0;
  if (line_at <= 2 || line_at >= key.size()) return false;
  return key.size() == line_at + 1 + static_cast<unsigned char>(key[line_at]) + numbers;
}

std::optional<std::string> Task::walk(const WalkPiece& piece, Now now,
                                      const WalkFunction& function) {
  Walker walker{*this, piece, now, function, 0, 0, {}, 0, {}, false};
  const std::size_t begin = piece.after.empty() ? 0 : kWalkOrder.find(piece.after.front());
  PENSTOCK_CHECK(begin != std::string_view::npos, "a walk goes on behind a job's row");
  for (std::size_t i = begin; i < kWalkOrder.size(); ++i) {
    const char kind = kWalkOrder[i];
    if (kind == keys::kEnded ? !piece.ended : !piece.live) continue;
    const bool goes_on = !piece.after.empty() && kind == piece.after.front();
    walker.walk_kind(kind, goes_on ? std::string_view(piece.after) : std::string_view());
    if (walker.full) return std::move(walker.last);
  }
  return std::nullopt;
}

// Only jobs that are due are in memory, and a line's jobs in memory lie in its order.
const LiveJob* Task::in_memory(std::string_view key, const JobRow& row) {
  Flow* const flow = lines_.find(row.account);
  if (!flow) return nullptr;
  const LiveJob* running = nullptr;
  flow->each_running([&](const LiveJob* job) {
    if (job->row_key == key) running = job;
  });
  if (running) return running;
  std::string buffer;
  const Line* const line = Lines::find(*flow, line_of(row, buffer));
  if (!line) return nullptr;
  const LinePlace place = place_of(row);
  for (const LiveJob* job = line->jobs.first(); job && job->place <= place; job = job->next) {
    if (job->row_key == key) return job;
  }
  return nullptr;
}

bool Task::is_bulk_key(std::string_view key) {
  if (key.size() < 2 || key.front() != keys::kBulk) return false;
  const std::size_t bulk_at = 2 + static_cast<std::size_t>(static_cast<unsigned char>(key[1]));
  return bulk_at < key.size() &&
         key.size() == bulk_at + 1 + static_cast<unsigned char>(key[bulk_at]);
}

std::optional<std::string> Task::walk_bulks(const std::string& after, std::string_view account,
                                            int most, const BulkFunction& function) {
  return bulks_.walk(after, account, most, [&](const Bulks::Progress& bulk) {
    BulkProgress progress{bulk, 0};
    const Flow* const flow = lines_.find(bulk.account);
    if (flow) {
      flow->each_running([&](const LiveJob* job) {
        if (job->row.bulk_index >= 0 && job->row.bulk == bulk.id) ++progress.running;
      });
    }
    function(progress);
  });
}

std::optional<std::string> Task::tally_accounts(const std::string& after, int max_rows,
                                                const TallyFunction& function) {
  const std::string prefix(1, keys::kLine);
  AccountTally tally;
  std::optional<std::string> last;
  int rows = 0;
  const auto give = [&] {
    if (tally.jobs == 0) return;
    const Flow* const flow = lines_.find(tally.account);
    tally.running = flow ? flow->running.size() : 0;
    function(tally);
  };
  view_.scan(after.empty() ? prefix : after + '\0', keys::after_prefix(prefix),
             [&](std::string_view key, std::string_view) {
               const std::string_view account = keys::parse_line(key).account;
               if (account != tally.account) {
                 give();
                 tally = {std::string(account), 0, 0};
               }
               ++tally.jobs;
               if (++rows < max_rows) return true;
               last = key;
               return false;
             });
  give();
  return last;
}

}  // namespace penstock
