// A record of a dead topic, read: a bad record or a dead job, with the headers that say why it is
// there (topics/record/dead_letter.h). Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topics/json/json_document.h"
#include "topics/log.h"
#include "topics/record/dead_letter.h"

namespace penstock {

struct DeadEntry {
  PartitionId partition = 0;
  Offset offset;
  std::optional<std::string> key, value;
  std::vector<Header> headers;  // the original's, without those of the letter
  std::string reason, detail, source;
  int attempts = 0;
  std::optional<Time> at;                  // when it died
  bool derived = false;                    // its id may be as long as one that Penstock derives
  std::optional<std::uint64_t> cut_bytes;  // of the original value, if only a part was kept
  // As far as the value is a JSON object that has them. A dead job without an id was known by its
  // source.
  std::string type, id;

  // Whether it was a job; otherwise, it is a record that was never admitted.
  [[nodiscard]] bool is_job() const;
};

// Reads the headers and the key, which suffice for most filters, and then the value. Belongs to one
// thread.
class DeadEntryReader {
 public:
  [[nodiscard]] DeadEntry read_letter(PartitionId partition, const LogRecord& record) const;
  void read_value(DeadEntry& entry, const LogRecord& record);

 private:
  JsonDocument document_;
};

}  // namespace penstock
