// A module of nothing but a C library's allocator: which one, the link says.
#include <cstdlib>

extern "C" {

__attribute__((export_name("rival_alloc"))) void* rival_alloc(std::size_t size) {
  return std::malloc(size);
}

__attribute__((export_name("rival_free"))) void rival_free(void* block) { std::free(block); }

}  // extern "C"
