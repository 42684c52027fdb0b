// C++ that allocates from JavaScript's arenas, for the tests. JavaScript passes `arena.handle`.
#include <cstddef>
#include <cstdint>

#include "slabring/arena.hpp"

using slabring::Arena;

#define EXPORT(name) __attribute__((export_name(#name), used)) name

extern "C" {

// A pointer, or 0 when there is no room.
Arena::Pointer EXPORT(arena_alloc)(Arena* arena, std::size_t bytes, std::size_t alignment) {
  const void* block = arena->alloc(bytes, alignment);
  return block == nullptr ? 0 : arena->pointer_to(block);
}

Arena::Pointer EXPORT(arena_mark)(const Arena* arena) { return arena->mark(); }

std::uint32_t EXPORT(arena_reset)(Arena* arena, Arena::Pointer mark) {
  return arena->reset(mark) ? 1 : 0;
}

std::size_t EXPORT(arena_high_water)(const Arena* arena) { return arena->high_water(); }

// The sum of two vectors, in the arena: a pointer, or 0 when there is no room.
Arena::Pointer EXPORT(add3)(Arena* arena, Arena::Pointer left, Arena::Pointer right) {
  auto* sum = static_cast<double*>(arena->alloc(3 * sizeof(double)));
  if (sum == nullptr) return 0;
  const auto* a = static_cast<const double*>(arena->at(left));
  const auto* b = static_cast<const double*>(arena->at(right));
  for (int i = 0; i < 3; ++i) sum[i] = a[i] + b[i];
  return arena->pointer_to(sum);
}

// The same by addresses alone: the length of a vector, squared.
double EXPORT(squared_length3)(const double* vector) {
  return (vector[0] * vector[0]) + (vector[1] * vector[1]) + (vector[2] * vector[2]);
}

}  // extern "C"
