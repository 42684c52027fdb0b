#include "slabring/bitmap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace slabring {
namespace {

using Word = Bitmap::Word;

// Both sides of the ends of words.
constexpr std::uint32_t kSizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 192};

// A bitmap between two words that must stay as they are, next to a plain list of bits.
class Bits {
 public:
  explicit Bits(std::uint32_t size) : words_(Bitmap::words_for(size) + 2), bits_(size) {
    words_.front() = words_.back() = kGuard;
    bitmap = Bitmap(words_.data() + 1, size);
  }

  explicit Bits(std::uint32_t size, unsigned seed) : Bits(size) {
    std::mt19937 random(seed);
    // Sparse and dense by turns, so that searches cross whole words.
    const unsigned density = 1 + (seed % 3);
    for (std::uint32_t bit = 0; bit < size; ++bit) {
      if (random() % 4 < density) set(bit, 1);
    }
  }

  void set(std::uint32_t first, std::uint32_t count) {
    bitmap.set_range(first, count);
    for (std::uint32_t i = 0; i < count; ++i) bits_[first + i] = true;
  }

  void clear(std::uint32_t first, std::uint32_t count) {
    bitmap.clear_range(first, count);
    for (std::uint32_t i = 0; i < count; ++i) bits_[first + i] = false;
  }

  [[nodiscard]] bool test(std::uint32_t index) const { return bits_[index]; }

  [[nodiscard]] std::uint32_t find(std::uint32_t from, std::uint32_t end, bool value) const {
    for (; from < end; ++from) {
      if (bits_[from] == value) return from;
    }
    return Bitmap::kNone;
  }

  [[nodiscard]] std::uint32_t count(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t total = 0;
    for (std::uint32_t i = 0; i < count; ++i) total += bits_[first + i] ? 1 : 0;
    return total;
  }

  // Bit for bit, and nothing in the words' ends and around them.
  void expect_equal() const {
    std::vector<Word> expected(words_.size());
    expected.front() = expected.back() = kGuard;
    for (std::size_t bit = 0; bit < bits_.size(); ++bit) {
      if (bits_[bit]) expected[1 + (bit / 64)] |= Word{1} << (bit % 64);
    }
    ASSERT_EQ(words_, expected);
  }

  Bitmap bitmap;

 private:
  static constexpr Word kGuard = 0xA5A5'5A5A'A5A5'5A5A;
  std::vector<Word> words_;
  std::vector<bool> bits_;
};

TEST(BitmapTest, WordsForRoundsUpAndDoesNotWrap) {
  EXPECT_EQ(Bitmap::words_for(0), 0U);
  EXPECT_EQ(Bitmap::words_for(1), 1U);
  EXPECT_EQ(Bitmap::words_for(63), 1U);
  EXPECT_EQ(Bitmap::words_for(64), 1U);
  EXPECT_EQ(Bitmap::words_for(65), 2U);
  EXPECT_EQ(Bitmap::words_for(UINT32_MAX), 1U << 26);
}

TEST(BitmapTest, DefaultConstructedHasNoBits) {
  const Bitmap bitmap;
  EXPECT_EQ(bitmap.size(), 0U);
  EXPECT_EQ(bitmap.find_set(0, 0), Bitmap::kNone);
  EXPECT_EQ(bitmap.count_range(0, 0), 0U);
}

TEST(BitmapTest, StartsAllClear) {
  for (const std::uint32_t size : kSizes) {
    const Bits bits(size);
    EXPECT_EQ(bits.bitmap.size(), size);
    EXPECT_EQ(bits.bitmap.count_range(0, size), 0U);
    EXPECT_EQ(bits.bitmap.find_set(0, size), Bitmap::kNone);
  }
}

TEST(BitmapTest, SetChangesOneBitOnly) {
  for (const std::uint32_t size : kSizes) {
    for (std::uint32_t index = 0; index < size; ++index) {
      Bits bits(size);
      bits.bitmap.set(index);
      EXPECT_TRUE(bits.bitmap.test(index));
      EXPECT_EQ(bits.bitmap.count_range(0, size), 1U);
      bits.bitmap.set(index);
      EXPECT_EQ(bits.bitmap.count_range(0, size), 1U) << "set twice";
    }
  }
}

TEST(BitmapTest, ClearChangesOneBitOnly) {
  for (const std::uint32_t size : kSizes) {
    for (std::uint32_t index = 0; index < size; ++index) {
      Bits bits(size);
      bits.set(0, size);
      bits.bitmap.clear(index);
      EXPECT_FALSE(bits.bitmap.test(index));
      EXPECT_EQ(bits.bitmap.count_range(0, size), size - 1);
      bits.bitmap.clear(index);
      EXPECT_EQ(bits.bitmap.count_range(0, size), size - 1) << "cleared twice";
    }
  }
}

