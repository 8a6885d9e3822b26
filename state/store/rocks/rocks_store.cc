#include "state/store/rocks/rocks_store.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_level.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <semaphore>
#include <span>
#include <thread>
#include <utility>

#include "state/rows/keys.h"
#include "state/store/batch.h"
#include "state/store/merged_rows.h"
#include "state/store/rocks/broken_database.h"
#include "state/store/rocks/rocks_aside.h"
#include "state/store/rocks/rocks_scan.h"
#include "state/store/rocks/rocks_setup.h"
#include "state/store/rocks/rocks_table.h"
#include "state/store/write_behind.h"
#include "topics/private_directory.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

Status outcome_of(const rocksdb::Status& status, const std::string& what) {
  if (status.ok()) return {};
  return failure(what + " in RocksDB failed: " + status.ToString() +
                 " (free disk space or repair the disk; removing the state directory is safe, "
                 "Kafka rebuilds it)");
}

// The folder next to the rows for the tables of a restore. Files that an earlier process left there
// are useless.
std::string tables_of(const std::string& directory) { return directory + ".restoring"; }

// Redirects a logged batch's operations to one column family.
class FamilyWriter final : public RowWriter {
 public:
  FamilyWriter(rocksdb::WriteBatch& batch, rocksdb::ColumnFamilyHandle* family)
      : batch_(batch), family_(family) {}
  void put(std::string_view key, std::string_view value) override {
    batch_.Put(family_, slice(key), slice(value)).PermitUncheckedError();
  }
  void erase(std::string_view key) override {
    batch_.Delete(family_, slice(key)).PermitUncheckedError();
  }
  void erase_range(std::string_view from, std::string_view to) override {
    // RocksDB would insert the range next to a row of this kind (see is_hinted()).
    PENSTOCK_CHECK(from.empty() || !is_hinted(from.front()), "no range erases this kind of row");
    batch_.DeleteRange(family_, slice(from), slice(to)).PermitUncheckedError();
  }

 private:
  rocksdb::WriteBatch& batch_;
  rocksdb::ColumnFamilyHandle* family_;
};

class Families;

class FamilyStore final : public Store, private CommitSink {
 public:
  FamilyStore(Families& families, std::string name, rocksdb::ColumnFamilyHandle* family);
  ~FamilyStore() override { forget_restored(); }  // waits for a piece that is being written
  FamilyStore(const FamilyStore&) = delete;
  FamilyStore& operator=(const FamilyStore&) = delete;

  [[nodiscard]] bool get(std::string_view key, std::string* value) override;
  [[nodiscard]] std::unique_ptr<RowIterator> scan(std::string_view from,
                                                  std::string_view to) override;
  [[nodiscard]] std::optional<LogPosition> position() override;
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) override;
  [[nodiscard]] std::uint64_t taken() const override { return commits_.taken(); }
  [[nodiscard]] std::uint64_t written() const override { return commits_.written(); }
  [[nodiscard]] Status restore(std::string_view batch, const LogPosition& position) override;
  [[nodiscard]] Status settle() override;
  [[nodiscard]] Result<bool> begin_settling() override;
  [[nodiscard]] Status discard() override;
  [[nodiscard]] Status set_aside() override;
  [[nodiscard]] Status end_aside(bool keep) override;
  [[nodiscard]] std::string kept_aside() override;
  [[nodiscard]] std::uint64_t approximate_bytes() override;
  // Rows without a log position cannot be continued from.
  [[nodiscard]] Status discard_unplaced();

 private:
  // Collected rows that a separate thread writes into a table while the next piece is collected.
  struct Piece {
    MergedRows rows;
    LogPosition position;
  };

  [[nodiscard]] Status write(std::span<const CountedCommit> commits) override;
  [[nodiscard]] Status write(MergedRows& rows, const LogPosition& position);
  [[nodiscard]] Result<std::list<RocksTable>> build_tables(MergedRows& rows,
                                                           const LogPosition& position);
  [[nodiscard]] Status begin_piece();
  void write_collected();
  [[nodiscard]] bool is_writing_piece() const;
  [[nodiscard]] Status finish_piece();
  [[nodiscard]] Status write_piece(Piece piece);
  [[nodiscard]] Status checked(const rocksdb::Status& status);
  void forget_restored();
  void forget_gathered();

  Families& families_;
  std::string name_;
  rocksdb::ColumnFamilyHandle* family_;  // owned by families_
  rocksdb::WriteBatch scratch_;
  MergedRows merged_;    // commits that are written together; kept to reuse the buffers
  MergedRows restored_;  // not in RocksDB yet, and the position that they lead to
  LogPosition restored_to_;
  // the part of restored_ that is counted in the sum of all partitions
  std::size_t counted_bytes_ = 0;
  std::future<Status> piece_;  // the previous piece; pieces are added one after the other
  WriteBehind::Line commits_;  // last: its writes use the other members
};

