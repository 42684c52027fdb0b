#include "slabring/slab_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mirror.hpp"

namespace slabring {
namespace {

using test::SlabPoolMirror;

constexpr std::uint32_t kNone = SlabPool::kNone;
constexpr std::uint32_t kTwoCells = kSizeClasses - 1;  // 32 KiB: the class with the fewest cells
constexpr std::uint32_t kTail = 31;                    // 5040 B: 13 cells, 16 bytes left over

constexpr std::uint32_t capacity_of(std::uint32_t size_class) {
  return kPageSize / kCellSizes[size_class];
}

// A pool on pages that do not exist: it may name their bytes, but never touch one.
class Pool {
 public:
  explicit Pool(std::uint32_t pages)
      : page_words_(PageHeap::metadata_size(pages) / sizeof(Bitmap::Word)),
        words_(SlabPool::metadata_size(pages) / sizeof(Bitmap::Word)),
        pages_(page_words_.data(), pages),
        pool_(words_.data(), pages_, stats_) {}

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() = default;

  SlabPool* operator->() { return &pool_; }
  PageHeap& pages() { return pages_; }
  [[nodiscard]] RegionStats& stats() { return stats_; }
  [[nodiscard]] const SizeClassStats& stats(std::uint32_t size_class) const {
    return stats_.size_classes[size_class];
  }

  [[nodiscard]] std::string problem() const {
    if (const char* problem = pages_.find_problem()) return problem;
    const char* problem = pool_.find_problem();
    return problem == nullptr ? "" : problem;
  }

  // Takes every cell of one slab's worth, and says where each is.
  std::vector<std::uint32_t> take_slab(std::uint32_t size_class) {
    std::vector<std::uint32_t> offsets(capacity_of(size_class));
    for (std::uint32_t& offset : offsets) offset = pool_.allocate(size_class).offset;
    return offsets;
  }

  // All that is known, to compare: a refused call changes none of it.
  [[nodiscard]] std::vector<std::byte> snapshot() const {
    std::vector<std::byte> all;
    const auto append = [&all](const void* from, std::size_t size) {
      const auto* bytes = static_cast<const std::byte*>(from);
      all.insert(all.end(), bytes, bytes + size);
    };
    append(page_words_.data(), page_words_.size() * sizeof(Bitmap::Word));
    append(words_.data(), words_.size() * sizeof(Bitmap::Word));
    append(&stats_, sizeof(stats_));
    append(&pages_, sizeof(pages_));
    append(&pool_, sizeof(pool_));
    return all;
  }

  template <class Change>
  void edit(Change change) {
    test::edit<SlabPoolMirror>(pool_, change);
  }

 private:
  std::vector<Bitmap::Word> page_words_;
  std::vector<Bitmap::Word> words_;
  RegionStats stats_{};
  PageHeap pages_;
  SlabPool pool_;
};

// --- cells ---------------------------------------------------------------------------------------

TEST(SlabPoolTest, MetadataSizeIsAMultipleOfAWord) {
  for (std::uint32_t pages = 0; pages < 130; ++pages) {
    EXPECT_EQ(SlabPool::metadata_size(pages) % sizeof(Bitmap::Word), 0U) << pages;
  }
}

TEST(SlabPoolTest, AFreshPoolHasNoSlab) {
  Pool pool(4);
  EXPECT_FALSE(pool->owns(0));
  EXPECT_EQ(pool.pages().pages_in_use(), 0U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, APoolWithoutPagesRefuses) {
  Pool pool(0);
  EXPECT_EQ(pool->allocate(0).offset, kNone);
  EXPECT_EQ(pool->trim(), 0U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, CellsOfEachClassFollowEachOtherInOneSlab) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Pool pool(2);
    for (std::uint32_t cell = 0; cell < capacity_of(size_class); ++cell) {
      const SlabPool::Cells taken = pool->allocate(size_class);
      ASSERT_EQ(taken.offset, cell * kCellSizes[size_class]) << "class " << size_class;
      ASSERT_TRUE(taken.zero);
    }
    EXPECT_EQ(pool.stats(size_class).slabs, 1U);
    EXPECT_EQ(pool->allocate(size_class).offset, kPageSize) << "one more starts a second slab";
    EXPECT_EQ(pool.stats(size_class).slabs, 2U);
    EXPECT_EQ(pool.problem(), "");
  }
}

TEST(SlabPoolTest, ClassesDoNotShareASlab) {
  Pool pool(kSizeClasses);
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    EXPECT_EQ(pool->allocate(size_class).offset, size_class * kPageSize);
  }
  EXPECT_EQ(pool->allocate(0).offset, kCellSizes[0]);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, ARefusalChangesNothing) {
  Pool pool(1);
  pool.take_slab(kTwoCells);
  const auto before = pool.snapshot();
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    EXPECT_EQ(pool->allocate(size_class).offset, kNone) << size_class;
  }
  EXPECT_EQ(pool.snapshot(), before);
}

