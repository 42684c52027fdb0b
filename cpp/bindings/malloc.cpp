// malloc and its kin on the module's region: Embind and C++ kernels linked into the module share
// the pages with JavaScript's buffers, and no second allocator is shipped. The link says
// -sMALLOC=none.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "module_region.hpp"

namespace {

using slabring::bindings::module_region;

// What C and C++ promise of malloc: fit for any fundamental type.
constexpr std::size_t kAlignment = alignof(std::max_align_t);

void* allocate(std::size_t size, std::size_t alignment) {
  if (module_region == nullptr) return nullptr;
  void* block = module_region->allocate_aligned(size, alignment);
  // Empty slabs of other sizes may be all that is in the way.
  if (block == nullptr && module_region->trim() > 0) {
    block = module_region->allocate_aligned(size, alignment);
  }
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return allocate(size, kAlignment); }

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocate(size, alignment < kAlignment ? kAlignment : alignment);
}

void free(void* block) {
  if (block != nullptr) module_region->free(block);
}

void* calloc(std::size_t count, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total)) return nullptr;
  void* block = malloc(total);
  if (block != nullptr) std::memset(block, 0, total);
  return block;
}

void* realloc(void* block, std::size_t size) {
  if (block == nullptr) return malloc(size);
  const std::size_t old_size = module_region->usable_size(block);
  if (size <= old_size && size >= old_size / 2) return block;
  void* moved = malloc(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, old_size < size ? old_size : size);
  free(block);
  return moved;
}

}  // extern "C"