class Families final : public RocksDatabase {
 public:
  Families(std::string directory, std::unique_ptr<rocksdb::DB> db,
           std::map<std::string, rocksdb::ColumnFamilyHandle*> open,
           rocksdb::ColumnFamilyOptions options)
      : directory_(std::move(directory)),
        options_(std::move(options)),
        aside_(directory_),
        open_(std::move(open)),
        db_(std::move(db)) {}
  ~Families() override {
    if (const Status flushed = flush(); !flushed) {
      // Nothing is lost: what is not on disk is in the state log.
    }
    // Before the database, which the handles refer to.
    for (const auto& [name, family] : open_) db_->DestroyColumnFamilyHandle(family);
  }
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;

  [[nodiscard]] Result<std::unique_ptr<Store>> partition(std::string_view topic,
                                                         PartitionId partition) override {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);  // this thread's counters are not read
    const std::string name = std::string(topic) + "/" + std::to_string(partition);
    const auto family = find_or_make(name);
    if (!family) return tl::unexpected(family.error());
    auto store = std::make_unique<FamilyStore>(*this, name, *family);
    if (Status status = store->discard_unplaced(); !status) return tl::unexpected(status.error());
    return store;
  }

  [[nodiscard]] Status flush() override {
    // Counted commits that are still waiting would otherwise not be on disk.
    writer_.finish();
    // Held during the flush, because remake() destroys handles.
    const std::lock_guard lock(mutex_);
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    for (const auto& [name, family] : open_) families.push_back(family);
    return outcome_of(db_->Flush(rocksdb::FlushOptions(), families), "flushing");
  }

  [[nodiscard]] Result<rocksdb::ColumnFamilyHandle*> find_or_make(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return make(name);
  }

  // Requires mutex_.
  [[nodiscard]] Result<rocksdb::ColumnFamilyHandle*> make(const std::string& name) {
    if (const auto found = open_.find(name); found != open_.end()) return found->second;
    rocksdb::ColumnFamilyHandle* family = nullptr;
    if (Status status =
            outcome_of(db_->CreateColumnFamily(options_, name, &family), "making " + name);
        !status) {
      return tl::unexpected(status.error());
    }
    return open_[name] = family;
  }

  [[nodiscard]] Result<rocksdb::ColumnFamilyHandle*> remake(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = open_.find(name); found != open_.end()) {
      // The files of a dropped family disappear with its last handle. That is much faster than
      // erasing its rows.
      Status status = outcome_of(db_->DropColumnFamily(found->second), "dropping " + name);
      db_->DestroyColumnFamilyHandle(found->second);
      open_.erase(found);
      if (!status) return tl::unexpected(status.error());
    }
    return make(name);
  }

  [[nodiscard]] rocksdb::DB& db() { return *db_; }
  [[nodiscard]] const rocksdb::ColumnFamilyOptions& options() const { return options_; }
  [[nodiscard]] AsideCopies& aside() { return aside_; }
  [[nodiscard]] WriteBehind& writer() { return writer_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  // A new file name in the folder for tables that have not been added yet.
  [[nodiscard]] std::string table_path() {
    return tables_of(directory_) + "/" + std::to_string(next_table_++) + ".sst";
  }
  // The bytes of rows in memory that are being restored, for all partitions; used by all their
  // threads.
  [[nodiscard]] std::atomic<std::size_t>& restored_bytes() { return restored_bytes_; }
  // Bounds the pieces whose rows are in memory while their tables are built.
  [[nodiscard]] std::counting_semaphore<>& writers() { return writers_; }

 private:
  const std::string directory_;
  rocksdb::ColumnFamilyOptions options_;
  AsideCopies aside_;
  std::mutex mutex_;  // of open_: loops on several threads open partitions
  std::map<std::string, rocksdb::ColumnFamilyHandle*> open_;
  std::unique_ptr<rocksdb::DB> db_;
  std::atomic<std::uint64_t> next_table_ = 0;
  std::atomic<std::size_t> restored_bytes_ = 0;
  std::counting_semaphore<> writers_{
      std::max(2, static_cast<int>(std::thread::hardware_concurrency()))};
  WriteBehind writer_;
};

