// libFuzzer target: arenas, beside other blocks of their region.
#include "arena_model.hpp"
#include "fuzz.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using slabring::test::ArenaModel;
  using slabring::test::ArenaOperation;
  static slabring::test::MappedRegion region(32, 32, 1);
  slabring::test::fuzz_input<ArenaModel, ArenaOperation>(region, data, size);
  return 0;
}
