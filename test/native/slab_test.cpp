#include "slabring/slab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace slabring {
namespace {

constexpr std::uint32_t kSmallestClass = 0;                // 4096 cells
constexpr std::uint32_t kPartialClass = 1;                 // 2730 cells: the last word is not full
constexpr std::uint32_t kLargestClass = kSizeClasses - 1;  // 2 cells
constexpr std::uint32_t kOneWordClass = 22;                // 1024 B: 64 cells, one full word
constexpr std::uint32_t kFewWordsClass = 15;               // 320 B: 204 cells, three words and 12

Slab make_slab(std::uint32_t size_class, bool zero = true) {
  Slab slab{};
  slab.init(size_class, zero);
  return slab;
}

std::string problem_of(const Slab& slab) {
  const char* problem = slab.find_problem();
  return problem == nullptr ? "" : problem;
}

TEST(SlabTest, EveryClassFillsToItsCapacityLowestCellFirst) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Slab slab = make_slab(size_class);
    const std::uint32_t cells = kPageSize / kCellSizes[size_class];
    ASSERT_EQ(slab.capacity, cells);
    ASSERT_EQ(slab.find_problem(), nullptr);
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      ASSERT_FALSE(slab.full());
      ASSERT_EQ(slab.take(1).cell, cell);
      ASSERT_EQ(slab.used, cell + 1);
    }
    EXPECT_TRUE(slab.full());
    EXPECT_EQ(problem_of(slab), "");
  }
}

TEST(SlabTest, TheSmallestAndTheLargestClassHaveTheirLimits) {
  EXPECT_EQ(make_slab(kSmallestClass).capacity, Slab::kMaxCells);
  EXPECT_EQ(make_slab(kLargestClass).capacity, 2U);
}

TEST(SlabTest, FreshCellsOfAZeroPageAreZero) {
  Slab slab = make_slab(kPartialClass, true);
  while (!slab.full()) ASSERT_TRUE(slab.take(1).zero);
  EXPECT_EQ(slab.zero_from, slab.capacity);
}

TEST(SlabTest, NoCellOfADirtyPageIsZero) {
  Slab slab = make_slab(kPartialClass, false);
  while (!slab.full()) ASSERT_FALSE(slab.take(1).zero);
  EXPECT_EQ(slab.zero_from, slab.capacity);
  EXPECT_EQ(problem_of(slab), "");
}

TEST(SlabTest, ACellIsZeroTheFirstTimeOnly) {
  Slab slab = make_slab(kSmallestClass);
  EXPECT_TRUE(slab.take(1).zero);
  EXPECT_TRUE(slab.take(1).zero);
  slab.release(0);
  const Slab::Taken again = slab.take(1);
  EXPECT_EQ(again.cell, 0U);
  EXPECT_FALSE(again.zero);
  const Slab::Taken fresh = slab.take(1);
  EXPECT_EQ(fresh.cell, 2U);
  EXPECT_TRUE(fresh.zero);
}

TEST(SlabTest, TheLastCellHandedOutIsNotZeroAgain) {
  Slab slab = make_slab(kSmallestClass);
  slab.take(1);
  slab.take(1);
  slab.release(1);
  EXPECT_FALSE(slab.take(1).zero) << "cell 1 was just below the mark";
}

TEST(SlabTest, ReleasedCellsAreTakenAgainLowestFirst) {
  Slab slab = make_slab(kSmallestClass);
  while (!slab.full()) slab.take(1);
  for (const std::uint32_t cell : {4095U, 64U, 63U, 0U, 2000U}) slab.release(cell);
  for (const std::uint32_t cell : {0U, 63U, 64U, 2000U, 4095U}) {
    ASSERT_EQ(slab.take(1).cell, cell);
  }
  EXPECT_TRUE(slab.full());
}

TEST(SlabTest, AFullSlabHasRoomAgainAfterOneRelease) {
  Slab slab = make_slab(kLargestClass);
  slab.take(1);
  slab.take(1);
  ASSERT_TRUE(slab.full());
  slab.release(1);
  EXPECT_FALSE(slab.full());
  EXPECT_EQ(slab.used, 1U);
  EXPECT_TRUE(slab.is_free(1));
  EXPECT_FALSE(slab.is_free(0));
}

// --- rows ----------------------------------------------------------------------------------------