TEST(SlabPoolTest, OwnsSlabsAndNothingElse) {
  Pool pool(4);
  EXPECT_EQ(pool.pages().allocate(1), 0U);
  pool->allocate(5);
  EXPECT_FALSE(pool->owns(0)) << "a run";
  EXPECT_TRUE(pool->owns(1));
  EXPECT_FALSE(pool->owns(2)) << "a fresh page";
  EXPECT_FALSE(pool->owns(4)) << "past the end";
  EXPECT_FALSE(pool->owns(UINT32_MAX));
}

// Every offset of a page for every class: the division by multiplication is exact, and nothing but
// the start of a cell in use is one.
TEST(SlabPoolTest, ACellInUseIsKnownByItsFirstByteOnly) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Pool pool(2);
    pool.pages().allocate(1);  // so that the slab's page is not page 0
    pool.take_slab(size_class);
    const std::uint32_t size = kCellSizes[size_class];
    for (std::uint32_t in_page = 0; in_page < kPageSize; ++in_page) {
      const bool starts = in_page % size == 0 && in_page / size < capacity_of(size_class);
      ASSERT_EQ(pool->cell_size(kPageSize + in_page), starts ? size : 0)
          << "class " << size_class << " at " << in_page;
    }
  }
}

TEST(SlabPoolTest, FreeCellsHaveNoSize) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Pool pool(1);
    pool->allocate(size_class);
    for (std::uint32_t in_page = 1; in_page < kPageSize; ++in_page) {
      ASSERT_EQ(pool->cell_size(in_page), 0U) << "class " << size_class << " at " << in_page;
    }
  }
}

TEST(SlabPoolTest, FreeRefusesEveryOtherOffsetAndChangesNothing) {
  Pool pool(1);
  pool.take_slab(kTail);
  EXPECT_EQ(pool->free(5040), 5040U);
  const auto before = pool.snapshot();
  for (std::uint32_t in_page = 0; in_page < kPageSize; ++in_page) {
    const bool in_use = in_page % 5040 == 0 && in_page / 5040 < 13 && in_page != 5040;
    if (!in_use) ASSERT_EQ(pool->free(in_page), 0U) << in_page;
  }
  EXPECT_EQ(pool.snapshot(), before);
}

TEST(SlabPoolTest, TheRestOfAPageIsNoCell) {
  Pool pool(1);
  pool.take_slab(kTail);
  EXPECT_EQ(pool->cell_size(13 * 5040), 0U);
  EXPECT_EQ(pool->free(13 * 5040), 0U);
}

TEST(SlabPoolTest, FreeReturnsTheCellsBytes) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Pool pool(1);
    EXPECT_EQ(pool->free(pool->allocate(size_class).offset), kCellSizes[size_class]);
  }
}

TEST(SlabPoolTest, ASecondFreeIsRefused) {
  Pool pool(1);
  const std::uint32_t kept = pool->allocate(3).offset;
  const std::uint32_t freed = pool->allocate(3).offset;
  EXPECT_NE(pool->free(freed), 0U);
  EXPECT_EQ(pool->free(freed), 0U);
  EXPECT_EQ(pool.stats(3).live_cells, 1U);
  EXPECT_EQ(pool->cell_size(kept), kCellSizes[3]);
}

// --- rows ----------------------------------------------------------------------------------------

