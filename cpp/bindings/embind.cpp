// The control plane: what is called once, or now and then. The only Embind bindings there are.
#include <emscripten/bind.h>

#include <cstdint>

#include "module_region.hpp"
#include "slabring/module_ticks.hpp"

namespace {

using emscripten::typed_memory_view;
using emscripten::val;
using slabring::AsyncIdStack;
using slabring::RegionStats;
using slabring::RowResult;
using slabring::TickQueue;
using slabring::bindings::module_region;
using slabring::bindings::row_result;

bool region_exists() { return module_region != nullptr; }

// The counters as a Uint32Array on linear memory: it stays valid, sr_refresh_stats() brings it up
// to date.
val region_stats_view() {
  const RegionStats& stats = module_region->stats();
  return val(typed_memory_view(sizeof(RegionStats) / sizeof(std::uint32_t),
                               reinterpret_cast<const std::uint32_t*>(&stats)));
}

// What sr_alloc_row() gave besides an address, likewise.
val row_result_view() {
  return val(typed_memory_view(sizeof(RowResult) / sizeof(std::uint32_t),
                               reinterpret_cast<const std::uint32_t*>(&row_result)));
}

// The control blocks, as 32-bit words; both are made when first asked for.
val tick_control_view() {
  TickQueue::Control& control = slabring::module_ticks().control();
  return val(typed_memory_view(sizeof(TickQueue::Control) / sizeof(std::int32_t),
                               reinterpret_cast<std::int32_t*>(&control)));
}
val async_id_control_view() {
  AsyncIdStack::Control& control = slabring::module_async_ids().control();
  return val(typed_memory_view(sizeof(AsyncIdStack::Control) / sizeof(std::int32_t),
                               reinterpret_cast<std::int32_t*>(&control)));
}

}  // namespace

// Embind's own runtime, in place of the library's (libembind): that registers every type of C++
// there is, strings and 64-bit integers among them, and names unbound ones by printf. All of it
// would be linked, and its converters in the glue: more than a quarter of the module, an eighth of
// the glue.
namespace emscripten::internal {
extern "C" {

// For messages about types that nobody bound. At 0 is the end of the stack, and so an empty text.
const char* __getTypeName(const std::type_info* /*type*/) { return nullptr; }

// Bindings are registered when they are constructed. Threads would do it again, and there are none.
void _embind_initialize_bindings() {}
void _embind_register_bindings(InitFunc* /*bindings*/) {}

}  // extern "C"
}  // namespace emscripten::internal

namespace {

// Numbers of the glue's kinds of views.
constexpr unsigned kInt32Array = 4;
constexpr unsigned kUint32Array = 5;

void register_types() {
  using emscripten::memory_view;
  using namespace emscripten::internal;
  _embind_register_bool(TypeID<bool>::get(), "bool", true, false);
  _embind_register_emval(TypeID<val>::get());
  _embind_register_memory_view(TypeID<memory_view<std::int32_t>>::get(), kInt32Array, "int32");
  _embind_register_memory_view(TypeID<memory_view<std::uint32_t>>::get(), kUint32Array, "uint32");
}

}  // namespace

EMSCRIPTEN_BINDINGS(slabring) {
  register_types();
  emscripten::function("regionExists", &region_exists);
  emscripten::function("regionStats", &region_stats_view);
  emscripten::function("rowResult", &row_result_view);
  emscripten::function("tickControl", &tick_control_view);
  emscripten::function("asyncIdControl", &async_id_control_view);
}
