#include "topics/private_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace penstock {
namespace {

constexpr mode_t kOwnerOnly = 0700, kOthers = 0077;

Status cannot(const char* what, const std::string& path, int error) {
  return failure(std::string("cannot ") + what + " " + path + ": " + std::strerror(error));
}

// EEXIST is fine: another process may create it at the same time.
Status make_one(const std::string& path) {
  if (::mkdir(path.c_str(), kOwnerOnly) == 0 || errno == EEXIST) return {};
  const int error = errno;
  struct stat found {};
  // it exists, for example on a read-only file system
  if (::stat(path.c_str(), &found) == 0) return {};
  return cannot("create the directory", path, error);
}

Status close_to_others(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return cannot("examine", path, errno);
  if (!S_ISDIR(found.st_mode)) return cannot("use", path, ENOTDIR);
  // Only its owner may change a directory's mode, so one that belongs to another user is left as it
  // is.
  if ((found.st_mode & kOthers) == 0 || found.st_uid != ::geteuid()) return {};
  if (::chmod(path.c_str(), kOwnerOnly) == 0) return {};
  return cannot("remove other users' access to", path, errno);
}

}  // namespace

Status make_private_directory(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1)) {
    if (Status made = make_one(path.substr(0, at)); !made) return made;
  }
  if (Status made = make_one(path); !made) return made;
  return close_to_others(path);
}

}  // namespace penstock
