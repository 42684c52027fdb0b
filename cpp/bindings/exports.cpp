// The hot path: direct WebAssembly exports, called from js/region.js with numbers that it has
// checked. A call costs about 2 ns; through Embind it would be 80 to 120 ns. Pointers are
// addresses in linear memory; 0 means that there is no room and that nothing changed.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "module_region.hpp"
#include "slabring/arena.hpp"
#include "slabring/module_ticks.hpp"

#define SR_EXPORT(name) __attribute__((export_name(#name), used)) name

using slabring::Arena;
using slabring::module_async_ids;
using slabring::module_ticks;
using slabring::bindings::module_region;
using slabring::bindings::row_result;

extern "C" {

void* SR_EXPORT(sr_alloc)(std::size_t size) { return module_region->allocate(size); }

// A row of 1 to `most` cells of a size class, for views; row_result says how many, whether they are
// zero, and whether their slab is new.
void* SR_EXPORT(sr_alloc_row)(std::uint32_t size_class, std::uint32_t most) {
  const slabring::Region::Row row = module_region->allocate_row(size_class, most);
  row_result = {row.count, row.zero ? 1U : 0U, row.fresh ? 1U : 0U};
  return row.first;
}

void* SR_EXPORT(sr_alloc_zeroed)(std::size_t size) { return module_region->allocate_zeroed(size); }

void* SR_EXPORT(sr_alloc_run)(std::size_t size, std::size_t alignment) {
  return module_region->allocate_run(size, alignment);
}

// 1, or 0 when no live block starts there.
std::uint32_t SR_EXPORT(sr_free)(void* block) { return module_region->free(block) ? 1 : 0; }

// Frees all cells in use of the slab of views that `block` lies in, but for the `keep` from there
// on; returns their bytes.
std::size_t SR_EXPORT(sr_reclaim)(const void* block, std::uint32_t keep) {
  return module_region->reclaim(block, keep);
}

// Bytes that may be used at `block`, or 0 when no live block starts there.
std::size_t SR_EXPORT(sr_usable_size)(const void* block) {
  return module_region->usable_size(block);
}

// Gives back empty slabs; returns how many pages that were.
std::uint32_t SR_EXPORT(sr_trim)() { return module_region->trim(); }

// Brings the counters that Embind's regionStats() shows up to date.
void SR_EXPORT(sr_refresh_stats)() { module_region->stats(); }

// What does not agree when everything is counted again, a zero-terminated text; null when all does.
const char* SR_EXPORT(sr_find_problem)() { return module_region->find_problem(); }

// What JavaScript's own stores cannot do: room for one more tick, or for one more pair of ids. 1,
// or 0 when there is none.
std::uint32_t SR_EXPORT(sr_tick_reserve)() { return module_ticks().reserve() ? 1 : 0; }
std::uint32_t SR_EXPORT(sr_async_reserve)() { return module_async_ids().reserve() ? 1 : 0; }

// Runs native ticks; 1 when a JavaScript tick is next, 0 when nothing is left.
std::uint32_t SR_EXPORT(sr_tick_run_native)() { return module_ticks().run_native() ? 1 : 0; }

std::size_t SR_EXPORT(sr_tick_size)() { return module_ticks().size(); }

void SR_EXPORT(sr_tick_trim)() { module_ticks().trim(); }

// With assertions only: 400 bytes of the module.
#if SLABRING_ASSERT_LEVEL >= 1
// What does not agree in the queue or the stack, as sr_find_problem.
const char* SR_EXPORT(sr_tick_find_problem)() {
  const char* problem = module_ticks().find_problem();
  return problem != nullptr ? problem : module_async_ids().find_problem();
}
#endif

// The id stack for those who have no access to its memory; 1, or 0 when nothing was done.
std::uint32_t SR_EXPORT(sr_async_push)(double async_id, double trigger_id) {
  return module_async_ids().push(async_id, trigger_id) ? 1 : 0;
}
std::uint32_t SR_EXPORT(sr_async_pop)(double async_id) {
  return module_async_ids().pop(async_id) ? 1 : 0;
}

// Arenas: made and ended here, used without a call.
Arena* SR_EXPORT(sr_arena_create)(std::size_t size) { return Arena::create(*module_region, size); }

void SR_EXPORT(sr_arena_destroy)(Arena* arena) { Arena::destroy(*module_region, arena); }

#if SLABRING_ASSERT_LEVEL >= 1
const char* SR_EXPORT(sr_arena_find_problem)(const Arena* arena) { return arena->find_problem(); }
#endif

void SR_EXPORT(sr_copy)(void* to, const void* from, std::size_t size) {
  std::memmove(to, from, size);
}

void SR_EXPORT(sr_zero)(void* bytes, std::size_t size) { std::memset(bytes, 0, size); }

}  // extern "C"
