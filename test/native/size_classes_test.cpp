#include "slabring/size_classes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace slabring {
namespace {

TEST(SizeClassesTest, SizesAscendInStepsOfAtLeastAWord) {
  for (std::uint32_t i = 1; i < kSizeClasses; ++i) {
    EXPECT_GE(kCellSizes[i], kCellSizes[i - 1] + kMinAlignment) << i;
  }
}

TEST(SizeClassesTest, SizesAreMultiplesOfTheSmallestAlignment) {
  for (const std::uint32_t size : kCellSizes) EXPECT_EQ(size % kMinAlignment, 0U) << size;
}

TEST(SizeClassesTest, SizesAreTheDocumentedOnes) {
  EXPECT_EQ(kCellSizes[0], 16U);
  EXPECT_EQ(kCellSizes[6], 64U);
  EXPECT_EQ(kCellSizes[7], 80U);
  EXPECT_EQ(kCellSizes[10], 128U);
  EXPECT_EQ(kCellSizes[11], 160U);
  EXPECT_EQ(kCellSizes[30], 4096U);
  EXPECT_EQ(kCellSizes[31], 5040U);
  EXPECT_EQ(kCellSizes[39], 21840U);
  EXPECT_EQ(kCellSizes[40], 32768U);
}

TEST(SizeClassesTest, EveryPowerOfTwoIsAClass) {
  for (std::uint32_t size = kMinCellSize; size <= kMaxCellSize; size *= 2) {
    EXPECT_EQ(kCellSizes[size_class_of(size)], size);
  }
}

TEST(SizeClassesTest, LargeClassesDivideAPageWithLessThanACellLeftOver) {
  for (std::uint32_t i = 31; i < kSizeClasses; ++i) {
    const std::uint32_t cells = kPageSize / kCellSizes[i];
    EXPECT_LT(kPageSize - (cells * kCellSizes[i]), cells * kMinAlignment) << kCellSizes[i];
  }
}

TEST(SizeClassesTest, EverySizeGetsTheSmallestClassThatHoldsIt) {
  std::uint32_t smallest = 0;
  for (std::uint32_t size = 0; size <= kMaxCellSize; ++size) {
    while (kCellSizes[smallest] < size) ++smallest;
    ASSERT_EQ(size_class_of(size), smallest) << size;
  }
}

TEST(SizeClassesTest, BothSidesOfEachClassBoundary) {
  for (std::uint32_t i = 0; i < kSizeClasses; ++i) {
    EXPECT_EQ(size_class_of(kCellSizes[i] - 1), i);
    EXPECT_EQ(size_class_of(kCellSizes[i]), i);
    if (i + 1 < kSizeClasses) {
      EXPECT_EQ(size_class_of(kCellSizes[i] + 1), i + 1);
    }
  }
}

TEST(SizeClassesTest, ZeroBytesGetTheSmallestCell) { EXPECT_EQ(size_class_of(0), 0U); }

TEST(SizeClassesTest, AtMostAFifthIsLeftOverFromThe16ByteStepsTo5040) {
  for (std::uint32_t size = 64; size <= 5040; ++size) {
    const std::uint32_t cell = kCellSizes[size_class_of(size)];
    ASSERT_LE((cell - size) * 5, cell) << size;
  }
}

TEST(SizeClassesTest, AlignedClassIsTheSmallestThatHoldsAndAligns) {
  for (std::uint32_t alignment = 1; alignment <= kMaxCellSize; alignment *= 2) {
    for (std::uint32_t size = 0; size <= kMaxCellSize; size += size < 300 ? 1 : 37) {
      std::uint32_t expected = 0;
      while (kCellSizes[expected] < size || kCellSizes[expected] % alignment != 0) ++expected;
      ASSERT_EQ(size_class_of(size, alignment), expected) << size << " by " << alignment;
    }
    ASSERT_EQ(size_class_of(kMaxCellSize, alignment), kSizeClasses - 1);
  }
}

TEST(SizeClassesTest, AlignmentOfAWordCostsNothing) {
  for (std::uint32_t size = 0; size <= kMaxCellSize; ++size) {
    ASSERT_EQ(size_class_of(size, kMinAlignment), size_class_of(size)) << size;
  }
}

}  // namespace
}  // namespace slabring
