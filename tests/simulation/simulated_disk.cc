#include "tests/simulation/simulated_disk.h"

namespace penstock::simulation {

// Shows the checker what is applied.
class SimulatedDisk::CheckedStore final : public Store {
 public:
  CheckedStore(SimulatedDisk& disk, PartitionId partition, MemoryStore::Contents contents)
      : disk_(disk), partition_(partition), inner_(std::move(contents), lag_of(disk, partition)) {}

  [[nodiscard]] bool get(std::string_view key, std::string* value) override {
    return inner_.get(key, value);
  }
  [[nodiscard]] std::unique_ptr<RowIterator> scan(std::string_view from,
                                                  std::string_view to) override {
    return inner_.scan(from, to);
  }
  [[nodiscard]] std::optional<LogPosition> position() override { return inner_.position(); }
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) override {
    disk_.checks_.applied(disk_.host_, partition_, position, false);
    Status status = inner_.apply(batch, position);
    if (disk_.random_.chance(0.15)) disk_.snapshots_[partition_] = inner_.contents();
    return status;
  }
  [[nodiscard]] std::uint64_t taken() const override { return inner_.taken(); }
  [[nodiscard]] std::uint64_t written() const override { return inner_.written(); }
  [[nodiscard]] Status restore(std::string_view batch, const LogPosition& position) override {
    disk_.checks_.applied(disk_.host_, partition_, position, true);
    Status status = inner_.restore(batch, position);
    if (disk_.random_.chance(0.15)) disk_.snapshots_[partition_] = inner_.contents();
    return status;
  }
  [[nodiscard]] Status settle() override { return inner_.settle(); }
  [[nodiscard]] Status discard() override {
    disk_.checks_.discarded(disk_.host_, partition_, inner_.position());
    return inner_.discard();
  }
  [[nodiscard]] Status set_aside() override { return inner_.set_aside(); }
  [[nodiscard]] Status end_aside(bool keep) override { return inner_.end_aside(keep); }
  [[nodiscard]] std::string kept_aside() override { return inner_.kept_aside(); }
  [[nodiscard]] std::uint64_t approximate_bytes() override { return inner_.approximate_bytes(); }
  [[nodiscard]] const MemoryStore::Contents& contents() const { return inner_.contents(); }
  [[nodiscard]] Status finish() { return inner_.finish(); }

 private:
  // In commits; some stores write at once.
  static std::size_t lag_of(const SimulatedDisk& disk, PartitionId partition) {
    return (disk.host_ + static_cast<std::size_t>(partition)) % 4;
  }

  SimulatedDisk& disk_;
  PartitionId partition_;
  MemoryStore inner_;
};

SimulatedDisk::SimulatedDisk(std::uint64_t seed, std::size_t host, StoreChecks& checks)
    : host_(host), checks_(checks), random_(seed * 131 + host) {}

SimulatedDisk::~SimulatedDisk() = default;

std::unique_ptr<Store> SimulatedDisk::open(PartitionId partition) {
  auto store = std::make_unique<CheckedStore>(*this, partition, std::move(closed_[partition]));
  closed_.erase(partition);
  open_[partition] = store.get();
  return store;
}

Status SimulatedDisk::close(PartitionId partition) {
  CheckedStore& store = *open_.at(partition);
  if (Status status = store.finish(); !status) return status;
  closed_[partition] = store.contents();
  open_.erase(partition);
  return {};
}

const MemoryStore::Contents& SimulatedDisk::contents(PartitionId partition) const {
  return open_.at(partition)->contents();
}

void SimulatedDisk::keep_open_stores() {
  for (const auto& [partition, store] : open_) closed_[partition] = store->contents();
}

bool SimulatedDisk::take_lock(Instant now) {
  if (lock_.taken || now < lock_.free_at) return lock_.taken;
  lock_.taken = true;
  lock_.left = lock_.file;
  for (const auto& [partition, tenure] : lock_.own) lock_.file[partition] = tenure;
  return true;
}

LastTenure SimulatedDisk::left(PartitionId partition) const {
  const auto found = lock_.left.find(partition);
  return found == lock_.left.end() ? LastTenure{} : found->second;
}

void SimulatedDisk::keep(PartitionId partition, const LastTenure& tenure) {
  lock_.own[partition] = tenure;
  if (lock_.taken) lock_.file[partition] = tenure;
}

void SimulatedDisk::process_ended() {
  open_.clear();
  lock_.taken = false;
  lock_.left.clear();
  lock_.own.clear();
}

void SimulatedDisk::crashed() {
  if (random_.chance(0.3)) snapshots_.clear();
  closed_ = snapshots_;
}

}  // namespace penstock::simulation