FamilyStore::FamilyStore(Families& families, std::string name, rocksdb::ColumnFamilyHandle* family)
    : families_(families),
      name_(std::move(name)),
      family_(family),
      commits_(families.writer(), *this) {}

bool FamilyStore::get(std::string_view key, std::string* value) {
  const rocksdb::Status status =
      families_.db().Get(rocksdb::ReadOptions(), family_, slice(key), value);
  if (!status.ok() && !status.IsNotFound()) end_unreadable(families_.directory(), status);
  return status.ok();
}

std::unique_ptr<RowIterator> FamilyStore::scan(std::string_view from, std::string_view to) {
  return scan_rows(families_.db(), family_, families_.directory(), from, to);
}

std::optional<LogPosition> FamilyStore::position() {
  std::string bytes;
  if (!get(keys::kMetaPosition, &bytes)) return std::nullopt;
  return decode_position(bytes);
}

Status FamilyStore::discard_unplaced() {
  std::string bytes;
  // A position that this version cannot decode is as bad as none. A family without a position row
  // is new: rows never come without one.
  if (!get(keys::kMetaPosition, &bytes) || decode_position(bytes)) return {};
  return discard();
}

Status FamilyStore::apply(std::string_view batch, const LogPosition& position) {
  PENSTOCK_CHECK(restored_.empty() && !piece_.valid(),
                 "a restore is settled before commits follow");
  return commits_.add(batch, position);
}

// On the writer's thread.
Status FamilyStore::write(std::span<const CountedCommit> commits) {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  merged_.clear();
  for (const CountedCommit& commit : commits) {
    if (Status status = merged_.add(commit.rows); !status) return status;
  }
  return write(merged_, commits.back().position);
}

// Rows and position in one write, with the rows in the order of their keys, which is cheap to
// insert.
Status FamilyStore::write(MergedRows& rows, const LogPosition& position) {
  scratch_.Clear();
  FamilyWriter writer(scratch_, family_);
  rows.write(writer);
  writer.put(keys::kMetaPosition, encode_position(position));
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return checked(families_.db().Write(options, &scratch_));
}

Status FamilyStore::restore(std::string_view batch, const LogPosition& position) {
  // Commits that were accepted before must precede the rows that are restored now.
  if (Status status = commits_.finish(); !status) return status;
  if (Status status = restored_.add(batch); !status) return status;
  restored_to_ = position;
  const std::size_t bytes = restored_.bytes();
  const std::size_t all = families_.restored_bytes() += bytes - counted_bytes_;
  counted_bytes_ = bytes;
  const bool crowded =
      all > RocksOptions::kMaxRestoredBytes && bytes >= RocksOptions::kMinPieceBytes;
  return crowded || bytes >= RocksOptions::kMaxPieceBytes ? begin_piece() : Status();
}

