#include "consumer/worker/in_place/kept_tenures.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "state/rows/digest.h"

namespace penstock {
namespace {

constexpr char kTenuresMagic[8] = {'p', 'n', 's', 't', 'k', 't', '0', '1'};

struct TenuresHeader {
  char magic[8];
  char boot[112];
  std::uint64_t device, inode;
  std::uint64_t check;
};

struct TenureSlot {
  char topic[256];
  std::int64_t partition, epoch, waited_until, since;
  std::uint64_t log_high, log_low;
  std::uint64_t check;
};

// Without padding, so that all bytes that are hashed have been set.
static_assert(sizeof(TenuresHeader) == 8 + 112 + 3 * 8 && sizeof(TenureSlot) == 256 + 7 * 8);

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <typename T>
std::uint64_t check_of(const T& value) {
  return bytes_hash(bytes_of(value).substr(0, offsetof(T, check)));
}

template <std::size_t kSize>
bool set_text(char (&into)[kSize], std::string_view text) {
  if (text.size() >= kSize) return false;
  std::memcpy(into, text.data(), text.size());
  return true;
}

template <std::size_t kSize>
std::string text_of(const char (&from)[kSize]) {
  return {from, strnlen(from, kSize)};
}

std::string read_all(int file) {
  constexpr std::size_t kMost =
      sizeof(TenuresHeader) + KeptTenures::kMaxPartitions * sizeof(TenureSlot);
  struct stat about {};
  if (::fstat(file, &about) != 0) return {};
  std::string bytes(std::min(static_cast<std::size_t>(about.st_size), kMost), '\0');
  const ssize_t got = ::pread(file, bytes.data(), bytes.size(), 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

Result<std::unique_ptr<KeptTenures>> KeptTenures::open(const std::string& directory,
                                                       std::string boot) {
  auto lock = StateLock::open(directory);
  if (!lock) return tl::unexpected(lock.error());
  return std::unique_ptr<KeptTenures>(
      new KeptTenures(*std::move(lock), directory, std::move(boot)));
}

bool KeptTenures::take() {
  const std::lock_guard lock(mutex_);
  if (lock_.held()) return true;
  if (!lock_.take()) return false;
  open_file();
  for (const auto& [place, tenure] : own_) write(place, tenure);
  return true;
}

void KeptTenures::take_patiently(const std::function<bool()>& wait, const Sink& say) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!take()) {
    if (!wait()) return;
    if (std::chrono::steady_clock::now() < until) continue;
    return say("warning", "something that the previous process had started still runs, and holds " +
                              directory_ +
                              "/lock open: the partitions wait for the lease of that process");
  }
}

LastTenure KeptTenures::left(std::string_view topic, PartitionId partition) const {
  const std::lock_guard lock(mutex_);
  const auto found = left_.find({std::string(topic), partition});
  return found == left_.end() ? LastTenure{} : found->second;
}

void KeptTenures::keep(std::string_view topic, PartitionId partition, const LastTenure& tenure) {
  // Its offsets could not be told from those of another log.
  if (!tenure.log.known()) return;
  const std::lock_guard lock(mutex_);
  const Place place{topic, partition};
  own_[place] = tenure;
  if (lock_.held()) write(place, tenure);
}

// Without a file, the next process waits for this one's lease.
void KeptTenures::open_file() {
  TenuresHeader header{};
  std::memcpy(header.magic, kTenuresMagic, sizeof header.magic);
  header.device = lock_.identity().device;
  header.inode = lock_.identity().inode;
  if (boot_.empty() || !set_text(header.boot, boot_)) return;
  header.check = check_ = check_of(header);
  Fd file(::open((directory_ + "/tenures").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return;
  const std::string bytes = read_all(file.get());
  if (bytes.starts_with(bytes_of(header))) {
    read_slots(std::string_view(bytes).substr(sizeof header));
  } else if (::ftruncate(file.get(), 0) != 0 ||
             ::pwrite(file.get(), &header, sizeof header, 0) != sizeof header) {
    return;
  }
  file_ = std::move(file);
}

// A slot that is torn is left as it is.
void KeptTenures::read_slots(std::string_view bytes) {
  std::size_t number = 0;
  for (; bytes.size() >= sizeof(TenureSlot); bytes.remove_prefix(sizeof(TenureSlot)), ++number) {
    TenureSlot slot;
    std::memcpy(&slot, bytes.data(), sizeof slot);
    const bool is_whole = slot.check == (check_of(slot) ^ check_);
    const Place place{is_whole ? text_of(slot.topic) : "#" + std::to_string(number),
                      static_cast<PartitionId>(is_whole ? slot.partition : 0)};
    slots_[place] = number;
    if (!is_whole) continue;
    left_[place] = {Offset{slot.epoch}, Instant(std::chrono::nanoseconds(slot.waited_until)),
                    Offset{slot.since}, TopicUuid{slot.log_high, slot.log_low}};
  }
}

// If it fails, the slot keeps an outdated tenure or is torn, and the next process waits for this
// one's lease.
void KeptTenures::write(const Place& place, const LastTenure& tenure) {
  if (!file_.is_open()) return;
  TenureSlot slot{};
  if (!set_text(slot.topic, place.first)) return;
  const auto [found, is_new] = slots_.try_emplace(place, slots_.size());
  if (is_new && slots_.size() > kMaxPartitions) {
    slots_.erase(found);
    return;
  }
  slot.partition = place.second;
  slot.epoch = tenure.epoch.value;
  slot.waited_until = tenure.waited_until.time_since_epoch().count();
  slot.since = tenure.since.value;
  slot.log_high = tenure.log.high;
  slot.log_low = tenure.log.low;
  slot.check = check_of(slot) ^ check_;
  const std::size_t at = sizeof(TenuresHeader) + found->second * sizeof(TenureSlot);
  [[maybe_unused]] const auto written =
      ::pwrite(file_.get(), &slot, sizeof slot, static_cast<off_t>(at));
}

}  // namespace penstock
