// An allocator for large tables that are read at random places: it asks the system for huge pages,
// so that a look-up seldom misses the processor's table of pages as well as its caches. Where the
// system has none, only speed is lost.
//
// Large tables are mapped, not allocated from the heap: the heap would keep the memory of each table
// that has been replaced by a larger one.
#pragma once

#include <cstddef>
#include <new>

namespace penstock {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;  // of x86-64 and, as usual, AArch64

// From this size on, a table is mapped. There is a limit to how many mappings a process may have.
inline constexpr std::size_t kMappedTable = std::size_t{256} << 10;

// Pages of their own for `bytes`, as many of them as possible huge, or std::bad_alloc; their end.
[[nodiscard]] void* take_pages(std::size_t bytes);
void give_pages_back(void* memory, std::size_t bytes);

template <typename T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <typename Other>
  explicit HugePages(const HugePages<Other>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(is_large(bytes) ? take_pages(bytes) : ::operator new(bytes, kAlignment));
  }
  void deallocate(T* memory, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    is_large(bytes) ? give_pages_back(memory, bytes) : ::operator delete(memory, kAlignment);
  }

  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::align_val_t kAlignment{alignof(T)};
  static bool is_large(std::size_t bytes) { return bytes >= kMappedTable; }
};

}  // namespace penstock
