// The lock of a state directory: proof that the process before this one has ended, together with
// everything that it had started.
//
// It is an flock(2) on the file `lock` in the directory. Such a lock belongs to the open file and
// not to the process: whatever inherits the descriptor holds the lock as well, and it is free only
// when all of them have ended or closed it. Exec handlers get it with their fork servers and
// guardians (consumer/handlers/process), which outlive everything that a handler starts; what a C++
// handler starts inherits it by itself. (RocksDB's lock in the same directory only tells that the
// process itself has ended.)
//
// The descriptor is open before anything is started, so all of these processes hold the lock
// whenever it is taken, be it late. Belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "consumer/handlers/io/fd.h"
#include "topics/values/result.h"

namespace penstock {

class StateLock {
 public:
  // The directory must exist.
  [[nodiscard]] static Result<StateLock> open(const std::string& directory);

  // Takes the lock if it is free; true once this process has it. Does not wait.
  [[nodiscard]] bool take();
  [[nodiscard]] bool held() const { return held_; }

  // For the processes that are to hold it as well.
  [[nodiscard]] int file() const { return file_.get(); }
  // Tells this file from every other one of the machine, such as that of a copied directory, for as
  // long as anything has it open.
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  [[nodiscard]] const Identity& identity() const { return identity_; }

 private:
  StateLock(Fd file, Identity identity) : file_(std::move(file)), identity_(identity) {}

  Fd file_;
  Identity identity_;
  bool held_ = false;
};

}  // namespace penstock
