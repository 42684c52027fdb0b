// libFuzzer target: a region, its page heap and its slab pool.
#include "fuzz.hpp"
#include "model.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using slabring::test::Model;
  using slabring::test::Operation;
  // Mostly one that is soon full; one in eight with bitmaps of more than one word.
  static slabring::test::MappedRegion small(20, 32, 1);
  static slabring::test::MappedRegion large(80, 128, 1);
  auto& region = size > 0 && data[size - 1] % 8 == 0 ? large : small;
  slabring::test::fuzz_input<Model, Operation>(region, data, size, Model::Look::kQuick);
  return 0;
}
