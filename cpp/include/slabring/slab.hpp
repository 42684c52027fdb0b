// A slab: one page cut into cells of one size. This is what is known of it; it lives in the
// region's metadata, never in the page, so no write through a stale view can reach it.
//
//   summary   bit w set: words[w] has a free cell    (64 bits)
//   words     bit c set: cell c is free              (64 words of 64 bits: 4096 cells of 16 bytes)
//
// The lowest free cell is taken first: two count-trailing-zeros, no loop. So a slab fills from its
// start, and every cell at or past `zero_from` was never handed out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "slabring/assert.hpp"
#include "slabring/size_classes.hpp"

namespace slabring {

// Whose blocks a slab's cells are. Never both: when the last view of JavaScript's that holds a slab
// is gone, all of its cells come back at once, whatever they were.
enum class Tenant : std::uint8_t { kNative, kViews };
inline constexpr std::uint32_t kTenants = 2;

struct Slab {
  static constexpr std::uint32_t kMaxCells = kPageSize / kMinCellSize;
  static constexpr std::uint32_t kWords = kMaxCells / 64;

  std::uint64_t summary;
  std::uint32_t previous;  // slabs of this class with a free cell are listed by page
  std::uint32_t next;
  std::uint16_t capacity;
  std::uint16_t used;
  std::uint16_t zero_from;  // cells from here on are zero; `capacity` when none is known to be
  std::uint8_t size_class;
  Tenant tenant;
  std::uint64_t words[kWords];

  // O(words used). `zero`: whether the page is known to be.
  void init(std::uint32_t new_class, bool zero, Tenant new_tenant = Tenant::kNative) {
    const std::uint32_t cells = kPageSize / kCellSizes[new_class];
    size_class = static_cast<std::uint8_t>(new_class);
    tenant = new_tenant;
    capacity = static_cast<std::uint16_t>(cells);
    zero_from = zero ? 0 : capacity;
    release_all_but(0, 0);
  }

  [[nodiscard]] bool full() const { return summary == 0; }

  struct Taken {
    std::uint32_t cell;   // the first
    std::uint32_t count;  // neighbours, one after another
    bool zero;            // all known to be: never handed out, on a zero page
  };

  // The lowest free cell, and as many right after it as are free in the same word, `most` at most;
  // there must be one. Every cell from `zero_from` on is free, so the lowest is at most that one.
  Taken take(std::uint32_t most) {
    SR_ASSERT_INTERNAL(!full() && most > 0);
    const auto word = static_cast<std::uint32_t>(std::countr_zero(summary));
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(words[word]));
    const std::uint64_t from = words[word] >> bit;
    std::uint64_t row = from & ~(from + 1);  // the ones up to the lowest zero
    if (most < 64) row &= (std::uint64_t{1} << most) - 1;
    const auto count = static_cast<std::uint32_t>(std::popcount(row));
    words[word] &= ~(row << bit);
    if (words[word] == 0) summary &= ~(std::uint64_t{1} << word);
    used = static_cast<std::uint16_t>(used + count);
    const std::uint32_t cell = (word * 64) + bit;
    const bool zero = cell == zero_from;
    SR_ASSERT_INTERNAL(cell <= zero_from);
    if (cell + count > zero_from) zero_from = static_cast<std::uint16_t>(cell + count);
    return {cell, count, zero};
  }

  [[nodiscard]] bool is_free(std::uint32_t cell) const {
    return ((words[cell / 64] >> (cell % 64)) & 1) != 0;
  }

  // Gives a taken cell back.
  void release(std::uint32_t cell) {
    SR_ASSERT_INTERNAL(!is_free(cell));
    words[cell / 64] |= std::uint64_t{1} << (cell % 64);
    summary |= std::uint64_t{1} << (cell / 64);
    --used;
  }

  // Gives back every cell but the `count` from `first` on, which are in use and lie in one word.
  // What was handed out once is not zero again: `zero_from` stays. O(words used).
  void release_all_but(std::uint32_t first, std::uint32_t count) {
    const std::uint64_t ones = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
    const std::uint64_t row = ones << (first % 64);
    SR_ASSERT_INTERNAL((first % 64) + count <= 64 && first + count <= capacity);
    SR_ASSERT_INTERNAL((words[first / 64] & row) == 0);
    summary = 0;
    for (std::uint32_t word = 0; word * 64 < capacity; ++word) {
      const std::uint32_t rest = capacity - (word * 64);
      words[word] = rest < 64 ? (std::uint64_t{1} << rest) - 1 : ~std::uint64_t{0};
      if (word == first / 64) words[word] &= ~row;
      if (words[word] != 0) summary |= std::uint64_t{1} << word;
    }
    used = static_cast<std::uint16_t>(count);
  }

  [[nodiscard]] const char* find_problem() const {
    if (size_class >= kSizeClasses) return SR_PROBLEM("a slab's size class does not exist");
    if (capacity != kPageSize / kCellSizes[size_class])
      return SR_PROBLEM("a slab's capacity is wrong");
    if (static_cast<std::uint32_t>(tenant) >= kTenants)
      return SR_PROBLEM("a slab's tenant does not exist");
    if (zero_from > capacity) return SR_PROBLEM("a slab is zero from past its end");
    std::uint32_t free_cells = 0;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      if (word * 64 >= capacity) {
        if (((summary >> word) & 1) != 0)
          return SR_PROBLEM("a slab's summary names a word past its end");
        continue;
      }
      if (((summary >> word) & 1) != (words[word] != 0 ? 1 : 0))
        return SR_PROBLEM("a slab's summary is wrong");
      free_cells += static_cast<std::uint32_t>(std::popcount(words[word]));
    }
    if (free_cells + used != capacity) return SR_PROBLEM("a slab's used cells are miscounted");
    for (std::uint32_t cell = zero_from; cell < capacity; ++cell) {
      if (!is_free(cell)) return SR_PROBLEM("a cell in use is counted as never handed out");
    }
    return nullptr;
  }
};

}  // namespace slabring
