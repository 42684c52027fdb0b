// libFuzzer target: the tick queue and the async-id stack.
#include "fuzz.hpp"
#include "ticks_model.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using slabring::test::TickOperation;
  using slabring::test::TicksModel;
  static slabring::test::MappedRegion region(20, 32, 1);
  slabring::test::fuzz_input<TicksModel, TickOperation>(region, data, size);
  return 0;
}
