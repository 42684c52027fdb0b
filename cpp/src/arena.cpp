#include "slabring/arena.hpp"

#include <new>

namespace slabring {

Arena* Arena::create(Region& region, std::size_t size) {
  SR_ASSERT(size <= kMaxSize);
  const std::size_t end = kFirst + size;
  const std::size_t place = place_of(end);
  auto* base =
      static_cast<std::byte*>(region.allocate_run(place + sizeof(Arena) + kWindowSize, kPageSize));
  if (base == nullptr) return nullptr;
  auto* arena = new (base + place) Arena(base, static_cast<Pointer>(end));
  SR_ASSERT_EXPENSIVE(arena->is_valid());
  return arena;
}

void Arena::destroy(Region& region, Arena* arena) {
  SR_ASSERT(arena->is_valid());
  region.free(arena->control_.base);
}

const char* Arena::find_problem() const {
  const Control& control = control_;
  if (reinterpret_cast<std::uintptr_t>(control.base) % kPageSize != 0) {
    return SR_PROBLEM("an arena's base is not aligned");
  }
  if (control.base + place_of(control.end) != reinterpret_cast<const std::byte*>(this)) {
    return SR_PROBLEM("an arena is not at the end of its block");
  }
  if (control.top < kFirst || control.top > control.end) {
    return SR_PROBLEM("an arena's top is outside of it");
  }
  if (control.high_water < kFirst || control.high_water > control.end) {
    return SR_PROBLEM("an arena's high-water mark is outside of it");
  }
  return nullptr;
}

}  // namespace slabring
