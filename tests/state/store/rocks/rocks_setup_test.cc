// What many partitions in one process cost: their write buffers, and making them.
#include "state/store/rocks/rocks_setup.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "state/store/rocks/rocks_store.h"
#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

RocksOptions with_partitions(std::size_t partitions) {
  RocksOptions options;
  options.partitions = partitions;
  return options;
}

TEST(RocksSetup, FewPartitionsMayEachFillAQuarterOfTheWriteBuffers) {
  const std::size_t quarter = RocksOptions().write_buffer_bytes / 4;
  EXPECT_EQ(write_buffer_bytes_per_family(with_partitions(1)), quarter);
  EXPECT_EQ(write_buffer_bytes_per_family(with_partitions(12)), quarter);
}

TEST(RocksSetup, AThousandIdlePartitionsDoNotFillTheWriteBuffers) {
  const RocksOptions options = with_partitions(1000);
  const rocksdb::ColumnFamilyOptions family = family_options(options);
  const auto filter = static_cast<std::size_t>(static_cast<double>(family.write_buffer_size) *
                                               family.memtable_prefix_bloom_size_ratio);
  EXPECT_LT(options.partitions * (family.arena_block_size + filter), options.write_buffer_bytes);
}

TEST(RocksSetup, MakingAPartitionDoesNotWriteTheOptionsOfAll) {
  const TemporaryDirectory home;
  const std::string directory = home.path() + "/state";
  std::string notice;
  const auto database = std::move(*open_rocks({.directory = directory}, &notice));
  EXPECT_TRUE(database->partition("penstock.mail.state", 0));
  EXPECT_TRUE(database->partition("penstock.mail.state", 1));
  for (const auto& file : std::filesystem::directory_iterator(directory))
    EXPECT_EQ(file.path().filename().string().find("OPTIONS"), std::string::npos) << file.path();
}

}  // namespace
}  // namespace penstock