TEST(SlabRowTest, IsAsLongAsAsked) {
  for (const std::uint32_t most : {1U, 2U, 63U, 64U}) {
    Slab slab = make_slab(kSmallestClass);
    const Slab::Taken row = slab.take(most);
    EXPECT_EQ(row.cell, 0U);
    EXPECT_EQ(row.count, most);
    EXPECT_TRUE(row.zero);
    EXPECT_EQ(slab.used, most);
    EXPECT_EQ(slab.zero_from, most);
    EXPECT_FALSE(slab.is_free(most - 1));
    EXPECT_TRUE(slab.is_free(most));
    EXPECT_EQ(problem_of(slab), "");
  }
}

TEST(SlabRowTest, EndsWithItsWord) {
  Slab slab = make_slab(kSmallestClass);
  EXPECT_EQ(slab.take(65).count, 64U);
  EXPECT_EQ(slab.take(60).count, 60U);
  const Slab::Taken row = slab.take(UINT32_MAX);
  EXPECT_EQ(row.cell, 124U);
  EXPECT_EQ(row.count, 4U);
  EXPECT_EQ(problem_of(slab), "");
}

TEST(SlabRowTest, EndsWithTheSlab) {
  Slab slab = make_slab(kPartialClass);
  const std::uint32_t last_word = slab.capacity / 64;
  for (std::uint32_t word = 0; word < last_word; ++word) ASSERT_EQ(slab.take(64).count, 64U);
  EXPECT_EQ(slab.take(64).count, slab.capacity % 64);
  EXPECT_TRUE(slab.full());
  EXPECT_EQ(slab.zero_from, slab.capacity);
  EXPECT_EQ(problem_of(slab), "");
}

TEST(SlabRowTest, EndsBeforeACellInUse) {
  Slab slab = make_slab(kSmallestClass);
  slab.take(10);
  for (const std::uint32_t cell : {2U, 3U, 4U, 6U}) slab.release(cell);
  const Slab::Taken row = slab.take(64);
  EXPECT_EQ(row.cell, 2U);
  EXPECT_EQ(row.count, 3U);
  EXPECT_FALSE(row.zero);
  EXPECT_EQ(slab.take(64).cell, 6U);
  EXPECT_EQ(slab.take(64).cell, 10U);
  EXPECT_EQ(problem_of(slab), "");
}

TEST(SlabRowTest, ThatBeginsWithAUsedCellIsNotZero) {
  Slab slab = make_slab(kSmallestClass);
  slab.take(4);
  slab.release(3);
  const Slab::Taken row = slab.take(8);
  EXPECT_EQ(row.cell, 3U);
  EXPECT_EQ(row.count, 8U) << "one that was handed out, and seven fresh ones";
  EXPECT_FALSE(row.zero);
  EXPECT_EQ(slab.zero_from, 11U);
  EXPECT_TRUE(slab.take(1).zero);
}

TEST(SlabRowTest, OfADirtyPageIsNotZero) {
  Slab slab = make_slab(kSmallestClass, false);
  EXPECT_FALSE(slab.take(64).zero);
  EXPECT_EQ(slab.zero_from, slab.capacity);
}

// --- all but a row -------------------------------------------------------------------------------

Slab make_full_slab(std::uint32_t size_class) {
  Slab slab = make_slab(size_class);
  while (!slab.full()) slab.take(64);
  return slab;
}

// Whether they agree in all that is known of a slab; words past the last say nothing.
testing::AssertionResult same(const Slab& slab, const Slab& other) {
  if (slab.summary != other.summary) return testing::AssertionFailure() << "summary";
  if (slab.previous != other.previous) return testing::AssertionFailure() << "previous";
  if (slab.next != other.next) return testing::AssertionFailure() << "next";
  if (slab.capacity != other.capacity) return testing::AssertionFailure() << "capacity";
  if (slab.used != other.used) return testing::AssertionFailure() << "used";
  if (slab.zero_from != other.zero_from) return testing::AssertionFailure() << "zero_from";
  if (slab.size_class != other.size_class) return testing::AssertionFailure() << "size_class";
  if (slab.tenant != other.tenant) return testing::AssertionFailure() << "tenant";
  for (std::uint32_t word = 0; word * 64 < slab.capacity; ++word) {
    if (slab.words[word] != other.words[word]) {
      return testing::AssertionFailure() << "word " << word;
    }
  }
  return testing::AssertionSuccess();
}

