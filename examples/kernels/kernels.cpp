// The kernels of docs/cpp.md: on JavaScript's bytes, in its arenas, and among its ticks.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "slabring/arena.hpp"
#include "slabring/module_ticks.hpp"

#define EXPORT(name) __attribute__((export_name(#name), used)) name

using slabring::Arena;
using slabring::module_ticks;

namespace {

// Lies in a Uint32Array of JavaScript's.
struct Sum {
  const std::uint8_t* next;
  std::size_t left;
  std::uint32_t sum;
};

void add_some(Sum& sum) {
  const std::size_t size = std::min<std::size_t>(sum.left, 65536);
  for (std::size_t i = 0; i < size; ++i) sum.sum += sum.next[i];
  sum.next += size;
  sum.left -= size;
}

void sum_step(void* data) {
  Sum& sum = *static_cast<Sum*>(data);
  add_some(sum);
  if (sum.left > 0 && !module_ticks().push(sum_step, data)) {
    // No room for a tick: the rest here and now.
    while (sum.left > 0) add_some(sum);
  }
}

}  // namespace

extern "C" {

void EXPORT(scale)(double* values, std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

// The sum of two vectors, in the arena; 0 when it has no room.
Arena::Pointer EXPORT(add3)(Arena* arena, Arena::Pointer left, Arena::Pointer right) {
  auto* sum = static_cast<double*>(arena->alloc(3 * sizeof(double)));
  if (sum == nullptr) return 0;
  const auto* a = static_cast<const double*>(arena->at(left));
  const auto* b = static_cast<const double*>(arena->at(right));
  for (int i = 0; i < 3; ++i) sum[i] = a[i] + b[i];
  return arena->pointer_to(sum);
}

// Sums up bytes, 64 KiB a tick; 0 when there is no room for one.
std::uint32_t EXPORT(start_sum)(Sum* sum) { return module_ticks().push(sum_step, sum) ? 1 : 0; }

}  // extern "C"
