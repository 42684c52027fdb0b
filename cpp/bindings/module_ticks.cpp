#include "slabring/module_ticks.hpp"

#include <emscripten/em_js.h>

#include <new>

#include "module_region.hpp"

// The only call from C++ to JavaScript: js/region.js gives it to the glue.
// clang-format off
EM_JS(void, sr_schedule, (), { Module.schedule(); });
// clang-format on

namespace slabring {

namespace {

// Never destroyed: the memory goes as a whole. Static objects would bring atexit along.
template <class T>
struct Lazy {
  alignas(T) unsigned char bytes[sizeof(T)];
  T* object;
};

Lazy<AsyncIdStack> async_ids;
Lazy<TickQueue> ticks;

}  // namespace

AsyncIdStack& module_async_ids() {
  if (async_ids.object == nullptr) {
    async_ids.object = new (async_ids.bytes) AsyncIdStack(*bindings::module_region);
  }
  return *async_ids.object;
}

TickQueue& module_ticks() {
  if (ticks.object == nullptr) {
    ticks.object =
        new (ticks.bytes) TickQueue(*bindings::module_region, module_async_ids(), &sr_schedule);
  }
  return *ticks.object;
}

}  // namespace slabring
