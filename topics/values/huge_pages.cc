#include "topics/values/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace penstock {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  static const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void* take_pages(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  // A table that is smaller than a huge page need not begin at one.
  const std::size_t slack = bytes < kHugePage ? 0 : kHugePage;
  void* const mapped =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  if (slack == 0) return mapped;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before != 0) (void)munmap(begin, before);
  (void)munmap(begin + before + size, slack - before);
  // Not for the last part, if it is smaller than a huge page: most of that would be wasted. A
  // refusal changes nothing but the speed.
  (void)madvise(begin + before, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return begin + before;
}

void give_pages_back(void* memory, std::size_t bytes) { (void)munmap(memory, whole_pages(bytes)); }

}  // namespace penstock
