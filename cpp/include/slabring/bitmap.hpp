// A bitmap over words it does not own, for one bit a page or one bit a cell.
//
// Invariant: bits at and past `size()` are 0, so word-wise searches need no masking at the end.
// Cost: single bits O(1); ranges and searches O(words touched), 64 bits a word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "slabring/assert.hpp"

namespace slabring {

class Bitmap {
 public:
  using Word = std::uint64_t;
  static constexpr std::uint32_t kWordBits = 64;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static constexpr std::uint32_t words_for(std::uint32_t bits) {
    return (bits / kWordBits) + (bits % kWordBits != 0 ? 1 : 0);
  }

  constexpr Bitmap() = default;

  // `words` must hold words_for(size) words, all zero, and outlive the bitmap.
  constexpr Bitmap(Word* words, std::uint32_t size) : words_(words), size_(size) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }

  [[nodiscard]] bool test(std::uint32_t index) const {
    SR_ASSERT_INTERNAL(index < size_);
    return ((words_[index / kWordBits] >> (index % kWordBits)) & 1) != 0;
  }

  void set(std::uint32_t index) {
    SR_ASSERT_INTERNAL(index < size_);
    words_[index / kWordBits] |= bit(index);
  }

  void clear(std::uint32_t index) {
    SR_ASSERT_INTERNAL(index < size_);
    words_[index / kWordBits] &= ~bit(index);
  }

  void set_range(std::uint32_t first, std::uint32_t count) {
    for_each_word(first, count, [](Word& word, Word mask) { word |= mask; });
  }

  void clear_range(std::uint32_t first, std::uint32_t count) {
    for_each_word(first, count, [](Word& word, Word mask) { word &= ~mask; });
  }

  [[nodiscard]] std::uint32_t count_range(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t total = 0;
    for_each_word(first, count, [&total](const Word& word, Word mask) {
      total += static_cast<std::uint32_t>(std::popcount(word & mask));
    });
    return total;
  }

  // The first set bit in [from, end), or kNone.
  [[nodiscard]] std::uint32_t find_set(std::uint32_t from, std::uint32_t end) const {
    return find(from, end, 0);
  }

  // The first clear bit in [from, end), or kNone.
  [[nodiscard]] std::uint32_t find_clear(std::uint32_t from, std::uint32_t end) const {
    return find(from, end, ~Word{0});
  }

 private:
  static constexpr Word bit(std::uint32_t index) { return Word{1} << (index % kWordBits); }

  template <class Visit>
  void for_each_word(std::uint32_t first, std::uint32_t count, Visit visit) const {
    SR_ASSERT_INTERNAL(first <= size_ && count <= size_ - first);
    while (count > 0) {
      const std::uint32_t shift = first % kWordBits;
      const std::uint32_t taken = count < kWordBits - shift ? count : kWordBits - shift;
      const Word ones = taken == kWordBits ? ~Word{0} : (Word{1} << taken) - 1;
      visit(words_[first / kWordBits], ones << shift);
      first += taken;
      count -= taken;
    }
  }

  // `flip` is all ones to look for clear bits: the search below is for a set bit of word ^ flip.
  [[nodiscard]] std::uint32_t find(std::uint32_t from, std::uint32_t end, Word flip) const {
    SR_ASSERT_INTERNAL(end <= size_);
    while (from < end) {
      const std::uint32_t shift = from % kWordBits;
      const Word rest = (words_[from / kWordBits] ^ flip) >> shift;
      if (rest != 0) {
        const std::uint32_t found = from + static_cast<std::uint32_t>(std::countr_zero(rest));
        return found < end ? found : kNone;
      }
      from += kWordBits - shift;
    }
    return kNone;
  }

  Word* words_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace slabring
