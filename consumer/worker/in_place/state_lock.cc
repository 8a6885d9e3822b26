#include "consumer/worker/in_place/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace penstock {

Result<StateLock> StateLock::open(const std::string& directory) {
  const std::string path = directory + "/lock";
  // Without O_CLOEXEC: what this process starts is to inherit it.
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0) {
    return failure("the lock " + path + " cannot be opened: " + std::strerror(errno));
  }
  return StateLock(std::move(file), {about.st_dev, about.st_ino});
}

bool StateLock::take() {
  if (!held_) held_ = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
  return held_;
}

}  // namespace penstock
