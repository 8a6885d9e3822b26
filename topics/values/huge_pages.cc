#include "topics/values/huge_pages.h"

#include <sys/mman.h>

#include <cstdlib>

namespace penstock {

void* take_huge_pages(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  // A refusal changes nothing but the speed.
  (void)madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

void give_huge_pages_back(void* memory) { std::free(memory); }

}  // namespace penstock
