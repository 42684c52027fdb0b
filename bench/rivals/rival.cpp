// A module of nothing but a C library's allocator: which one, the link says.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// The linker's: where what the allocator hands out begins.
extern char __heap_base;

__attribute__((export_name("rival_alloc"))) void* rival_alloc(std::size_t size) {
  return std::malloc(size);
}

__attribute__((export_name("rival_free"))) void rival_free(void* block) { std::free(block); }

// Bytes that the allocator took from the memory.
__attribute__((export_name("rival_reserved"))) std::size_t rival_reserved() {
  return reinterpret_cast<std::uintptr_t>(sbrk(0)) - reinterpret_cast<std::uintptr_t>(&__heap_base);
}

}  // extern "C"
