#include "slabring/assert.hpp"

#ifndef __wasm__
#include <cstdio>
#include <cstdlib>
#endif

namespace slabring {

void assertion_failed(const char* expression, const char* file, int line) {
#ifdef __wasm__
  // A trap reaches JavaScript as a RuntimeError whose stack names the place; stdio would
  // cost more bytes than the allocator.
  (void)expression, (void)file, (void)line;
  __builtin_trap();
#else
  (void)std::fprintf(stderr, "%s:%d: slabring: assertion failed: %s\n", file, line, expression);
  std::abort();
#endif
}

}  // namespace slabring