TEST(SlabPoolTest, ARowOfAFreshSlabHasUpTo64Cells) {
  Pool pool(2);
  const SlabPool::Cells row = pool->allocate(0, 1000);
  EXPECT_EQ(row.offset, 0U);
  EXPECT_EQ(row.count, 64U);
  EXPECT_TRUE(row.zero);
  EXPECT_EQ(pool.stats(0).live_cells, 64U);
  const SlabPool::Cells next = pool->allocate(0, 5);
  EXPECT_EQ(next.offset, 64 * kCellSizes[0]);
  EXPECT_EQ(next.count, 5U);
  EXPECT_EQ(pool.stats(0).live_cells, 69U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, ARowDoesNotLeaveItsSlab) {
  Pool pool(2);
  EXPECT_EQ(pool->allocate(kTwoCells, 3).count, 2U);
  EXPECT_EQ(pool->allocate(kTail, 64).count, capacity_of(kTail));
  EXPECT_EQ(pool.stats(kTwoCells).slabs, 1U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, EachCellOfARowIsFreedByItself) {
  Pool pool(1);
  const SlabPool::Cells row = pool->allocate(5, 3);
  const std::uint32_t size = kCellSizes[5];
  EXPECT_EQ(pool->free(row.offset + size), size);
  EXPECT_EQ(pool->free(row.offset + size), 0U);
  EXPECT_EQ(pool->cell_size(row.offset), size);
  EXPECT_EQ(pool->cell_size(row.offset + (2 * size)), size);
  EXPECT_EQ(pool.stats(5).live_cells, 2U);
}

TEST(SlabPoolTest, ARefusedRowHasNoCellAndChangesNothing) {
  Pool pool(1);
  pool.take_slab(kTwoCells);
  const auto before = pool.snapshot();
  const SlabPool::Cells row = pool->allocate(0, 64);
  EXPECT_EQ(row.offset, kNone);
  EXPECT_EQ(row.count, 0U);
  EXPECT_EQ(pool.snapshot(), before);
}

// --- slabs come and go ---------------------------------------------------------------------------

TEST(SlabPoolTest, AFullSlabLeavesTheListAndAFreedCellBringsItBackToTheFront) {
  Pool pool(3);
  const auto first = pool.take_slab(kTwoCells);
  const std::uint32_t second = pool->allocate(kTwoCells).offset;
  EXPECT_EQ(second, kPageSize) << "the full slab is passed over";
  pool->free(first[1]);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, first[1]) << "the front of the list";
  EXPECT_EQ(pool->allocate(kTwoCells).offset, kPageSize + kMaxCellSize);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, ASlabInTheMiddleOfTheListCanLeaveIt) {
  Pool pool(4);
  const auto a = pool.take_slab(kTwoCells);
  const auto b = pool.take_slab(kTwoCells);
  const auto c = pool.take_slab(kTwoCells);
  pool->free(a[0]);
  pool->free(b[0]);
  pool->free(c[0]);  // the list: c, b, a
  pool->free(b[1]);
  EXPECT_FALSE(pool->owns(1));
  EXPECT_EQ(pool.problem(), "");
  EXPECT_EQ(pool->allocate(kTwoCells).offset, c[0]);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, a[0]);
}

TEST(SlabPoolTest, AnEmptySlabGoesBackWhereItsClassHasAnother) {
  Pool pool(2);
  const auto full = pool.take_slab(kTwoCells);
  const std::uint32_t other = pool->allocate(kTwoCells).offset;
  pool->free(full[0]);
  ASSERT_EQ(pool.stats(kTwoCells).slabs, 2U);
  pool->free(other);
  EXPECT_EQ(pool.stats(kTwoCells).slabs, 1U);
  EXPECT_FALSE(pool->owns(1));
  EXPECT_EQ(pool.pages().pages_in_use(), 1U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, TheOnlySlabOfAClassIsKeptWhenItIsEmpty) {
  Pool pool(2);
  pool->free(pool->allocate(4).offset);
  EXPECT_TRUE(pool->owns(0));
  EXPECT_EQ(pool.stats(4).slabs, 1U);
  EXPECT_EQ(pool.stats(4).live_cells, 0U);
  EXPECT_EQ(pool.pages().pages_in_use(), 1U);
}

TEST(SlabPoolTest, TheOnlySlabWithRoomIsKeptWhenItIsEmpty) {
  Pool pool(2);
  pool.take_slab(kTwoCells);
  pool->free(pool->allocate(kTwoCells).offset);
  EXPECT_EQ(pool.stats(kTwoCells).slabs, 2U) << "the other one is full";
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, ALoneCellInTurnsFetchesOnePageOnly) {
  Pool pool(8);
  const std::uint32_t offset = pool->allocate(9).offset;
  for (int i = 0; i < 100; ++i) {
    pool->free(offset);
    ASSERT_EQ(pool->allocate(9).offset, offset);
  }
  EXPECT_EQ(pool.pages().high_water(), 1U);
}

TEST(SlabPoolTest, APageServesAnotherClassAfterItWentBack) {
  Pool pool(1);
  pool->free(pool->allocate(0).offset);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, kNone) << "kept for class 0";
  EXPECT_EQ(pool->trim(), 1U);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, 0U);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, kMaxCellSize);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, kNone);
  EXPECT_EQ(pool.stats(0).slabs, 0U);
  EXPECT_EQ(pool.problem(), "");
}

