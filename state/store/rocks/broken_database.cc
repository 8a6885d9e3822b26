#include "state/store/rocks/broken_database.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace penstock {

std::string mark_of(const std::string& directory) { return directory + ".unreadable"; }

void mark_unreadable(const std::string& directory, const rocksdb::Status& why) {
  std::ofstream(mark_of(directory)) << why.ToString();
}

std::optional<std::string> read_mark(const std::string& directory) {
  std::ifstream mark(mark_of(directory));
  if (!mark.is_open()) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(mark), {});
}

void end_unreadable(const std::string& directory, const rocksdb::Status& why) {
  mark_unreadable(directory, why);
  const std::string text =
      "penstock: the local state in " + directory + " cannot be read (" + why.ToString() +
      "): the process exits; start it again, and everything is restored from Kafka\n";
  std::fputs(text.c_str(), stderr);
  // Without destructors: other threads are still running, and nothing may be decided or written any
  // more on the grounds of rows that are missing.
  ::_exit(1);
}

Status move_aside(const std::string& directory, std::string* to) {
  std::error_code error;
  for (int i = 1; i < 1000; ++i) {
    *to = directory + ".broken-" + std::to_string(i);
    if (std::filesystem::exists(*to, error)) continue;
    std::filesystem::rename(directory, *to, error);
    // If this fails, another name would not help.
    if (!error) return {};
    break;
  }
  return failure("the broken state in " + directory + " cannot be moved aside: remove it");
}

// RocksDB has no code for this error, only the words "lock file" or "lock hold". The name of the
// directory may contain the word too.
bool is_lock_error(const rocksdb::Status& status, const std::string& directory) {
  if (!status.IsIOError()) return false;
  std::string text = status.ToString();
  for (std::size_t at; (at = text.find(directory)) != std::string::npos;)
    text.erase(at, directory.size());
  return text.find("lock") != std::string::npos;
}

}  // namespace penstock
