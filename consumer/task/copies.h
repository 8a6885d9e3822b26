// The copies that replays make in a partition: of the records of its own past, and of those that
// other partitions and queues send here.
//
//   take     -> ReplayFilter -> a copy of this partition: Folding, Placement
//                            -> of another one, or of another queue: the outbox
//   receive  -> a copy that was sent here
//
// What always holds: a record is taken in the commit that has its copy, its id and the replay's
// position (consumer/copies/partition_replay.h).
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/task/core/core.h"
#include "consumer/task/folding.h"
#include "consumer/task/outcome/placement.h"
#include "topics/log.h"
#include "topics/record/job_record.h"

namespace penstock {

class Copies {
 public:
  struct Parts {
    Folding& folding;
    Placement& placement;
  };

  Copies(Core& core, const Parts& parts) : core_(core), parts_(parts) {}

  // For which replay records are read: another one may have its name later.
  struct Reading {
    std::string replay;
    Time started_at{};
    friend bool operator==(const Reading&, const Reading&) = default;
  };
  // What a replay has left to read: records of its source from `from` on.
  struct Source {
    Reading of;
    bool dead = false;  // of the dead topic; otherwise of the queue's
    const std::vector<std::string>* through = nullptr;  // a program, unless it is empty
    Offset from, to;
    bool has_room = false;  // it may make copies, but for its rate
  };
  // Of the replays that go on and are not read to their end, by their names.
  [[nodiscard]] std::vector<Source> sources();
  // Whether it could take the record at this offset now, but for the bounds of a step.
  [[nodiscard]] bool takes(const Reading& reading, Offset offset, Now now);
  // Whether the bounds of a step permit no more.
  [[nodiscard]] bool is_step_spent() const;
  // Whether its records go through no program.
  [[nodiscard]] bool takes_directly(const Reading& reading);
  // Records of its source, from there on. Returns how many were taken.
  [[nodiscard]] std::size_t take(const Reading& reading, std::span<const LogRecord> records);

  // -- Where the records go through a program

  // The line that it gets for this record; absent: none.
  [[nodiscard]] std::optional<std::string> line_for(const Reading& reading,
                                                    const LogRecord& record);
  // The same as take() of one record, with the program's answer if it has got a line. False: it was
  // not taken.
  [[nodiscard]] bool take_answered(const Reading& reading, const LogRecord& record,
                                   const std::optional<std::string>& answer);
  // The replay pauses itself for this reason.
  void pause(const Reading& reading, const std::string& reason);

  // The records before this one are gone.
  void lost_before(const Reading& reading, Offset start);
  // The source has been read and taken to its end: there are none before this one.
  void absent_before(const Reading& reading, Offset end);

  // A copy that was sent here. `origin`: JobRow::replay; `queue`: of the replay, if it is another;
  // otherwise, the replay was started at `started_at`.
  void receive(const LogRecord& record, const JobRecord& job, std::string_view origin,
               std::string_view queue, Time started_at);
  // Tells the control topic what is due.
  void report();

 private:
  struct Copy;  // one that is being made
  // Its texts, kept for their memory.
  struct Texts {
    std::string id, value, origin;
  };

  // Null: nothing of it is read any more.
  [[nodiscard]] PartitionReplay* find(const Reading& reading);
  [[nodiscard]] bool knows_queue(PartitionReplay& replay);
  [[nodiscard]] Offset admitted_before(const PartitionReplay& replay) const;
  [[nodiscard]] bool may_take(PartitionReplay& replay, Offset offset);
  void take(PartitionReplay& replay, const LogRecord& record,
            const std::optional<std::string>& answer = std::nullopt);
  void take_answer(PartitionReplay& replay, const LogRecord& record,
                   const ReplayFilter::Verdict& verdict, std::string_view answer);
  void copy(PartitionReplay& replay, const LogRecord& record, const JobRecord& job,
            const std::string& of, const std::string& source);
  void make(PartitionReplay& replay, const Copy& copy);
  void send(const Copy& copy, const Destination& to, Time started_at);
  [[nodiscard]] LiveJob* fill(const Copy& copy, bool keep_expiry);
  [[nodiscard]] bool admit(LiveJob* live, const JobRecord& job);

  Core& core_;
  const Parts parts_;
  Texts texts_;
};

}  // namespace penstock
