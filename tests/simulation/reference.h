// The one honoured history of a partition: a follower of its state log from the first record on,
// which nobody trims for it. It shows the checker what each honoured commit says. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "state/log/follower.h"
#include "state/rows/digest.h"
#include "state/rows/job_row.h"
#include "tests/simulation/reference_store.h"
#include "topics/log.h"

namespace penstock::simulation {

// A message as its row has it, and the name that it travels under.
struct Produced {
  std::string message;  // the value of penstock-message
  std::string topic;
  PartitionId partition = 0;
  std::string source;
  std::uint64_t seq = 0;
  std::optional<std::string> key, value;
  std::vector<Header> headers;

  // Empty where there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
};

struct CommitFacts {
  PartitionId partition = 0;
  Offset offset;
  Offset epoch;
  std::int64_t input_from = 0, input_next = 0;
  std::vector<Digest> ended;
  std::vector<Produced> produced;
  bool resurrected = false;  // a row that was gone for good is back
};

// "p1@17": how a commit is named in what is said about it.
[[nodiscard]] std::string name_of(const CommitFacts& facts);

class Reference final : public RowObserver {
 public:
  // `topic`: whose state it is.
  Reference(std::string topic, PartitionId partition);

  // Facts of a commit that is honoured; nullptr for any other record.
  const CommitFacts* feed(const LogRecord& record);

  [[nodiscard]] bool honoured(std::int64_t offset) const;
  [[nodiscard]] std::uint64_t digest_at(std::int64_t offset) const;
  [[nodiscard]] std::uint64_t seq_at(std::int64_t offset) const;
  [[nodiscard]] std::uint64_t hash_at(std::int64_t offset) const;
  [[nodiscard]] Offset epoch() const { return follower_.epoch(); }
  [[nodiscard]] const ReferenceStore& store() const { return store_; }
  [[nodiscard]] std::int64_t input_next() const { return facts_.input_next; }
  // A live or kept job's row; a fresh one where there is none.
  [[nodiscard]] JobRow row_of(const Digest& job) const;
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

  void row_put(std::string_view key, std::string_view value, bool fresh) override;

 private:
  struct Mark {
    bool honoured;
    std::uint64_t digest, seq, hash;
  };
  void messages_put(std::string_view key, std::string_view value);

  std::string topic_;
  PartitionId partition_;
  ReferenceStore store_;
  Follower follower_;
  std::vector<Mark> marks_;
  CommitFacts facts_;
  std::set<std::string, std::less<>>
      seen_;  // rows that are written once: messages and dedup chunks
  std::uint64_t ignored_ = 0;
};

// What is wrong with the rows as a whole; empty: nothing.
[[nodiscard]] std::string torn_rows(const ReferenceStore& store);
// An expiry row of no job that could expire by it; empty: there is none.
[[nodiscard]] std::string stale_expiry(const ReferenceStore& store);

}  // namespace penstock::simulation
