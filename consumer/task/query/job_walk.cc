#include "consumer/task/query/job_walk.h"

#include <algorithm>
#include <tuple>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::string_view kWalkOrder{kRowKinds.data(), kRowKinds.size()};

// Compares as the bytes of a line's key do, where each text follows its length.
auto line_rank(std::string_view account, std::string_view line, std::int64_t order, JobSeq seq) {
  return std::tuple(account.size(), account, line.size(), line, order, seq);
}

bool contains_all(std::string_view bytes, const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [bytes](const std::string& text) {
    return bytes.find(text) != std::string_view::npos;
  });
}

}  // namespace

// The state of one piece.
struct JobWalk::Walker {
  JobWalk& walk;
  Core& core;
  const Piece& piece;
  const Now now;
  const Function& function;
  int rows = 0;
  std::size_t bytes = 0;
  std::vector<const LiveJob*> unsaved;  // without a row, in their order
  std::size_t next_unsaved = 0;
  std::string last;
  bool full = false;

  [[nodiscard]] Queries::Detail detail() const {
    return piece.brief ? Queries::Detail::kBrief : Queries::Detail::kFull;
  }
  // What the piece has passed: false when it is full.
  bool passed(std::string_view key, std::size_t size, bool more) {
    last = key;
    bytes += size;
    full = !more || ++rows >= piece.max_rows || bytes >= kMaxBytesPerPiece;
    return !full;
  }

  bool show(std::string_view key, std::string_view value) {
    // Tested on the bytes, so that rows that cannot match are not decoded. They count nevertheless:
    // the bound is on the work, not on what is found.
    if (!contains_all(value, piece.containing)) return passed(key, value.size(), true);
    const Result<JobRow> row = JobRow::decode(value);
    PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
    if (!piece.account.empty() && row->account != piece.account)
      return passed(key, value.size(), true);
    const LiveJob* const live = walk.in_memory(key, *row);
    return passed(key, value.size(),
                  function(walk.queries_.describe(live ? live->row : *row, live, now, detail())));
  }

  bool show_unsaved_before(std::string_view key) {
    while (next_unsaved < unsaved.size()) {
      const LiveJob* const job = unsaved[next_unsaved];
      const std::string own = core.order.key_of(*job);
      // Merged in by key, so that a walk can continue after any job, whether it has a row or not.
      if (!key.empty() && own >= key) return true;
      ++next_unsaved;
      if (!passed(own, job->row.value.size(),
                  function(walk.queries_.describe(job->row, job, now, detail()))))
        return false;
    }
    return true;
  }

  // Good while `buffer` is.
  [[nodiscard]] auto rank(const LiveJob* job, std::string& buffer) const {
    return line_rank(job->row.account, core.order.line_of(job->row, buffer), job->place.order,
                     job->place.seq);
  }

  // The jobs of memory alone that this piece can come to.
  void gather_unsaved(std::string_view from) {
    const bool begun = !from.empty() && from.front() == keys::kLine;
    const keys::LineKey start = begun ? keys::parse_line(from) : keys::LineKey{};
    const auto first_rank = line_rank(start.account, start.line, start.order, start.seq);
    // Two buffers, because a rank may be a view into its buffer, and two ranks are compared.
    std::string buffer, other;
    for (const LiveJob* const job : core.store.unsaved()) {
      if (!job->row_key.empty()) continue;
      if (!piece.account.empty() && job->row.account != piece.account) continue;
      if (begun && rank(job, buffer) <= first_rank) continue;
      unsaved.push_back(job);
    }
    const auto wanted = std::min(unsaved.size(), static_cast<std::size_t>(piece.max_rows));
    // No more than max_rows of them can be shown, however many there are.
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
    core.view.scan(from, keys::after_prefix(prefix),
                   [&](std::string_view key, std::string_view value) {
                     return show_unsaved_before(key) && show(key, value);
                   });
    // Behind the last row.
    if (line && !full) (void)show_unsaved_before({});
  }
};

bool JobWalk::is_key(std::string_view key) {
  // The key comes from a client; a wrong one must be refused here, because parsing it would abort.
  if (key.empty() || kWalkOrder.find(key.front()) == std::string_view::npos) return false;
  const std::size_t numbers = 2 * sizeof(std::int64_t);
  if (key.front() != keys::kLine) return key.size() > 1;
  const std::size_t line_at =
      key.size() > 2 ? 2 + static_cast<std::size_t>(static_cast<unsigned char>(key[1])) : 0;
  if (line_at <= 2 || line_at >= key.size()) return false;
  return key.size() == line_at + 1 + static_cast<unsigned char>(key[line_at]) + numbers;
}

std::optional<std::string> JobWalk::walk(const Piece& piece, Now now, const Function& function) {
  Walker walker{*this, core_, piece, now, function, 0, 0, {}, 0, {}, false};
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
const LiveJob* JobWalk::in_memory(std::string_view key, const JobRow& row) {
  Flow* const flow = core_.scheduler.lines().find(row.account);
  if (!flow) return nullptr;
  const LiveJob* running = nullptr;
  flow->each_running([&](const LiveJob* job) {
    if (job->row_key == key) running = job;
  });
  if (running) return running;
  std::string buffer;
  const Line* const line = Lines::find(*flow, core_.order.line_of(row, buffer));
  if (!line) return nullptr;
  const LinePlace place = core_.order.place_of(row);
  for (const LiveJob* job = line->jobs.first(); job && job->place <= place; job = job->next) {
    if (job->row_key == key) return job;
  }
  return nullptr;
}

}  // namespace penstock
