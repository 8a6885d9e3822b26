// RocksDB as the home of the partitions: closing, crashing, breaking.
#include "state/store/rocks/rocks_store.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "state/rows/keys.h"
#include "state/store/memory_store.h"
#include "tests/conformance/temporary_directory.h"
#include "tests/state/log/log_writer.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

struct Rocks : testing::Test {
  TemporaryDirectory home;
  std::string directory = home.path() + "/state";
  std::string notice;

  Result<std::unique_ptr<RocksDatabase>> open() {
    return open_rocks({.directory = directory}, &notice);
  }
  static std::unique_ptr<Store> partition(RocksDatabase& database, PartitionId id) {
    return std::move(*database.partition("penstock.mail.state", id));
  }
  static LogPosition position(std::int64_t at) { return {Offset{at}, Offset{0}, 1, 2, false}; }
  static std::string row(Store& store, std::string_view key) {
    std::string value;
    return store.get(key, &value) ? value : "(none)";
  }
  static std::string numbered(char kind, int number) {
    return kind + std::to_string(1'000'000 + number);
  }
  static std::map<std::string, std::string> rows_in(Store& store) {
    std::map<std::string, std::string> rows;
    for (const auto row = store.scan("a", "g"); row->valid(); row->next())
      rows.emplace(row->key(), row->value());
    return rows;
  }
  void write_some() {
    auto database = std::move(*open());
    ASSERT_TRUE(partition(*database, 0)->apply(rows_of({{"a", "zero"}}), position(1)));
  }
  // Behind the back of the store, in every partition.
  void put_position(const std::string& bytes) {
    std::vector<std::string> names;
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, directory, &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.push_back({name, {}});
    std::vector<rocksdb::ColumnFamilyHandle*> open;
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, directory, families, &open, &raw).ok());
    const std::unique_ptr<rocksdb::DB> db(raw);
    for (rocksdb::ColumnFamilyHandle* const family : open) {
      EXPECT_TRUE(db->Put({}, family, std::string(keys::kMetaPosition), bytes).ok());
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
    }
  }
  void write_until_killed() {
    auto database = std::move(*open());
    const auto store = partition(*database, 0);
    for (std::int64_t i = 1; i <= 300; ++i) {
      if (!store->apply(rows_of({{"a", std::to_string(i)}}), position(i))) return;
      if (i == 200 && !database->flush()) return;
    }
    kill(getpid(), SIGKILL);
  }
  // What a disk that gets full comes to; whether the store said so before long.
  bool writes_until_the_disk_is_full() {
    auto database = std::move(*open());
    const auto store = partition(*database, 0);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    Status status;
    constexpr std::int64_t kFewEnough = 400;  // MB, several times what RocksDB buffers
    for (std::int64_t i = 1; status && i <= kFewEnough; ++i) {
      status = store->apply(rows_of({{"b" + std::to_string(i), std::string(kLargeRow, 'v')}}),
                            position(i));
    }
    return !status && status.error().message.find("RocksDB") != std::string::npos;
  }
  // For a test that dies in a child: that runs the test anew, as a fork has none of RocksDB's
  // threads, and does so in its parent's directory.
  struct SharedDirectory {
    static constexpr const char* kVariable = "PENSTOCK_TEST_STATE";

    explicit SharedDirectory(Rocks& test) {
      GTEST_FLAG_SET(death_test_style, "threadsafe");
      if (const char* const given = getenv(kVariable)) {
        std::filesystem::remove_all(test.home.path());
        test.directory = given;
      }
      setenv(kVariable, test.directory.c_str(), 1);
    }
    ~SharedDirectory() { unsetenv(kVariable); }
    SharedDirectory(const SharedDirectory&) = delete;
    SharedDirectory& operator=(const SharedDirectory&) = delete;
  };
  static constexpr std::int64_t kRestoredCommits = 90;
  static constexpr std::size_t kLargeRow = 1 << 20;
  void restore_until_killed() {
    auto database = std::move(*open());
    const auto store = partition(*database, 0);
    for (std::int64_t i = 1; i <= kRestoredCommits; ++i) {
      const std::string number = std::to_string(i);
      const auto rows = rows_of({{"a", number}, {"b" + number, std::string(kLargeRow, 'v')}});
      if (!store->restore(rows, position(i))) return;
    }
    kill(getpid(), SIGKILL);
  }
  [[nodiscard]] std::vector<fs::path> files(const std::string& part) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().filename().string().find(part) != std::string::npos)
        found.push_back(entry.path());
    }
    return found;
  }
};

