// What a tenure drives: the state machine of one partition, of a queue (Task) or of the slots topic
// (SlotTask). Pure: no I/O, clock, threads or chance. Belongs to its tenure's thread.
#pragma once

#include <optional>
#include <span>

#include "consumer/control/control.h"
#include "state/log/arrivals.h"
#include "topics/log.h"
#include "topics/values/types.h"

namespace penstock {

// How the partition's owner stands when slots are exchanged.
struct SlotStanding {
  bool waited = false;        // its take-over wait is over: no attempt of an earlier owner runs
  bool leaving = false;       // nothing starts any more
  bool control_read = false;  // what operators have set is known
};

class PartitionTask {
 public:
  virtual ~PartitionTask() = default;

  // The rows are those of the log and belong to this epoch; `seq` is the last commit in them. The
  // task then reads what it needs of them, a bounded piece per call of restore_some(), until it is
  // no longer restoring(). Before, it takes no input, starts nothing and sends nothing.
  virtual void restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) = 0;
  [[nodiscard]] virtual bool restoring() const = 0;
  virtual void restore_some(Now now) = 0;

  // Takes the records from input_next() on, until wants_input() no longer holds. The others are
  // left: the reader must come back to input_next().
  virtual void admit(std::span<const LogRecord> records, Now now) = 0;
  // Whether the commit that is being built and the outbox have room for what more would make.
  [[nodiscard]] virtual bool wants_input() const = 0;
  [[nodiscard]] virtual Offset input_next() const = 0;
  // The records below this are gone.
  virtual void skip_to(Offset next) = 0;
  // The messages among them.
  [[nodiscard]] virtual Arrivals& arrivals() = 0;

  // What operators have set, from now on; it must outlive the task, or be set anew.
  virtual void set_control(const Control* control, Now now) = 0;
  // Time has passed.
  virtual void advance(Now now) = 0;
  // Says to the other side of shared limits what it has to hear.
  virtual void exchange_slots(const SlotStanding& standing, Now now) = 0;
  // When one of these two has something to do, if nothing else happens before.
  [[nodiscard]] virtual std::optional<Time> next_time() = 0;

  // Writes what is only in memory into the view, for the commit `seq` that is being built.
  virtual void save(std::uint64_t seq) = 0;
  [[nodiscard]] virtual bool dirty() const = 0;
  [[nodiscard]] virtual std::size_t unsaved_bytes() const = 0;
};

}  // namespace penstock
