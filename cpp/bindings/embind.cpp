// The control plane: what is called once, or now and then. The only Embind bindings there are.
#include <emscripten/bind.h>

#include <cstdint>

#include "module_region.hpp"

namespace {

using emscripten::typed_memory_view;
using emscripten::val;
using slabring::RegionStats;
using slabring::RowResult;
using slabring::bindings::module_region;
using slabring::bindings::row_result;

bool region_exists() { return module_region != nullptr; }

// The counters as a Uint32Array on linear memory: stays valid, refresh_stats() brings it up to
// date.
val region_stats() {
  const RegionStats& stats = module_region->stats();
  return val(typed_memory_view(sizeof(RegionStats) / sizeof(std::uint32_t),
                               reinterpret_cast<const std::uint32_t*>(&stats)));
}

val row_result_words() {
  return val(typed_memory_view(sizeof(RowResult) / sizeof(std::uint32_t),
                               reinterpret_cast<const std::uint32_t*>(&row_result)));
}

void refresh_stats() { module_region->stats(); }

// What does not agree when everything is counted again: the address of a zero-terminated text, or 0
// when all does. Not a std::string: its error paths bring the whole of printf.
std::uintptr_t find_problem() {
  return reinterpret_cast<std::uintptr_t>(module_region->find_problem());
}

std::uint32_t trim() { return module_region->trim(); }

}  // namespace

EMSCRIPTEN_BINDINGS(slabring) {
  emscripten::function("regionExists", &region_exists);
  emscripten::function("regionStats", &region_stats);
  emscripten::function("rowResult", &row_result_words);
  emscripten::function("refreshStats", &refresh_stats);
  emscripten::function("findProblem", &find_problem);
  emscripten::function("trim", &trim);
}
