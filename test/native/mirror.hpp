// The private members of the page heap and of the slab pool, member for member. Only through these
// can a test break a structure, and so see that find_problem() notices. A test that fails for a
// changed member is to be mended here.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "slabring/bitmap.hpp"
#include "slabring/page_heap.hpp"
#include "slabring/slab.hpp"
#include "slabring/slab_pool.hpp"

namespace slabring::test {

struct PageRecord {
  std::uint32_t pages;
  std::uint32_t head;
  std::uint32_t previous;
  std::uint32_t next;
};

struct PageHeapMirror {
  std::uint32_t page_count;
  std::uint32_t first_page;
  std::uint32_t high_water;
  std::uint32_t pages_in_use;
  PageRecord* records;
  Bitmap live;
  Bitmap free;
  Bitmap dirty;
  Bitmap::Word bin_words[2];
  std::uint32_t bins[128];
};

struct SlabPoolMirror {
  PageHeap* pages;
  RegionStats* stats;
  Slab* slabs;
  Bitmap slab_pages;
  std::uint32_t lists[kTenants * kSizeClasses];  // C++'s, then JavaScript's
};

// Lets `change` edit the members of `object` as those of a Mirror.
template <class Mirror, class Object, class Change>
void edit(Object& object, Change change) {
  static_assert(sizeof(Mirror) == sizeof(Object) && alignof(Mirror) == alignof(Object));
  static_assert(std::is_trivially_copyable_v<Object> && std::is_trivially_copyable_v<Mirror>);
  auto mirror = std::bit_cast<Mirror>(object);
  change(mirror);
  std::memcpy(static_cast<void*>(&object), &mirror, sizeof(object));
}

}  // namespace slabring::test
