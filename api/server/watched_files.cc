#include "api/server/watched_files.h"

#include <sys/stat.h>

#include <utility>

namespace penstock {

WatchedFiles::WatchedFiles(std::vector<std::string> paths)
    : paths_(std::move(paths)), marks_(marks()), next_look_(Clock::now() + kLookEvery) {}

std::vector<WatchedFiles::Mark> WatchedFiles::marks() const {
  std::vector<Mark> marks;
  for (const std::string& path : paths_) {
    struct stat file {};
    if (path.empty() || ::stat(path.c_str(), &file) != 0) {
      marks.emplace_back();
    } else {
      // The time of change, not of modification: it moves with a rename, too.
      marks.emplace_back(file.st_ctim.tv_sec, file.st_ctim.tv_nsec, file.st_size, file.st_ino);
    }
  }
  return marks;
}

bool WatchedFiles::have_changed() {
  if (Clock::now() < next_look_) return false;
  next_look_ = Clock::now() + kLookEvery;
  auto now = marks();
  if (now == marks_) return false;
  marks_ = std::move(now);
  return true;
}

}  // namespace penstock