TEST_F(Rocks, NobodyElseCanOpenIt) {
  ASSERT_TRUE(open());
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(directory).permissions() & kOthers, fs::perms::none);
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_directory()) continue;
    EXPECT_EQ(entry.status().permissions() & kOthers, fs::perms::none) << entry.path();
  }
}

TEST_F(Rocks, WhatWasClosedIsThereAgainPartitionByPartition) {
  {
    auto database = std::move(*open());
    ASSERT_TRUE(partition(*database, 0)->apply(rows_of({{"a", "zero"}}), position(1)));
    ASSERT_TRUE(partition(*database, 1)->apply(rows_of({{"a", "one"}}), position(9)));
  }
  auto database = std::move(*open());
  EXPECT_EQ(row(*partition(*database, 0), "a"), "zero");
  EXPECT_EQ(row(*partition(*database, 1), "a"), "one");
  EXPECT_EQ(partition(*database, 1)->position(), position(9));
  EXPECT_FALSE(partition(*database, 2)->position().has_value());
  EXPECT_EQ(notice, "");
}

TEST_F(Rocks, DiscardingOnePartitionLeavesTheOthers) {
  auto database = std::move(*open());
  const auto zero = partition(*database, 0), one = partition(*database, 1);
  ASSERT_TRUE(zero->apply(rows_of({{"a", "zero"}}), position(1)));
  ASSERT_TRUE(one->apply(rows_of({{"a", "one"}}), position(1)));
  ASSERT_TRUE(zero->discard());
  EXPECT_EQ(row(*zero, "a"), "(none)");
  EXPECT_EQ(row(*one, "a"), "one");
}

TEST_F(Rocks, RowsWhosePositionCannotBeReadAreDiscarded) {
  write_some();
  put_position("of another format");
  const auto database = std::move(*open());
  const auto store = partition(*database, 0);
  EXPECT_FALSE(store->position().has_value());
  EXPECT_EQ(row(*store, "a"), "(none)");
}

TEST_F(Rocks, ADirectoryThatAnotherHoldsIsRefusedWithTheWayOut) {
  auto database = std::move(*open());
  const auto second = open();
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("held by another process"), std::string::npos);
}

TEST_F(Rocks, ADirectoryThatCannotBeMadeIsRefused) {
  std::ofstream(home.path() + "/state") << "a file";
  EXPECT_FALSE(open().has_value());
}

// What a crash leaves: rows and position of one commit, never one without the other.
TEST_F(Rocks, AKilledProcessLeavesRowsAndPositionOfTheSameCommit) {
  const SharedDirectory shared(*this);
  EXPECT_EXIT(write_until_killed(), testing::KilledBySignal(SIGKILL), "");
  auto database = std::move(*open());
  const auto store = partition(*database, 0);
  const auto kept = store->position();
  ASSERT_TRUE(kept.has_value());
  EXPECT_GE(kept->at, Offset{200});
  EXPECT_EQ(row(*store, "a"), std::to_string(kept->at.value));
  EXPECT_EQ(notice, "");
}

TEST_F(Rocks, AFullDiskIsSaidAndLeavesRowsAndPositionOfTheSameCommit) {
  const SharedDirectory shared(*this);
  EXPECT_EXIT(_exit(writes_until_the_disk_is_full() ? 0 : 1), testing::ExitedWithCode(0), "");
  auto database = std::move(*open());
  const auto store = partition(*database, 0);
  const std::int64_t kept = store->position() ? store->position()->at.value : 0;
  if (kept > 0) {
    EXPECT_NE(row(*store, "b" + std::to_string(kept)), "(none)");
  }
  EXPECT_EQ(row(*store, "b" + std::to_string(kept + 1)), "(none)");
  EXPECT_TRUE(store->apply(rows_of({{"a", "goes on"}}), position(kept + 1)));
}