// The slab with every cell but that row released, one after another.
Slab released_one_by_one(Slab slab, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t cell = 0; cell < slab.capacity; ++cell) {
    const bool kept = cell >= first && cell < first + count;
    if (!kept && !slab.is_free(cell)) slab.release(cell);
  }
  return slab;
}

TEST(SlabReleaseAllTest, EveryClassIsEmptyAgainButNotZero) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Slab slab = make_full_slab(size_class);
    slab.release_all_but(0, 0);
    EXPECT_TRUE(same(slab, make_slab(size_class, false))) << "class " << size_class;
    EXPECT_EQ(problem_of(slab), "");
    for (std::uint32_t cell = 0; cell < slab.capacity; ++cell) {
      const Slab::Taken taken = slab.take(1);
      ASSERT_EQ(taken.cell, cell);
      ASSERT_FALSE(taken.zero);
    }
    EXPECT_TRUE(slab.full());
  }
}

TEST(SlabReleaseAllTest, EveryClassKeepsOneCellWhereverItIs) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    const Slab full = make_full_slab(size_class);
    const std::uint32_t last = full.capacity - 1U;
    for (const std::uint32_t cell : {0U, 1U, 62U, 63U, 64U, last / 2, last - 1, last}) {
      if (cell > last) continue;
      Slab slab = full;
      slab.release_all_but(cell, 1);
      ASSERT_TRUE(same(slab, released_one_by_one(full, cell, 1)))
          << "class " << size_class << ", cell " << cell;
      ASSERT_EQ(problem_of(slab), "");
    }
  }
}

TEST(SlabReleaseAllTest, EveryRowInItsWordIsKept) {
  for (const std::uint32_t size_class : {kOneWordClass, kFewWordsClass, kLargestClass}) {
    const Slab full = make_full_slab(size_class);
    for (std::uint32_t first = 0; first < full.capacity; ++first) {
      const std::uint32_t end =
          std::min(((first / 64) + 1) * 64, static_cast<std::uint32_t>(full.capacity));
      for (std::uint32_t count = 1; first + count <= end; ++count) {
        Slab slab = full;
        slab.release_all_but(first, count);
        ASSERT_TRUE(same(slab, released_one_by_one(full, first, count)))
            << "class " << size_class << ", " << count << " from " << first;
        ASSERT_EQ(problem_of(slab), "");
      }
    }
  }
}

TEST(SlabReleaseAllTest, AWholeWordIsKeptFirstAndLast) {
  for (const std::uint32_t first : {0U, 64U, Slab::kMaxCells - 64}) {
    Slab slab = make_full_slab(kSmallestClass);
    slab.release_all_but(first, 64);
    EXPECT_EQ(slab.used, 64U);
    EXPECT_EQ(slab.summary, ~(std::uint64_t{1} << (first / 64))) << "a word without a free cell";
    EXPECT_EQ(problem_of(slab), "");
    EXPECT_EQ(slab.take(64).cell, first == 0 ? 64U : 0U);
  }
}

TEST(SlabReleaseAllTest, ASlabThatIsAllKeptStaysFull) {
  for (const std::uint32_t size_class : {kOneWordClass, kLargestClass}) {
    const Slab full = make_full_slab(size_class);
    Slab slab = full;
    slab.release_all_but(0, slab.capacity);
    EXPECT_TRUE(same(slab, full));
    EXPECT_TRUE(slab.full());
  }
}

TEST(SlabReleaseAllTest, CellsFreedBeforeStayFree) {
  Slab slab = make_slab(kFewWordsClass);
  while (slab.used < 150) slab.take(1);
  for (const std::uint32_t cell : {0U, 63U, 64U, 100U, 149U}) slab.release(cell);
  const Slab before = slab;
  slab.release_all_but(65, 35);
  EXPECT_TRUE(same(slab, released_one_by_one(before, 65, 35)));
  EXPECT_EQ(problem_of(slab), "");
}

TEST(SlabReleaseAllTest, ChangesNothingTheSecondTime) {
  for (const std::uint32_t count : {0U, 12U}) {
    Slab slab = make_full_slab(kFewWordsClass);
    slab.release_all_but(192, count);
    const Slab before = slab;
    slab.release_all_but(192, count);
    EXPECT_TRUE(same(slab, before)) << count;
  }
}

