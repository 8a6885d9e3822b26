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

// The situation of the partition's owner when slots are exchanged.
struct SlotStanding {
  bool waited = false;        // the take-over wait has ended: no attempt of an earlier owner runs
  bool leaving = false;       // nothing starts any more
  bool control_read = false;  // what operators have set is known
};

class PartitionTask {
 public:
  virtual ~PartitionTask() = default;

  // The rows are those of the log and belong to this epoch; `seq` is the last commit in them. The
  // task then reads what it needs of them, one bounded step per call of restore_some(), until it is
  // no longer restoring(). Before that, it takes no input, starts nothing and sends nothing.
  virtual void restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) = 0;
  [[nodiscard]] virtual bool restoring() const = 0;
  virtual void restore_some(Now now) = 0;

  // Takes the records from input_next() on, until wants_input() no longer holds. It leaves the
  // others: the reader must come back to input_next().
  virtual void admit(std::span<const LogRecord> records, Now now) = 0;
  // Whether the commit that is being built and the outbox have room for what further work adds.
  [[nodiscard]] virtual bool wants_input() const = 0;
  [[nodiscard]] virtual Offset input_next() const = 0;
  // The records below this are gone.
  virtual void skip_to(Offset next) = 0;
  // Tells which of the records are messages.
  [[nodiscard]] virtual Arrivals& arrivals() = 0;

  // What operators have set is in force from now on. It must outlive the task, or be replaced.
  virtual void set_control(const Control* control, Now now) = 0;
  // Time has passed.
  virtual void advance(Now now) = 0;
  // Sends the other side of shared limits what it must know.
  virtual void exchange_slots(const SlotStanding& standing, Now now) = 0;
  // When one of the last two functions has something to do, if nothing else happens before.
  [[nodiscard]] virtual std::optional<Time> next_time() = 0;

  // Writes what is in memory alone into the view, for the commit `seq` that is being built.
  virtual void save(std::uint64_t seq) = 0;
  [[nodiscard]] virtual bool dirty() const = 0;
  [[nodiscard]] virtual std::size_t unsaved_bytes() const = 0;
};

}  // namespace penstock