// --- trim ----------------------------------------------------------------------------------------

TEST(SlabPoolTest, TrimGivesBackTheEmptySlabOfEachClass) {
  Pool pool(kSizeClasses);
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    pool->free(pool->allocate(size_class).offset);
  }
  EXPECT_EQ(pool->trim(), kSizeClasses);
  EXPECT_EQ(pool.pages().pages_in_use(), 0U);
  EXPECT_EQ(pool->trim(), 0U) << "nothing is left";
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, TrimLeavesSlabsInUse) {
  Pool pool(2);
  const std::uint32_t offset = pool->allocate(7).offset;
  EXPECT_EQ(pool->trim(), 0U);
  EXPECT_EQ(pool->cell_size(offset), kCellSizes[7]);
  pool.take_slab(kTwoCells);
  EXPECT_EQ(pool->trim(), 0U) << "a full slab hangs in no list";
}

TEST(SlabPoolTest, TrimFindsTheEmptySlabBehindOthers) {
  Pool pool(2);
  const auto full = pool.take_slab(kTwoCells);
  pool->free(pool->allocate(kTwoCells).offset);  // empty, and alone in the list
  pool->free(full[0]);                           // comes before it
  EXPECT_EQ(pool->trim(), 1U);
  EXPECT_EQ(pool.stats(kTwoCells).slabs, 1U);
  EXPECT_EQ(pool.pages().pages_in_use(), 1U);
  EXPECT_EQ(pool.problem(), "");
}

// --- zero ----------------------------------------------------------------------------------------

TEST(SlabPoolTest, ACellIsZeroUntilItWasHandedOut) {
  Pool pool(1);
  const SlabPool::Cells first = pool->allocate(2);
  EXPECT_TRUE(first.zero);
  pool->free(first.offset);
  const SlabPool::Cells again = pool->allocate(2);
  EXPECT_EQ(again.offset, first.offset);
  EXPECT_FALSE(again.zero);
  EXPECT_TRUE(pool->allocate(2).zero);
}

TEST(SlabPoolTest, NoCellOfAPageThatHadAnEarlierLifeIsZero) {
  Pool pool(1);
  pool.pages().free(pool.pages().allocate(1));
  for (std::uint32_t cell = 0; cell < capacity_of(kTail); ++cell) {
    ASSERT_FALSE(pool->allocate(kTail).zero);
  }
}

TEST(SlabPoolTest, NoCellOfASlabThatCameBackIsZero) {
  Pool pool(1);
  pool->free(pool->allocate(2).offset);
  pool->trim();
  EXPECT_FALSE(pool->allocate(3).zero);
  EXPECT_FALSE(pool->allocate(3).zero);
}

TEST(SlabPoolTest, AKeptEmptySlabStillKnowsItsZeroCells) {
  Pool pool(1);
  pool->free(pool->allocate(2).offset);
  EXPECT_FALSE(pool->allocate(2).zero);
  EXPECT_TRUE(pool->allocate(2).zero);
}

// --- counters ------------------------------------------------------------------------------------

TEST(SlabPoolTest, CountersAfterEachStep) {
  Pool pool(3);
  const auto expect = [&pool](std::uint32_t live_cells, std::uint32_t slabs) {
    EXPECT_EQ(pool.stats(kTwoCells).live_cells, live_cells);
    EXPECT_EQ(pool.stats(kTwoCells).slabs, slabs);
    EXPECT_EQ(pool.pages().pages_in_use(), slabs);
  };
  expect(0, 0);
  const std::uint32_t a = pool->allocate(kTwoCells).offset;
  expect(1, 1);
  const std::uint32_t b = pool->allocate(kTwoCells).offset;
  expect(2, 1);
  const std::uint32_t c = pool->allocate(kTwoCells).offset;
  expect(3, 2);
  pool->free(c);
  expect(2, 2);
  pool->free(b);
  expect(1, 2);
  pool->free(a);
  expect(0, 1);
  pool->trim();
  expect(0, 0);
}