Status FamilyStore::settle() {
  if (Status status = commits_.finish(); !status) return status;
  if (restored_.bytes() >= RocksOptions::kMinPieceBytes) {
    if (Status status = begin_piece(); !status) return status;
    return finish_piece();
  }
  // In the order of the log: the rest that is written below comes after the piece.
  if (Status status = finish_piece(); !status) return status;
  if (restored_.empty()) return {};
  Status status = write(restored_, restored_to_);
  forget_gathered();
  return status;
}

Result<bool> FamilyStore::begin_settling() {
  if (is_writing_piece()) return false;
  if (restored_.bytes() < RocksOptions::kMinPieceBytes) {
    // Into the table in memory, which is quick.
    if (Status status = settle(); !status) return tl::unexpected(status.error());
    return true;
  }
  if (Status status = finish_piece(); !status) return tl::unexpected(status.error());
  if (!families_.writers().try_acquire()) return false;
  write_collected();
  return true;
}

Status FamilyStore::begin_piece() {
  if (Status status = finish_piece(); !status) return status;
  // Bounds how many pieces are built at a time. The thread that reads the log waits here
  // meanwhile, so the rows in memory stay bounded too.
  families_.writers().acquire();
  write_collected();
  return {};
}

// Requires a place among the writers, which the piece's thread gives back.
void FamilyStore::write_collected() {
  Piece piece{std::move(restored_), restored_to_};
  forget_gathered();
  piece_ = std::async(std::launch::async, [this, piece = std::move(piece)]() mutable {
    return write_piece(std::move(piece));
  });
}

