// libFuzzer target: bytes become steps on a small region, each compared with the model.
//
//   kind | log2 of the alignment | value, 3 bytes      five bytes a step
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "model.hpp"

namespace {

using slabring::test::MappedRegion;
using slabring::test::Model;
using slabring::test::Operation;

constexpr std::uint32_t kPages = 64;
constexpr std::size_t kBytesAStep = 5;

[[noreturn]] void fail(const char* problem, std::size_t step) {
  (void)std::fprintf(stderr, "step %zu: %s\n", step, problem);
  std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MappedRegion region(kPages, 64, 1);
  region.renew();
  Model model(region);
  const std::size_t steps = size / kBytesAStep;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::uint8_t* bytes = data + (step * kBytesAStep);
    const Operation operation{
        static_cast<Operation::Kind>(bytes[0] % Operation::kKinds), bytes[1],
        bytes[2] | (std::uint32_t{bytes[3]} << 8) | (std::uint32_t{bytes[4]} << 16)};
    if (const char* problem = model.step(operation)) fail(problem, step);
  }
  if (const char* problem = model.finish()) fail(problem, steps);
  return 0;
}