TEST(SlabPoolTest, OtherCountersAreNotItsOwn) {
  Pool pool(1);
  pool->free(pool->allocate(0).offset);
  EXPECT_EQ(pool.stats().live_bytes, 0U);
  EXPECT_EQ(pool.stats().peak_bytes, 0U);
  EXPECT_EQ(pool.stats().live_runs, 0U);
}

// --- against plain sets --------------------------------------------------------------------------

class SlabPoolModelTest : public testing::TestWithParam<unsigned> {};

// Few pages and few classes: slabs fill, empty, and change their class all the time.
TEST_P(SlabPoolModelTest, AgreesWithAMapOfCells) {
  std::mt19937 random(GetParam());
  const std::uint32_t page_count = 1 + (random() % 7);
  Pool pool(page_count);
  std::map<std::uint32_t, std::uint32_t> live;                // class by offset
  std::set<std::pair<std::uint32_t, std::uint32_t>> touched;  // page, byte: handed out in this life
  std::set<std::uint32_t> once_freed;                         // pages that had an earlier life
  std::map<std::uint32_t, std::uint32_t> slab_class;          // of each page that is a slab
  std::vector<std::uint32_t> classes(3);
  for (std::uint32_t& size_class : classes) size_class = 20 + (random() % (kSizeClasses - 20));

  const auto forget_pages_that_went_back = [&] {
    for (auto slab = slab_class.begin(); slab != slab_class.end();) {
      if (pool->owns(slab->first)) {
        ++slab;
        continue;
      }
      once_freed.insert(slab->first);
      touched.erase(touched.lower_bound({slab->first, 0}),
                    touched.lower_bound({slab->first + 1, 0}));
      slab = slab_class.erase(slab);
    }
  };

  for (int step = 0; step < 3000; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const bool grow = (step / 150) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;
    if (grow) {
      const std::uint32_t size_class = classes[random() % classes.size()];
      const std::uint32_t most = random() % 2 == 0 ? 1 : 1 + (random() % 70);
      const SlabPool::Cells cell = pool->allocate(size_class, most);
      if (cell.offset == kNone) {
        ASSERT_EQ(pool.pages().pages_in_use(), page_count) << "refused while a page is free";
        for (const auto& [page, its_class] : slab_class) {
          if (its_class != size_class) continue;
          const auto cells = std::distance(live.lower_bound(page * kPageSize),
                                           live.lower_bound((page + 1) * kPageSize));
          ASSERT_EQ(cells, capacity_of(size_class)) << "refused while a slab has room";
        }
      } else {
        const std::uint32_t page = cell.offset >> kPageBits;
        ASSERT_TRUE(cell.count >= 1 && cell.count <= most);
        ASSERT_EQ(slab_class.emplace(page, size_class).first->second, size_class);
        for (std::uint32_t i = 0; i < cell.count; ++i) {
          const std::uint32_t offset = cell.offset + (i * kCellSizes[size_class]);
          ASSERT_EQ(offset >> kPageBits, page);
          ASSERT_TRUE(live.emplace(offset, size_class).second) << "handed out twice";
          const bool fresh =
              touched.emplace(page, offset % kPageSize).second && once_freed.count(page) == 0;
          // A row is as zero as its first cell: cells are handed out from the lowest on.
          if (i == 0) ASSERT_EQ(cell.zero, fresh) << "page " << page << " at " << offset;
          ASSERT_TRUE(fresh || !cell.zero) << "page " << page << " at " << offset;
        }
      }
    } else if (!live.empty()) {
      auto cell = live.lower_bound((random() % page_count) * kPageSize);
      if (cell == live.end()) cell = live.begin();
      ASSERT_EQ(pool->free(cell->first), kCellSizes[cell->second]);
      live.erase(cell);
      forget_pages_that_went_back();
    }
    if (random() % 64 == 0) {
      std::uint32_t empty = 0;
      for (const auto& [page, its_class] : slab_class) {
        const auto cell = live.lower_bound(page * kPageSize);
        if (cell == live.end() || cell->first >> kPageBits != page) ++empty;
      }
      ASSERT_EQ(pool->trim(), empty);
      forget_pages_that_went_back();
    }
    if (random() % 64 == 0) ASSERT_EQ(pool.problem(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlabPoolModelTest, testing::Range(1U, 13U));

// --- find_problem() notices ----------------------------------------------------------------------

#if SLABRING_ASSERT_LEVEL >= 1  // without assertions a problem is a place, not a text

// Page 0: full, class 40. Pages 1 and 2: one cell of two, class 40, listed 2 then 1. Page 3: class
// 39. Page 4: a run of two pages. Page 6 is fresh.
class SlabPoolProblemTest : public testing::Test {
 protected:
  SlabPoolProblemTest() {
    pool_.take_slab(kTwoCells);
    const auto b = pool_.take_slab(kTwoCells);
    const auto c = pool_.take_slab(kTwoCells);
    pool_->free(b[0]);
    pool_->free(c[0]);
    pool_->allocate(kTwoCells - 1);
    pool_.pages().allocate(2);
  }

  void SetUp() override { ASSERT_EQ(pool_.problem(), ""); }

  template <class Change>
  std::string problem_after(Change change) {
    pool_.edit(change);
    return pool_.problem();
  }

  Pool pool_{7};
};

TEST_F(SlabPoolProblemTest, ASlabOnAFreshPage) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slab_pages.set(6); }),
            "a slab is no page of ours");
}

