// The region of this WebAssembly module: all of its linear memory above its own data and stack.
// One module instance, one memory, one region.
#pragma once

#include "slabring/region.hpp"

namespace slabring::bindings {

// Null when the memory is too small to hold anything. Made before any other static constructor
// runs: they may allocate.
extern Region* module_region;

// In linear memory, where JavaScript reads it: a wasm function returns one number.
extern RowResult row_result;

}  // namespace slabring::bindings