TEST(SlabReleaseAllTest, OnlyCellsNeverHandedOutAreZero) {
  Slab slab = make_slab(kSmallestClass);
  slab.take(64);
  slab.take(6);
  slab.release_all_but(0, 0);
  EXPECT_EQ(slab.zero_from, 70U);
  EXPECT_FALSE(slab.take(64).zero);
  EXPECT_FALSE(slab.take(6).zero);
  EXPECT_TRUE(slab.take(58).zero);
}

TEST(SlabReleaseAllTest, LinksClassAndTenantStay) {
  Slab slab{};
  slab.previous = 7;
  slab.next = 9;
  slab.init(kPartialClass, true, Tenant::kViews);
  while (!slab.full()) slab.take(64);
  const Slab before = slab;
  slab.release_all_but(3, 2);
  EXPECT_TRUE(same(slab, released_one_by_one(before, 3, 2)));
}

TEST(SlabTest, InitForgetsEverythingOfAnEarlierClass) {
  Slab slab = make_slab(kSmallestClass);
  for (int i = 0; i < 100; ++i) slab.take(1);
  slab.init(kLargestClass, false);
  EXPECT_EQ(problem_of(slab), "");
  EXPECT_EQ(slab.take(1).cell, 0U);
  EXPECT_EQ(slab.take(1).cell, 1U);
  EXPECT_TRUE(slab.full()) << "free cells of the earlier class are left over";
}

TEST(SlabTest, InitSaysWhoseTheCellsAre) {
  Slab slab = make_slab(kSmallestClass);
  EXPECT_EQ(slab.tenant, Tenant::kNative);
  slab.init(kSmallestClass, true, Tenant::kViews);
  EXPECT_EQ(slab.tenant, Tenant::kViews);
  slab.init(kSmallestClass, true);
  EXPECT_EQ(slab.tenant, Tenant::kNative);
}

TEST(SlabTest, InitDoesNotTouchTheListLinks) {
  Slab slab{};
  slab.previous = 7;
  slab.next = 9;
  slab.init(kPartialClass, true);
  EXPECT_EQ(slab.previous, 7U);
  EXPECT_EQ(slab.next, 9U);
}

TEST(SlabTest, AgreesWithASetOfFreeCells) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    std::mt19937 random(seed);
    const std::uint32_t size_class = seed == 4 ? kLargestClass : kPartialClass + (seed * 5);
    Slab slab = make_slab(size_class);
    std::set<std::uint32_t> free_cells;
    for (std::uint32_t cell = 0; cell < slab.capacity; ++cell) free_cells.insert(cell);
    std::vector<std::uint32_t> taken;
    std::set<std::uint32_t> ever_taken;
    for (int step = 0; step < 2000; ++step) {
      // Long stretches of either kind, so that the slab gets full and empty.
      const bool take = (step / 300) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;
      if (take && !free_cells.empty()) {
        const std::uint32_t most = random() % 3 == 0 ? 1 + (random() % 80) : 1;
        const Slab::Taken row = slab.take(most);
        ASSERT_EQ(row.cell, *free_cells.begin()) << "seed " << seed << ", step " << step;
        ASSERT_TRUE(row.count >= 1 && row.count <= most);
        const bool zero = ever_taken.count(row.cell) == 0;
        ASSERT_EQ(row.zero, zero) << "seed " << seed << ", step " << step;
        for (std::uint32_t cell = row.cell; cell < row.cell + row.count; ++cell) {
          ASSERT_EQ(free_cells.erase(cell), 1U) << "seed " << seed << ", step " << step;
          const bool fresh = ever_taken.insert(cell).second;
          ASSERT_TRUE(fresh || !zero) << "seed " << seed << ", step " << step;
          taken.push_back(cell);
        }
      } else if (!take && !taken.empty()) {
        std::swap(taken[random() % taken.size()], taken.back());
        slab.release(taken.back());
        free_cells.insert(taken.back());
        taken.pop_back();
      }
      ASSERT_EQ(slab.used, taken.size());
      ASSERT_EQ(slab.full(), free_cells.empty());
      if (step % 50 == 0) ASSERT_EQ(problem_of(slab), "") << "seed " << seed << ", step " << step;
    }
  }
}

