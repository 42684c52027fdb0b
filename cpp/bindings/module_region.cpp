#include "module_region.hpp"

#include <cstdint>

// Set by the linker: the first address after static data and stack.
extern "C" unsigned char __heap_base;  // NOLINT(bugprone-reserved-identifier)

namespace slabring::bindings {

Region* module_region = nullptr;
RowResult row_result{};

namespace {

// 101 is the first priority that is not the C library's.
__attribute__((constructor(101))) void make_region() {
  const auto heap_base = reinterpret_cast<std::uintptr_t>(&__heap_base);
  const auto first = static_cast<std::uint32_t>((heap_base + kPageSize - 1) / kPageSize);
  const auto pages = static_cast<std::uint32_t>(__builtin_wasm_memory_size(0));
  auto* memory = reinterpret_cast<void*>(std::uintptr_t{first} * kPageSize);
  module_region = Region::create(memory, pages - first);
}

}  // namespace

}  // namespace slabring::bindings