// Killed in the middle of a restore, with pieces that are in RocksDB and one that has only
// gathered.
TEST_F(Rocks, AKilledRestoreLeavesRowsAndPositionOfTheSameCommit) {
  const SharedDirectory shared(*this);
  EXPECT_EXIT(restore_until_killed(), testing::KilledBySignal(SIGKILL), "");
  auto database = std::move(*open());
  const auto store = partition(*database, 0);
  const auto kept = store->position();
  ASSERT_TRUE(kept.has_value());
  EXPECT_GT(kept->at, Offset{0});
  EXPECT_LT(kept->at, Offset{kRestoredCommits});
  EXPECT_EQ(row(*store, "a"), std::to_string(kept->at.value));
  EXPECT_EQ(row(*store, "b" + std::to_string(kept->at.value)), std::string(kLargeRow, 'v'));
  EXPECT_EQ(row(*store, "b" + std::to_string(kept->at.value + 1)), "(none)");
  EXPECT_EQ(notice, "");
}

TEST_F(Rocks, WhatAKilledRestoreLeftBesideTheRowsIsRemoved) {
  fs::create_directories(directory + ".restoring");
  std::ofstream(directory + ".restoring/7.sst") << "half a table";
  const auto database = std::move(*open());
  EXPECT_TRUE(fs::is_empty(directory + ".restoring"));
}

TEST_F(Rocks, AllPartitionsTogetherGatherNoMoreThanTheMost) {
  auto database = std::move(*open());
  std::vector<std::unique_ptr<Store>> stores;
  for (PartitionId i = 0; i < 12; ++i) stores.push_back(partition(*database, i));
  constexpr std::int64_t kEach = 12, kMegabyte = 1 << 20;
  const std::string large(kMegabyte, 'v');
  for (std::int64_t i = 1; i <= kEach; ++i) {
    for (const auto& store : stores)
      ASSERT_TRUE(store->restore(rows_of({{"a", large}}), position(i)));
  }
  const auto gathered = [&] {
    std::int64_t sum = 0;
    for (const auto& store : stores) {
      const auto kept = store->position();
      sum += (kEach - (kept ? kept->at.value : 0)) * kMegabyte;
    }
    return sum;
  };
  EXPECT_GT(gathered(), 0);
  // Pieces that are being written are not in the rows yet either, but will be.
  while (gathered() > static_cast<std::int64_t>(RocksOptions::kMaxRestoredBytes)) {
    std::this_thread::yield();
  }
}

// In order, out of order, few, erased, and a range: they have different tables.
TEST_F(Rocks, KindsOfRowsInTablesOfTheirOwnAreRestoredAsTheyWere) {
  auto database = std::move(*open());
  const auto store = partition(*database, 0);
  MemoryStore expected;
  constexpr int kRows = 2 * RocksOptions::kRowsOfOwnTable, kPieces = 3;
  const std::string padding(RocksOptions::kMinPieceBytes / kRows, 'v');
  for (int piece = 0; piece < kPieces; ++piece) {
    Batch batch;
    for (int i = 0; i < kRows; ++i) {
      const int number = piece * kRows + i;
      const std::string value = std::to_string(number) + padding;
      batch.put(numbered('a', number), value);  // in order
      batch.put(numbered('b', number), value);
      if (number >= kRows) batch.erase(numbered('b', number - kRows));
      if (i % 100 == 0) batch.put(numbered('c', number), value);
      batch.put(numbered('d', (number * 7919) % (3 * kRows)), value);  // over earlier ones
      batch.put(numbered('e', number), value);
    }
    batch.erase_range(numbered('c', 0), numbered('c', piece * kRows + 500));
    batch.erase_range("e", "f");
    batch.put(numbered('e', piece), "after the range");
    ASSERT_TRUE(store->restore(batch.bytes(), position(piece + 1)));
    ASSERT_TRUE(store->settle());
    ASSERT_TRUE(expected.apply(batch.bytes(), position(piece + 1)));
  }
  EXPECT_EQ(rows_in(*store), rows_in(expected));
  EXPECT_EQ(store->position(), position(kPieces));
}

// What a store gathers and is then closed without settling was never there.
TEST_F(Rocks, WhatWasNotSettledCountsNoLonger) {
  auto database = std::move(*open());
  const std::string large(20 << 20, 'v');
  for (int i = 0; i < 5; ++i) {
    const auto store = partition(*database, 0);
    ASSERT_TRUE(store->restore(rows_of({{"a", large}}), position(1)));
    EXPECT_FALSE(store->position().has_value()) << i;
  }
}

