// Compares with Java's Kafka client itself. PENSTOCK_KAFKA_LIBS names the folder with its jars (the
// class path of deploy/local-kafka); without it the test fails.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "topics/partitioner.h"

namespace penstock {
namespace {

constexpr int kKeys = 1000;
constexpr int kPartitions = 12;

// Every length from 0 to 259 bytes, and every byte.
std::vector<std::string> random_keys() {
  std::mt19937 random(20260301);
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) {
    std::string key(static_cast<std::size_t>(i % 260), '\0');
    for (char& byte : key) byte = static_cast<char>(random());
    keys.push_back(std::move(key));
  }
  return keys;
}

class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / "penstock-keys-XXXXXX") {
    const int file = mkstemp(path_.data());
    EXPECT_GE(file, 0);
    close(file);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_hex(const std::string& path, const std::vector<std::string>& keys) {
  std::ofstream out(path);
  for (const std::string& key : keys) {
    for (const char byte : key) {
      char hex[3];
      std::snprintf(hex, sizeof hex, "%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(byte)));
      out << hex;
    }
    out << '\n';
  }
}

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string output;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    output += static_cast<char>(c);
  }
  return output;
}

TEST(Partitioner, AgreesWithJavasClientOnRandomKeys) {
  const char* libs = std::getenv("PENSTOCK_KAFKA_LIBS");
  ASSERT_NE(libs, nullptr) << "set PENSTOCK_KAFKA_LIBS to the folder of Kafka's jars";
  const auto keys = random_keys();
  const TemporaryFile input;
  write_hex(input.path(), keys);
  std::istringstream answers(output_of("java -cp '" + std::string(libs) +
                                       "/*' '" JAVA_PARTITIONS "' < '" + input.path() + "'"));
  for (const std::string& key : keys) {
    std::int32_t hash = 0;
    PartitionId partition = -1;
    ASSERT_TRUE(answers >> hash >> partition)
        << "java gave too few answers: see its messages above";
    EXPECT_EQ(murmur2(key), hash) << key.size() << " bytes";
    EXPECT_EQ(partition_of(key, kPartitions), partition) << key.size() << " bytes";
  }
}

}  // namespace
}  // namespace penstock
