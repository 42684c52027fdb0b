// The sizes of cells. A request gets the smallest class that holds it.
//
//   16, 24, 32, ... 64      steps of 8
//   80, 96, 112, 128        steps of 16
//   160, ... 4096           four classes a doubling: at most a fifth of a cell is left over
//   5040, ... 32768         a slab of 64 KiB divided by 13, 11, 9, 8, 7, 6, 5, 4, 3 and 2
//
// Every size is a multiple of 8 and slabs are 64 KiB aligned, so each cell is aligned to every
// power of two that divides its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "slabring/page_heap.hpp"

namespace slabring {

inline constexpr std::uint32_t kMinAlignment = 8;
inline constexpr std::uint32_t kMinCellSize = 16;
inline constexpr std::uint32_t kMaxCellSize = kPageSize / 2;
inline constexpr std::uint32_t kSizeClasses = 41;

inline constexpr std::array<std::uint32_t, kSizeClasses> kCellSizes = [] {
  std::array<std::uint32_t, kSizeClasses> sizes{};
  std::size_t count = 0;
  std::uint32_t size = kMinCellSize;
  while (size < 64) {
    sizes[count++] = size;
    size += kMinAlignment;
  }
  while (size <= 4096) {
    for (std::uint32_t step = 0; step < 4 && size + (step * size / 4) <= 4096; ++step) {
      sizes[count++] = size + (step * size / 4);
    }
    size *= 2;
  }
  for (const std::uint32_t cells : {13U, 11U, 9U, 8U, 7U, 6U, 5U, 4U, 3U, 2U}) {
    sizes[count++] = kPageSize / cells / kMinAlignment * kMinAlignment;
  }
  return sizes;
}();

static_assert(kCellSizes.front() == kMinCellSize && kCellSizes.back() == kMaxCellSize);

// The class of each size, by the number of 8-byte words it needs.
inline constexpr auto kClassOfWords = [] {
  std::array<std::uint8_t, (kMaxCellSize / kMinAlignment) + 1> classes{};
  std::uint8_t size_class = 0;
  for (std::size_t words = 0; words < classes.size(); ++words) {
    if (words * kMinAlignment > kCellSizes[size_class]) ++size_class;
    classes[words] = size_class;
  }
  return classes;
}();

// The class for `size` bytes, size <= kMaxCellSize.
constexpr std::uint32_t size_class_of(std::size_t size) {
  return kClassOfWords[(size + kMinAlignment - 1) / kMinAlignment];
}

// The smallest class for `size` bytes whose cells are aligned to `alignment`, a power of two; both
// at most kMaxCellSize. The last class is a power of two, so there always is one.
constexpr std::uint32_t size_class_of(std::size_t size, std::size_t alignment) {
  std::uint32_t size_class = size_class_of(size);
  while (kCellSizes[size_class] % alignment != 0) ++size_class;
  return size_class;
}

}  // namespace slabring