TEST(BitmapTest, TestTellsEachBit) {
  const Bits bits(192, 1);
  for (std::uint32_t index = 0; index < 192; ++index) {
    EXPECT_EQ(bits.bitmap.test(index), bits.test(index)) << index;
  }
}

TEST(BitmapTest, SetRangeSetsThatRangeOnly) {
  for (const std::uint32_t size : kSizes) {
    for (std::uint32_t first = 0; first <= size; ++first) {
      for (std::uint32_t count = 0; count <= size - first; ++count) {
        Bits bits(size);
        bits.set(first, count);
        ASSERT_NO_FATAL_FAILURE(bits.expect_equal()) << size << ": " << first << '+' << count;
      }
    }
  }
}

TEST(BitmapTest, ClearRangeClearsThatRangeOnly) {
  for (const std::uint32_t size : kSizes) {
    for (std::uint32_t first = 0; first <= size; ++first) {
      for (std::uint32_t count = 0; count <= size - first; ++count) {
        Bits bits(size);
        bits.set(0, size);
        bits.clear(first, count);
        ASSERT_NO_FATAL_FAILURE(bits.expect_equal()) << size << ": " << first << '+' << count;
      }
    }
  }
}

TEST(BitmapTest, CountRangeCountsThatRangeOnly) {
  for (const std::uint32_t size : kSizes) {
    const Bits bits(size, 2);
    for (std::uint32_t first = 0; first <= size; ++first) {
      for (std::uint32_t count = 0; count <= size - first; ++count) {
        ASSERT_EQ(bits.bitmap.count_range(first, count), bits.count(first, count))
            << size << ": " << first << '+' << count;
      }
    }
  }
}

TEST(BitmapTest, FindSetIsTheFirstSetBitOfTheRange) {
  for (const std::uint32_t size : kSizes) {
    for (const unsigned seed : {0U, 1U, 2U}) {
      const Bits bits(size, seed);
      for (std::uint32_t from = 0; from <= size; ++from) {
        for (std::uint32_t end = 0; end <= size; ++end) {
          ASSERT_EQ(bits.bitmap.find_set(from, end), bits.find(from, end, true))
              << size << ": " << from << ".." << end;
        }
      }
    }
  }
}

TEST(BitmapTest, FindClearIsTheFirstClearBitOfTheRange) {
  for (const std::uint32_t size : kSizes) {
    for (const unsigned seed : {0U, 1U, 2U}) {
      const Bits bits(size, seed);
      for (std::uint32_t from = 0; from <= size; ++from) {
        for (std::uint32_t end = 0; end <= size; ++end) {
          ASSERT_EQ(bits.bitmap.find_clear(from, end), bits.find(from, end, false))
              << size << ": " << from << ".." << end;
        }
      }
    }
  }
}

TEST(BitmapTest, FindCrossesWordsWithoutABit) {
  Bits bits(192);
  bits.set(191, 1);
  EXPECT_EQ(bits.bitmap.find_set(1, 192), 191U);
  EXPECT_EQ(bits.bitmap.find_set(1, 191), Bitmap::kNone);
  bits.set(0, 192);
  bits.clear(191, 1);
  EXPECT_EQ(bits.bitmap.find_clear(1, 192), 191U);
  EXPECT_EQ(bits.bitmap.find_clear(1, 191), Bitmap::kNone);
}

TEST(BitmapTest, FindClearDoesNotFindThePaddingOfTheLastWord) {
  Bits bits(65);
  bits.set(0, 65);
  EXPECT_EQ(bits.bitmap.find_clear(0, 65), Bitmap::kNone);
  EXPECT_EQ(bits.bitmap.find_clear(64, 65), Bitmap::kNone);
}

#if SLABRING_ASSERT_LEVEL >= 2
TEST(BitmapDeathTest, RefusesBitsPastItsEnd) {
  Bits bits(65);
  EXPECT_DEATH(static_cast<void>(bits.bitmap.test(65)), "index < size_");
  EXPECT_DEATH(bits.bitmap.set(65), "index < size_");
  EXPECT_DEATH(bits.bitmap.clear(65), "index < size_");
  EXPECT_DEATH(bits.bitmap.set_range(65, 1), "first <= size_");
  EXPECT_DEATH(bits.bitmap.set_range(66, 0), "first <= size_");
  EXPECT_DEATH(bits.bitmap.clear_range(1, UINT32_MAX), "first <= size_") << "must not wrap";
  EXPECT_DEATH(static_cast<void>(bits.bitmap.find_set(0, 66)), "end <= size_");
}
#endif

}  // namespace
}  // namespace slabring