TEST_F(SlabPoolProblemTest, ASlabOnARunOfTwoPages) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slab_pages.set(4); }),
            "a slab is no page of ours");
}

TEST_F(SlabPoolProblemTest, AProblemInsideASlab) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { ++pool.slabs[1].used; }),
            "a slab's used cells are miscounted");
}

TEST_F(SlabPoolProblemTest, MiscountedSlabs) {
  ++pool_.stats().size_classes[7].slabs;
  EXPECT_EQ(pool_.problem(), "slabs are miscounted");
}

TEST_F(SlabPoolProblemTest, AForgottenSlab) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slab_pages.clear(0); }),
            "slabs are miscounted");
}

TEST_F(SlabPoolProblemTest, MiscountedCells) {
  --pool_.stats().size_classes[kTwoCells].live_cells;
  EXPECT_EQ(pool_.problem(), "live cells are miscounted");
}

TEST_F(SlabPoolProblemTest, AListWithAPageThatIsNoSlab) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.lists[kTwoCells] = 4; }),
            "a list holds a page that is no slab");
}

TEST_F(SlabPoolProblemTest, AListWithANumberThatIsNoPage) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].next = 1U << 30; }),
            "a list holds a page that is no slab");
}

TEST_F(SlabPoolProblemTest, ASlabInAnotherClasssList) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].next = 3; }),
            "a slab hangs in another class's list");
}

TEST_F(SlabPoolProblemTest, AFullSlabInAList) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].next = 0; }),
            "a full slab hangs in a list");
}

TEST_F(SlabPoolProblemTest, AListWithAWrongLinkBack) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].previous = 3; }),
            "a list of slabs is broken");
}

TEST_F(SlabPoolProblemTest, ACircularList) {
  // Whoever follows it comes to a slab a second time, from another side than its link back says.
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].next = 2; }),
            "a list of slabs is broken");
}

TEST_F(SlabPoolProblemTest, ASlabWithRoomInNoList) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[2].next = SlabPool::kNone; }),
            "a slab with room hangs in no list");
}

TEST_F(SlabPoolProblemTest, IsValidSaysTheSame) {
  EXPECT_TRUE(pool_->is_valid());
  ++pool_.stats().size_classes[0].slabs;
  EXPECT_FALSE(pool_->is_valid());
}

#endif

#if SLABRING_ASSERT_LEVEL >= 2
TEST(SlabPoolDeathTest, RefusesMisuse) {
  Pool pool(2);
  pool->allocate(0);
  EXPECT_DEATH(pool->allocate(kSizeClasses), "size_class < kSizeClasses");
  EXPECT_DEATH(pool->free(kPageSize), "owns");
  EXPECT_DEATH(static_cast<void>(pool->cell_size(kPageSize)), "owns");
}
#endif

}  // namespace
}  // namespace slabring
