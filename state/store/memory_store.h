// A Store in memory, for the simulator and for tests. A copy of its contents represents what a
// crash would leave; a lag represents commits that are not written yet. Belongs to one thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "state/store/merged_rows.h"
#include "state/store/store.h"
#include "state/store/write_behind.h"

namespace penstock {

class MemoryStore final : public Store {
 public:
  // Small enough for simulations to reach.
  static constexpr std::size_t kMaxRestoredBytes = 16 << 10;

  struct Contents {
    std::map<std::string, std::string, std::less<>> rows;
    std::optional<LogPosition> position;
    std::string kept_aside;  // stands for the place of an earlier copy
  };

  MemoryStore() = default;
  // Writes each commit once `lag` further ones have followed it.
  explicit MemoryStore(Contents contents, std::size_t lag = 0)
      : contents_(std::move(contents)), lag_(lag) {
    for (const auto& [key, value] : contents_.rows) bytes_ += key.size() + value.size();
  }

  [[nodiscard]] bool get(std::string_view key, std::string* value) override;
  [[nodiscard]] std::unique_ptr<RowIterator> scan(std::string_view from,
                                                  std::string_view to) override;
  [[nodiscard]] std::optional<LogPosition> position() override { return contents_.position; }
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) override;
  [[nodiscard]] std::uint64_t taken() const override { return written_ + waiting_.size(); }
  [[nodiscard]] std::uint64_t written() const override { return written_; }
  [[nodiscard]] Status restore(std::string_view batch, const LogPosition& position) override;
  [[nodiscard]] Status settle() override;
  [[nodiscard]] Status discard() override;
  [[nodiscard]] Status set_aside() override;
  [[nodiscard]] Status end_aside(bool keep) override;
  [[nodiscard]] std::string kept_aside() override { return contents_.kept_aside; }
  [[nodiscard]] std::uint64_t approximate_bytes() override { return bytes_; }

  [[nodiscard]] const Contents& contents() const { return contents_; }
  // Writes the commits that are lagging.
  [[nodiscard]] Status finish() { return write_all_but(0); }

 private:
  friend class MemoryWriter;
  [[nodiscard]] Status write_all_but(std::size_t rest);

  Contents contents_;
  std::optional<Contents> aside_;
  std::size_t lag_ = 0;
  std::uint64_t written_ = 0;
  std::deque<CountedCommit> waiting_;
  // rows that are not in the contents yet, and the position that they lead to
  MergedRows restored_;
  LogPosition restored_to_;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock
