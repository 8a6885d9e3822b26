// A line's place among the lines that have a job which could start (ready_lines.h). A place leaves
// the list when its line goes. Belongs to the partition's one thread.
#pragma once

#include <cstdint>

#include "topics/values/types.h"

namespace penstock {

struct Line;

struct ReadyPlace {
  explicit ReadyPlace(Line* of = nullptr) : line(of) {}
  ReadyPlace(const ReadyPlace&) = delete;
  ReadyPlace& operator=(const ReadyPlace&) = delete;
  ~ReadyPlace() { unlink(); }

  Line* const line;  // null: the head of a list
  ReadyPlace* previous = this;
  ReadyPlace* next = this;
  std::int64_t bucket = 0;  // while it is linked
  Time first_since{};       // of the line's first job, as far as it was last known
  Time opened_at{};         // when the line last ceased to wait for something else than its turn
  bool held = false;        // it waits for such a thing

  [[nodiscard]] bool linked() const { return next != this; }
  void unlink() {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }
  void link_before(ReadyPlace& place) {
    previous = place.previous;
    next = &place;
    previous->next = this;
    place.previous = this;
  }
};

}  // namespace penstock