TEST_F(Rocks, APieceGoesOverRowsThatAreOnlyInMemoryYet) {
  auto database = std::move(*open());
  const auto store = partition(*database, 0);
  ASSERT_TRUE(store->apply(rows_of({{"a", "old"}, {"b", "old"}}), position(1)));
  ASSERT_TRUE(store->restore(rows_of({{"a", std::string(4 << 20, 'v')}}), position(2)));
  ASSERT_TRUE(store->settle());
  EXPECT_EQ(row(*store, "a").size(), 4u << 20);
  EXPECT_EQ(row(*store, "b"), "old");
  EXPECT_EQ(store->position(), position(2));
  ASSERT_TRUE(store->apply(rows_of({{"a", "new"}}), position(3)));
  ASSERT_TRUE(store->settle());
  EXPECT_EQ(row(*store, "a"), "new");
  EXPECT_EQ(store->position(), position(3));
}

TEST_F(Rocks, ABrokenDirectoryIsMovedAsideWithANoticeAndANewOneBegun) {
  write_some();
  for (const fs::path& manifest : files("MANIFEST")) {
    std::ofstream(manifest, std::ios::trunc) << "this is no manifest at all, it is rubbish";
  }
  const auto database = open();
  ASSERT_TRUE(database.has_value()) << database.error().message;
  EXPECT_NE(notice.find("moved to " + directory + ".broken-1"), std::string::npos) << notice;
  EXPECT_TRUE(fs::exists(directory + ".broken-1"));
  EXPECT_FALSE(partition(**database, 0)->position().has_value());
}

TEST_F(Rocks, AMissingTableIsABrokenDirectoryToo) {
  write_some();
  ASSERT_FALSE(files(".sst").empty());
  for (const fs::path& table : files(".sst")) fs::remove(table);
  const auto database = open();
  ASSERT_TRUE(database.has_value()) << database.error().message;
  EXPECT_NE(notice, "");
  EXPECT_FALSE(partition(**database, 0)->position().has_value());
}

TEST_F(Rocks, ATruncatedTableIsABrokenDirectoryToo) {
  write_some();
  for (const fs::path& table : files(".sst")) fs::resize_file(table, 10);
  const auto database = open();
  ASSERT_TRUE(database.has_value()) << database.error().message;
  EXPECT_NE(notice, "");
}

// What RocksDB says of it has the word "lock" in it, as what it says of a lock has.
TEST_F(Rocks, ATableWithACorruptBlockIsABrokenDirectoryToo) {
  write_some();
  constexpr std::uintmax_t kFooter = 53, kIndex = 40;  // what is read when it is opened
  for (const fs::path& table : files(".sst")) {
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(table) - kFooter - kIndex));
    file << std::string(kIndex, '?');
  }
  const auto database = open();
  ASSERT_TRUE(database.has_value()) << database.error().message;
  EXPECT_NE(notice.find("block"), std::string::npos) << notice;
  EXPECT_TRUE(fs::exists(directory + ".broken-1"));
}

// Even where the directory's name has that word in it.
TEST_F(Rocks, AnErrorOfTheDiskIsToldAsWhatItIsAndMovesNothing) {
  directory = home.path() + "/blocks/state";
  fs::create_directory(home.path() + "/blocks");
  write_some();
  for (const fs::path& manifest : files("MANIFEST")) {
    fs::remove(manifest);
    fs::create_directory(manifest);
  }
  const auto database = open();
  ASSERT_FALSE(database.has_value());
  EXPECT_NE(database.error().message.find("cannot be opened: IO error"), std::string::npos)
      << database.error().message;
  EXPECT_FALSE(fs::exists(directory + ".broken-1"));
}

TEST_F(Rocks, EveryBrokenDirectoryKeepsANameOfItsOwn) {
  for (int i = 1; i <= 2; ++i) {
    write_some();
    for (const fs::path& manifest : files("MANIFEST"))
      std::ofstream(manifest, std::ios::trunc) << "rubbish!!";
    ASSERT_TRUE(open().has_value());
    EXPECT_TRUE(fs::exists(directory + ".broken-" + std::to_string(i)));
  }
}

}  // namespace
}  // namespace penstock
