// What happens to a new job whose unique key is held by another job: it is dropped, folded into the
// holder, goes dead, or becomes a job beside it (docs/unique.md has the table). Used by the
// partition's one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "consumer/task/core/core.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/outcome/unique_keys.h"
#include "topics/record/job_record.h"

namespace penstock {

class Folding {
 public:
  struct Parts {
    BatchCursor& cursor;
    UniqueKeys& unique;
    Endings& endings;
    Placement& placement;
  };

  Folding(Core& core, const Parts& parts) : core_(core), parts_(parts) {}

  // Whether a new job of a type with uniqueness becomes a job; if not, it has ended. `record` is
  // its own record.
  [[nodiscard]] bool admit(LiveJob* job, const JobRecord& record);
  // An ended job that is no copy is to run again: waiting copies end where nothing else keeps the
  // lock of its key from it.
  void make_way(const LiveJob* job);

 private:
  struct Standing {
    bool is_copy, runs;
  };
  enum class Folded : std::uint8_t { kYes, kRuns, kEnded };

  [[nodiscard]] bool end_behind_holder(LiveJob* copy);
  [[nodiscard]] bool is_waiting_copy(std::string_view account, const UniqueLocks::Holder& holder);
  void end_waiting_copies(const LiveJob* job);
  [[nodiscard]] std::vector<UniqueLocks::Holder> holders_of(const LiveJob* job);
  [[nodiscard]] std::optional<Standing> find_live(std::string_view account,
                                                  const UniqueLocks::Holder& holder);
  [[nodiscard]] bool meet_holders(LiveJob* job, std::string_view args);
  void end_folded(LiveJob* job, std::string_view into);
  [[nodiscard]] Folded fold_into(const UniqueLocks::Holder& holder, LiveJob* job,
                                 std::string_view args);
  void give_args(LiveJob* held, std::string value);
  void rewrite(LiveJob* held, bool in_memory, Time run_at);

  Core& core_;
  const Parts parts_;
};

}  // namespace penstock