bool FamilyStore::is_writing_piece() const {
  return piece_.valid() && piece_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Status FamilyStore::finish_piece() { return piece_.valid() ? piece_.get() : Status(); }

// On the piece's thread.
Status FamilyStore::write_piece(Piece piece) {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  auto tables = build_tables(piece.rows, piece.position);
  piece.rows = MergedRows();
  families_.writers().release();  // what follows waits for the disk, and needs no rows
  if (!tables) return tl::unexpected(tables.error());
  return checked(RocksTable::ingest(*tables));
}

// The position is a row like the others. Its batch is added last, which sorts it among them.
Result<std::list<RocksTable>> FamilyStore::build_tables(MergedRows& rows, const LogPosition& to) {
  Batch position;
  position.put(keys::kMetaPosition, encode_position(to));
  if (Status status = rows.add(position.bytes()); !status) return tl::unexpected(status.error());
  std::string bytes;
  // The previous piece has been written by now (begin_piece() waits for it), so the position tells
  // whether the family has rows.
  const bool bare = !get(keys::kMetaPosition, &bytes);
  std::list<RocksTable> tables;
  for (const MergedRows::Kinds& kinds : rows.divided(RocksOptions::kRowsOfOwnTable)) {
    RocksTable& table = tables.emplace_back(families_.db(), family_, families_.table_path());
    rows.write(table, bare, kinds);
    if (table.empty()) tables.pop_back();  // RocksDB accepts no empty table
  }
  return tables;
}

Status FamilyStore::checked(const rocksdb::Status& status) {
  // found by a compaction
  if (status.IsCorruption()) mark_unreadable(families_.directory(), status);
  return outcome_of(status, "writing a commit of " + name_);
}

void FamilyStore::forget_restored() {
  // The piece uses this store, and its rows are of no use any more, so its outcome is ignored.
  if (piece_.valid()) piece_.wait();
  piece_ = {};
  forget_gathered();
}

void FamilyStore::forget_gathered() {
  families_.restored_bytes() -= counted_bytes_;
  counted_bytes_ = 0;
  restored_ = MergedRows();  // its buffers are large
}

Status FamilyStore::discard() {
  if (Status status = commits_.finish(); !status) return status;
  forget_restored();
  const auto family = families_.remake(name_);
  if (!family) return tl::unexpected(family.error());
  family_ = *family;
  return {};
}

Status FamilyStore::set_aside() {
  if (Status status = settle(); !status) return status;
  Status added = families_.aside().add(families_.db(), family_, families_.options(), name_);
  return added ? discard() : added;
}

Status FamilyStore::end_aside(bool keep) { return families_.aside().end(name_, keep); }

std::string FamilyStore::kept_aside() { return families_.aside().kept(name_); }

std::uint64_t FamilyStore::approximate_bytes() {
  std::uint64_t live = 0, memory = 0;
  families_.db().GetIntProperty(family_, "rocksdb.estimate-live-data-size", &live);
  families_.db().GetIntProperty(family_, "rocksdb.cur-size-active-mem-table", &memory);
  return live + memory;
}

Result<std::unique_ptr<RocksDatabase>> open_once(const RocksOptions& options,
                                                 rocksdb::Status* why) {
  const rocksdb::DBOptions db_options = database_options(options);
  const rocksdb::ColumnFamilyOptions family = family_options(options);
  std::vector<std::string> names;
  // RocksDB opens a database only if every family is named. Listing fails if there is no database
  // yet.
  if (!rocksdb::DB::ListColumnFamilies(db_options, options.directory, &names).ok()) {
    names = {rocksdb::kDefaultColumnFamilyName};
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) descriptors.emplace_back(name, family);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  *why = rocksdb::DB::Open(db_options, options.directory, descriptors, &handles, &raw);
  if (!why->ok()) return failure(why->ToString());
  std::error_code error;  // if it failed, writing the first piece reports it
  std::filesystem::remove_all(tables_of(options.directory), error);
  (void)make_private_directory(tables_of(options.directory));
  std::map<std::string, rocksdb::ColumnFamilyHandle*> open;
  for (std::size_t i = 0; i < handles.size(); ++i) open[names[i]] = handles[i];
  return std::make_unique<Families>(options.directory, std::unique_ptr<rocksdb::DB>(raw),
                                    std::move(open), family);
}

}  // namespace

Result<std::unique_ptr<RocksDatabase>> open_rocks(const RocksOptions& options,
                                                  std::string* notice) {
  if (const Status made = make_private_directory(options.directory); !made) {
    return failure("state_dir " + options.directory + ": " + made.error().message);
  }
  rocksdb::Status why;
  const std::optional<std::string> unreadable = read_mark(options.directory);
  // A marked database is not opened at all: it might open without an error and be read wrongly
  // again.
  if (!unreadable) {
    auto opened = open_once(options, &why);
    if (opened) return opened;
    // A database in use is not broken and must not be moved away from the process that uses it.
    if (is_lock_error(why, options.directory)) {
      return failure("state_dir " + options.directory +
                     " is held by another process: give each worker a state_dir of its own");
    }
    // Anything else, such as missing permissions or a full disk, would hit an empty database too.
    if (!why.IsCorruption() && !why.IsInvalidArgument() && !why.IsNotSupported()) {
      return failure("state_dir " + options.directory + " cannot be opened: " + why.ToString());
    }
  }
  std::string aside;
  if (Status status = move_aside(options.directory, &aside); !status) {
    return tl::unexpected(status.error());
  }
  *notice = "the local state in " + options.directory + " is unusable (" +
            unreadable.value_or(why.ToString()) + "): moved to " + aside +
            ", everything is restored from Kafka";
  (void)make_private_directory(options.directory);  // open_once reports what is wrong
  auto opened = open_once(options, &why);
  std::error_code error;
  if (opened) std::filesystem::remove(mark_of(options.directory), error);
  return opened;
}

}  // namespace penstock