// --- find_problem() notices ----------------------------------------------------------------------

#if SLABRING_ASSERT_LEVEL >= 1  // without assertions a problem is a place, not a text

TEST(SlabProblemTest, AClassThatDoesNotExist) {
  Slab slab = make_slab(kLargestClass);
  slab.size_class = kSizeClasses;
  EXPECT_EQ(problem_of(slab), "a slab's size class does not exist");
}

TEST(SlabProblemTest, AWrongCapacity) {
  Slab slab = make_slab(kPartialClass);
  ++slab.capacity;
  EXPECT_EQ(problem_of(slab), "a slab's capacity is wrong");
}

TEST(SlabProblemTest, ATenantThatDoesNotExist) {
  Slab slab = make_slab(kPartialClass);
  slab.tenant = Tenant{kTenants};
  EXPECT_EQ(problem_of(slab), "a slab's tenant does not exist");
}

TEST(SlabProblemTest, AZeroMarkPastTheEnd) {
  Slab slab = make_slab(kPartialClass);
  slab.zero_from = slab.capacity + 1;
  EXPECT_EQ(problem_of(slab), "a slab is zero from past its end");
}

TEST(SlabProblemTest, ASummaryThatNamesAWordPastTheEnd) {
  Slab slab = make_slab(kPartialClass);
  const std::uint32_t words = (slab.capacity + 63) / 64;
  slab.summary |= std::uint64_t{1} << words;
  EXPECT_EQ(problem_of(slab), "a slab's summary names a word past its end");
}

TEST(SlabProblemTest, ASummaryWithoutAWordThatHasRoom) {
  Slab slab = make_slab(kPartialClass);
  slab.summary &= ~std::uint64_t{2};
  EXPECT_EQ(problem_of(slab), "a slab's summary is wrong");
}

TEST(SlabProblemTest, ASummaryWithAFullWord) {
  Slab slab = make_slab(kPartialClass);
  slab.words[1] = 0;
  EXPECT_EQ(problem_of(slab), "a slab's summary is wrong");
}

TEST(SlabProblemTest, AMiscountedCell) {
  Slab slab = make_slab(kPartialClass);
  slab.take(1);
  slab.used = 0;
  EXPECT_EQ(problem_of(slab), "a slab's used cells are miscounted");
}

TEST(SlabProblemTest, AFreeCellPastTheCapacity) {
  Slab slab = make_slab(kPartialClass);
  slab.words[slab.capacity / 64] |= std::uint64_t{1} << (slab.capacity % 64);
  EXPECT_EQ(problem_of(slab), "a slab's used cells are miscounted");
}

TEST(SlabProblemTest, AUsedCellAboveTheZeroMark) {
  Slab slab = make_slab(kPartialClass);
  slab.take(1);
  slab.zero_from = 0;
  EXPECT_EQ(problem_of(slab), "a cell in use is counted as never handed out");
}

#endif

#if SLABRING_ASSERT_LEVEL >= 2
TEST(SlabDeathTest, RefusesToTakeFromAFullSlab) {
  Slab slab = make_slab(kLargestClass);
  slab.take(1);
  slab.take(1);
  EXPECT_DEATH(slab.take(1), "!full\\(\\)");
  slab.release(0);
  EXPECT_DEATH(slab.take(0), "most > 0");
}

TEST(SlabDeathTest, RefusesToReleaseAFreeCell) {
  Slab slab = make_slab(kLargestClass);
  EXPECT_DEATH(slab.release(0), "!is_free\\(cell\\)");
}

TEST(SlabDeathTest, RefusesToKeepWhatIsNoRowInUse) {
  Slab slab = make_full_slab(kFewWordsClass);
  EXPECT_DEATH(slab.release_all_but(63, 2), "first % 64") << "over the end of a word";
  EXPECT_DEATH(slab.release_all_but(0, 65), "first % 64");
  EXPECT_DEATH(slab.release_all_but(203, 2), "first \\+ count <= capacity");
  slab.release(5);
  EXPECT_DEATH(slab.release_all_but(4, 2), "words\\[first / 64\\] & row");
  EXPECT_DEATH(slab.release_all_but(5, 2), "words\\[first / 64\\] & row");
  slab.release_all_but(6, 2);
  EXPECT_EQ(slab.used, 2U);
}
#endif

}  // namespace
}  // namespace slabring
