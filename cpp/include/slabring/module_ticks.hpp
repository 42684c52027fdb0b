// The tick queue of the WebAssembly module that this is linked into, and its async ids: one module
// instance, one of each. For C++ code that shares them with JavaScript:
//
//   slabring::module_ticks().push([](void* data) { ... }, data);
#pragma once

#include "slabring/async_id_stack.hpp"
#include "slabring/tick_queue.hpp"

namespace slabring {

AsyncIdStack& module_async_ids();

TickQueue& module_ticks();

}  // namespace slabring
