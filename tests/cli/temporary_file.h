// A file that lasts as long as its variable.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace penstock {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    std::string pattern = testing::TempDir() + "penstock_cli_XXXXXX";
    const int descriptor = mkstemp(pattern.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    path_ = pattern;
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace penstock
