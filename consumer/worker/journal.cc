#include "consumer/worker/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace penstock {
namespace {

constexpr char kMagic[8] = {'p', 'n', 's', 't', 'k', 'j', '0', '1'};

template <std::size_t kSize>
struct Text {
  std::uint8_t length;
  char bytes[kSize - 1];

  void set(const std::string& text) {
    length = static_cast<std::uint8_t>(std::min(text.size(), sizeof(bytes)));
    std::memcpy(bytes, text.data(), length);
  }
  [[nodiscard]] std::string get() const {
    return {bytes, std::min<std::size_t>(length, sizeof(bytes))};
  }
};

}  // namespace

struct Journal::Slot {
  std::uint8_t used;
  Text<255> queue;
  Text<256> account;
  Text<256> id;
};

Result<std::unique_ptr<Journal>> Journal::open(const std::string& path,
                                               std::vector<InFlight>* left) {
  constexpr std::size_t kBytes = sizeof(kMagic) + kSlots * sizeof(Slot);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int error = file < 0 || ::ftruncate(file, kBytes) != 0 ? errno : 0;
  // Allocates the space now: on a full disk, a write to the mapping would end the process by
  // SIGBUS.
  if (error == 0) error = ::posix_fallocate(file, 0, kBytes);
  if (error != 0) {
    if (file >= 0) ::close(file);
    return failure("the journal " + path + " cannot be written: " + std::strerror(error));
  }
  void* const map = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  // The mapping stays valid without the descriptor.
  ::close(file);
  if (map == MAP_FAILED)
    return failure("the journal " + path + " cannot be mapped: " + std::strerror(errno));
  auto* const magic = static_cast<char*>(map);
  auto* const slots = reinterpret_cast<Slot*>(magic + sizeof(kMagic));
  // A new file, or one that was being made when the process crashed, holds zeros instead.
  const bool known = std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
  std::unique_ptr<Journal> journal(new Journal(slots));
  // Backwards, so that the first slots are used first.
  for (std::size_t i = kSlots; i-- > 0;) {
    if (known && slots[i].used == 1) {
      left->push_back({slots[i].queue.get(), slots[i].account.get(), slots[i].id.get()});
    }
    if (slots[i].used != 0) slots[i].used = 0;
    journal->free_.push_back(i);
  }
  // Last, when every slot is known to be clear.
  std::memcpy(magic, kMagic, sizeof(kMagic));
  return journal;
}

Journal::~Journal() {
  ::munmap(reinterpret_cast<char*>(slots_) - sizeof(kMagic),
           sizeof(kMagic) + kSlots * sizeof(Slot));
}

void Journal::started(std::size_t loop, const AttemptKey& key, const InFlight& job) {
  const std::lock_guard lock(mutex_);
  // An attempt that is not noted runs all the same; only its crash would not be counted.
  if (free_.empty()) return;
  const std::size_t at = free_.back();
  free_.pop_back();
  used_[{loop, key}].push_back(at);
  slots_[at].queue.set(job.queue);
  slots_[at].account.set(job.account);
  slots_[at].id.set(job.id);
}

void Journal::begun(std::size_t loop, const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find({loop, key});
  if (found == used_.end()) return;
  // Only now, when the texts are complete and the handler's code is about to run: a crash before
  // that is not the job's fault.
  for (const std::size_t at : found->second) slots_[at].used = 1;
}

bool Journal::hold_suspect(std::size_t loop, const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  const std::pair wanted(loop, key);
  // One suspect at a time, so that a crash counts against the job to blame and not against another
  // suspect beside it.
  if (!suspect_) suspect_ = wanted;
  return suspect_ == wanted;
}

void Journal::ended(std::size_t loop, const AttemptKey& key) {
  const std::lock_guard lock(mutex_);
  if (suspect_ == std::pair(loop, key)) suspect_.reset();
  const auto found = used_.find({loop, key});
  if (found == used_.end()) return;
  for (const std::size_t at : found->second) {
    slots_[at].used = 0;
    free_.push_back(at);
  }
  used_.erase(found);
}

}  // namespace penstock
