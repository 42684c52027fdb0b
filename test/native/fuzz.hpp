// What the fuzz targets share: bytes become steps, each compared with a model; steps are counted by
// kind, and told in words when one goes wrong.
//
//   kind | detail | value, 3 bytes      five bytes a step
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mapping.hpp"

namespace slabring::test {

constexpr std::size_t kBytesAStep = 5;

// How many steps of each kind were compared, written when the process ends: what a run is worth is
// counted in operations, not in inputs.
template <class Operation>
class OperationCounts {
 public:
  static void add(typename Operation::Kind kind) {
    static OperationCounts counts;
    ++counts.of_[static_cast<std::size_t>(kind)];
  }

 private:
  OperationCounts() = default;
  ~OperationCounts() {
    for (std::size_t kind = 0; kind < Operation::kKinds; ++kind) {
      (void)std::fprintf(stderr, "operations %s %llu\n", Operation::kNames[kind],
                         static_cast<unsigned long long>(of_[kind]));
    }
  }

  std::array<std::uint64_t, Operation::kKinds> of_{};
};

template <class Operation>
Operation operation_at(const std::uint8_t* bytes) {
  return {static_cast<typename Operation::Kind>(bytes[0] % Operation::kKinds), bytes[1],
          bytes[2] | (std::uint32_t{bytes[3]} << 8) | (std::uint32_t{bytes[4]} << 16)};
}

// Runs one input on a region that is as new. Does not return when something goes otherwise than in
// the model: then the steps are listed, if they are few.
template <class Model, class Operation, class... Options>
void fuzz_input(MappedRegion& region, const std::uint8_t* data, std::size_t size,
                Options... options) {
  const std::size_t steps = size / kBytesAStep;
  const auto fail = [&](const char* problem, std::size_t step) {
    (void)std::fprintf(stderr, "step %zu: %s\n", step, problem);
    if (steps <= 100) {
      for (std::size_t i = 0; i < steps; ++i) {
        const auto operation = operation_at<Operation>(data + (i * kBytesAStep));
        (void)std::fprintf(stderr, "  %zu %s\n", i, operation.text().c_str());
      }
    }
    std::abort();
  };
  region.renew();
  Model model(region, options...);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto operation = operation_at<Operation>(data + (step * kBytesAStep));
    OperationCounts<Operation>::add(operation.kind);
    if (const char* problem = model.step(operation)) fail(problem, step);
  }
  if (const char* problem = model.finish()) fail(problem, steps);
}

}  // namespace slabring::test
