// A Store for the checker: rows in memory, a digest of them that costs nothing to ask for, and an
// observer that is shown every row that a commit writes. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "state/store/store.h"

namespace penstock::simulation {

class RowObserver {
 public:
  virtual ~RowObserver() = default;
  // `fresh`: there was no such row.
  virtual void row_put(std::string_view key, std::string_view value, bool fresh) = 0;
};

// Independent of the order of the rows.
[[nodiscard]] std::uint64_t row_hash(std::string_view key, std::string_view value);

class ReferenceStore final : public Store {
 public:
  using Rows = std::map<std::string, std::string, std::less<>>;

  explicit ReferenceStore(RowObserver* observer = nullptr) : observer_(observer) {}

  [[nodiscard]] bool get(std::string_view key, std::string* value) override;
  [[nodiscard]] std::unique_ptr<RowIterator> scan(std::string_view from,
                                                  std::string_view to) override;
  [[nodiscard]] std::optional<LogPosition> position() override { return position_; }
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) override;
  [[nodiscard]] Status restore(std::string_view batch, const LogPosition& position) override {
    return apply(batch, position);
  }
  [[nodiscard]] std::uint64_t taken() const override { return 0; }
  [[nodiscard]] std::uint64_t written() const override { return 0; }
  [[nodiscard]] Status settle() override { return {}; }
  [[nodiscard]] Status discard() override;
  [[nodiscard]] std::uint64_t approximate_bytes() override { return 0; }

  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] bool has(std::string_view key) const { return rows_.contains(key); }
  [[nodiscard]] std::size_t rows_of(char kind) const;

 private:
  friend class ReferenceWriter;
  RowObserver* observer_;
  Rows rows_;
  std::uint64_t digest_ = 0;
  std::optional<LogPosition> position_;
};

}  // namespace penstock::simulation
