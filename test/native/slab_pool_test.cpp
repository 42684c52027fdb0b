#include "slabring/slab_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
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
  std::vector<std::uint32_t> take_slab(std::uint32_t size_class, Tenant tenant = Tenant::kNative) {
    std::vector<std::uint32_t> offsets(capacity_of(size_class));
    for (std::uint32_t& offset : offsets) offset = pool_.allocate(size_class, 1, tenant).offset;
    return offsets;
  }

  // One cell, or a row, of JavaScript's.
  SlabPool::Cells take_views(std::uint32_t size_class, std::uint32_t most = 1) {
    return pool_.allocate(size_class, most, Tenant::kViews);
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

// --- tenants -------------------------------------------------------------------------------------

TEST(SlabPoolTest, TenantsDoNotShareASlab) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    Pool pool(2);
    const std::uint32_t size = kCellSizes[size_class];
    EXPECT_EQ(pool->allocate(size_class).offset, 0U);
    EXPECT_EQ(pool.take_views(size_class).offset, kPageSize);
    EXPECT_EQ(pool->allocate(size_class).offset, size);
    EXPECT_EQ(pool.take_views(size_class).offset, kPageSize + size);
    EXPECT_EQ(pool.stats(size_class).slabs, 2U);
    EXPECT_EQ(pool.stats(size_class).live_cells, 4U);
    EXPECT_EQ(pool.problem(), "");
  }
}

TEST(SlabPoolTest, AFreedCellServesItsTenantOnly) {
  Pool pool(4);
  const auto native = pool.take_slab(kTwoCells);
  const auto views = pool.take_slab(kTwoCells, Tenant::kViews);
  pool->free(native[1]);
  pool->free(views[0]);
  EXPECT_EQ(pool.problem(), "");
  EXPECT_EQ(pool.take_views(kTwoCells).offset, views[0]);
  EXPECT_EQ(pool.take_views(kTwoCells).offset, 2 * kPageSize);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, native[1]);
  EXPECT_EQ(pool->allocate(kTwoCells).offset, 3 * kPageSize);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, EachTenantKeepsAnEmptySlab) {
  Pool pool(3);
  pool->free(pool->allocate(4).offset);
  pool->free(pool.take_views(4).offset);
  EXPECT_EQ(pool.stats(4).slabs, 2U);
  EXPECT_EQ(pool->allocate(4).offset, 0U);
  EXPECT_EQ(pool.take_views(4).offset, kPageSize);
}

TEST(SlabPoolTest, AnEmptySlabOfTheOtherTenantIsInTheWayUntilTrim) {
  for (const Tenant first : {Tenant::kNative, Tenant::kViews}) {
    const Tenant second = first == Tenant::kNative ? Tenant::kViews : Tenant::kNative;
    Pool pool(1);
    pool->free(pool->allocate(4, 1, first).offset);
    const auto before = pool.snapshot();
    EXPECT_EQ(pool->allocate(4, 1, second).offset, kNone);
    EXPECT_EQ(pool.snapshot(), before);
    EXPECT_EQ(pool->trim(), 1U);
    const SlabPool::Cells cell = pool->allocate(4, 1, second);
    EXPECT_EQ(cell.offset, 0U);
    EXPECT_TRUE(cell.fresh);
    EXPECT_FALSE(cell.zero);
    EXPECT_EQ(pool->allocate(4, 1, first).offset, kNone) << "the slab has changed hands";
    EXPECT_EQ(pool.problem(), "");
  }
}

TEST(SlabPoolTest, TrimGivesBackTheEmptySlabsOfBothTenants) {
  Pool pool(2 * kSizeClasses);
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    pool->free(pool->allocate(size_class).offset);
    pool->free(pool.take_views(size_class).offset);
  }
  EXPECT_EQ(pool->trim(), 2 * kSizeClasses);
  EXPECT_EQ(pool.pages().pages_in_use(), 0U);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolTest, CellsAreFreshWithTheirSlabOnly) {
  for (const Tenant tenant : {Tenant::kNative, Tenant::kViews}) {
    Pool pool(3);
    const auto fresh = [&] { return pool->allocate(kTwoCells, 1, tenant).fresh; };
    EXPECT_TRUE(fresh());
    EXPECT_FALSE(fresh()) << "the second cell";
    EXPECT_TRUE(fresh()) << "the second slab";
    pool->free(kPageSize);
    EXPECT_FALSE(fresh()) << "an empty slab that was kept";
    pool->free(kPageSize);
    pool->trim();
    EXPECT_TRUE(fresh()) << "one that was not";
    EXPECT_FALSE(fresh());
    EXPECT_TRUE(fresh());
    EXPECT_FALSE(fresh());
    const SlabPool::Cells refused = pool->allocate(kTwoCells, 1, tenant);
    EXPECT_EQ(refused.offset, kNone);
    EXPECT_FALSE(refused.fresh);
  }
}

// --- reclaim -------------------------------------------------------------------------------------

TEST(SlabPoolReclaimTest, AFullSlabOfEachClassIsEmptyAgain) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    const std::uint32_t cells = capacity_of(size_class);
    for (const std::uint32_t anywhere : {0U, 1U, kCellSizes[size_class], kPageSize - 1}) {
      Pool pool(3);
      pool.pages().allocate(1);  // so that the slab's page is not page 0
      pool.take_slab(size_class, Tenant::kViews);
      ASSERT_EQ(pool->reclaim(kPageSize + anywhere, 0), cells * kCellSizes[size_class]);
      ASSERT_EQ(pool.stats(size_class).live_cells, 0U);
      ASSERT_EQ(pool.stats(size_class).slabs, 1U) << "the only one of its list: kept";
      ASSERT_EQ(pool.problem(), "");
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        ASSERT_EQ(pool->cell_size(kPageSize + (cell * kCellSizes[size_class])), 0U);
      }
      const SlabPool::Cells again = pool.take_views(size_class, 64);
      EXPECT_EQ(again.offset, kPageSize);
      EXPECT_FALSE(again.zero);
      EXPECT_FALSE(again.fresh);
    }
  }
}

TEST(SlabPoolReclaimTest, OneCellOfEachClassIsKeptWhereverItIs) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    const std::uint32_t size = kCellSizes[size_class];
    const std::uint32_t last = capacity_of(size_class) - 1;
    for (const std::uint32_t kept : {0U, 1U, 63U, 64U, last - 1, last}) {
      if (kept > last) continue;
      Pool pool(2);
      pool.take_slab(size_class, Tenant::kViews);
      ASSERT_EQ(pool->reclaim(kept * size, 1), last * size) << size_class << ", cell " << kept;
      ASSERT_EQ(pool.stats(size_class).live_cells, 1U);
      ASSERT_EQ(pool.problem(), "");
      for (std::uint32_t cell = 0; cell <= last; ++cell) {
        ASSERT_EQ(pool->cell_size(cell * size), cell == kept ? size : 0);
      }
      // Every other cell is handed out once more before there is a second slab.
      for (std::uint32_t cell = 0; cell < last; ++cell) {
        const SlabPool::Cells taken = pool.take_views(size_class);
        ASSERT_EQ(taken.offset, (cell < kept ? cell : cell + 1) * size);
        ASSERT_FALSE(taken.zero);
      }
      ASSERT_EQ(pool.take_views(size_class).offset, kPageSize);
    }
  }
}

TEST(SlabPoolReclaimTest, ARowOfEveryLengthIsKept) {
  const std::uint32_t size = kCellSizes[0];
  for (std::uint32_t keep = 1; keep <= 64; ++keep) {
    for (const std::uint32_t first : {0U, 64 - keep, 4096 - keep, 4096U - 64}) {
      Pool pool(1);
      for (int i = 0; i < 64; ++i) pool.take_views(0, 64);
      ASSERT_EQ(pool->reclaim(first * size, keep), (4096 - keep) * size);
      ASSERT_EQ(pool.stats(0).live_cells, keep);
      ASSERT_EQ(pool.problem(), "");
      if (first > 0) ASSERT_EQ(pool->cell_size((first - 1) * size), 0U);
      for (std::uint32_t i = 0; i < keep; ++i) {
        ASSERT_EQ(pool->cell_size((first + i) * size), size) << keep << " from " << first;
      }
      if (first + keep < 4096) ASSERT_EQ(pool->cell_size((first + keep) * size), 0U);
    }
  }
}

TEST(SlabPoolReclaimTest, TheRestOfARowThatIsPartlyHandedOutIsKept) {
  Pool pool(1);
  const std::uint32_t size = kCellSizes[5];
  const SlabPool::Cells row = pool.take_views(5, 20);
  EXPECT_EQ(pool->reclaim(row.offset + (7 * size), 13), 7 * size);
  const SlabPool::Cells again = pool.take_views(5, 64);
  EXPECT_EQ(again.offset, row.offset);
  EXPECT_EQ(again.count, 7U);
  EXPECT_FALSE(again.zero);
  const SlabPool::Cells rest = pool.take_views(5, 64);
  EXPECT_EQ(rest.offset, row.offset + (20 * size));
  EXPECT_TRUE(rest.zero) << "never handed out";
}

TEST(SlabPoolReclaimTest, CellsFreedBeforeAreNotCounted) {
  Pool pool(1);
  const auto cells = pool.take_slab(kTail, Tenant::kViews);
  for (const std::uint32_t i : {0U, 5U, 12U}) pool->free(cells[i]);
  EXPECT_EQ(pool->reclaim(cells[3], 2), 8 * kCellSizes[kTail]);
  EXPECT_EQ(pool.stats(kTail).live_cells, 2U);
  for (const std::uint32_t offset : cells) {
    const bool kept = offset == cells[3] || offset == cells[4];
    EXPECT_EQ(pool->free(offset), kept ? kCellSizes[kTail] : 0);
  }
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolReclaimTest, ASecondTimeThereIsNothingToFree) {
  for (const std::uint32_t keep : {0U, 1U, 3U}) {
    Pool pool(1);
    const auto cells = pool.take_slab(kTail, Tenant::kViews);
    EXPECT_EQ(pool->reclaim(cells[10], keep), (13 - keep) * kCellSizes[kTail]);
    const auto before = pool.snapshot();
    EXPECT_EQ(pool->reclaim(cells[10], keep), 0U);
    EXPECT_EQ(pool.snapshot(), before);
  }
}

TEST(SlabPoolReclaimTest, ASlabThatIsAllKeptStaysFullAndInNoList) {
  for (const std::uint32_t size_class : {22U, kTail, kTwoCells}) {  // 22: 64 cells, a whole word
    Pool pool(2);
    pool.take_slab(size_class, Tenant::kViews);
    const auto before = pool.snapshot();
    EXPECT_EQ(pool->reclaim(0, capacity_of(size_class)), 0U);
    EXPECT_EQ(pool.snapshot(), before);
    EXPECT_EQ(pool.take_views(size_class).offset, kPageSize);
  }
}

TEST(SlabPoolReclaimTest, RefusesSlabsOfCpp) {
  Pool pool(2);
  const auto cells = pool.take_slab(kTail);
  pool->free(cells[2]);
  pool.take_views(kTail);
  const auto before = pool.snapshot();
  for (const std::uint32_t keep : {0U, 1U, 13U, 64U}) {
    for (const std::uint32_t offset : cells) EXPECT_EQ(pool->reclaim(offset, keep), 0U);
  }
  EXPECT_EQ(pool.snapshot(), before);
}

TEST(SlabPoolReclaimTest, RefusesPagesThatAreNoSlabs) {
  Pool pool(4);
  pool.take_views(7);
  pool->free(0);
  pool->trim();              // page 0 was a slab of views: what is left of it means nothing
  pool.pages().allocate(2);  // page 0 in a run, and page 1
  pool.take_views(7);        // page 2; page 3 is fresh
  const auto before = pool.snapshot();
  for (const std::uint32_t keep : {0U, 1U, 64U}) {
    for (const std::uint32_t page : {0U, 1U, 3U, 4U, 65535U}) {
      EXPECT_EQ(pool->reclaim(page << kPageBits, keep), 0U) << page;
    }
    EXPECT_EQ(pool->reclaim(kNone, keep), 0U);
  }
  EXPECT_EQ(pool.snapshot(), before);
}

TEST(SlabPoolReclaimTest, AFullSlabComesBackToTheFrontOfItsList) {
  Pool pool(3);
  const auto full = pool.take_slab(kTail, Tenant::kViews);
  EXPECT_EQ(pool.take_views(kTail).offset, kPageSize);
  EXPECT_EQ(pool->reclaim(full[4], 1), 12 * kCellSizes[kTail]);
  EXPECT_EQ(pool.problem(), "");
  EXPECT_EQ(pool.take_views(kTail, 64).count, 4U) << "the front of the list";
  EXPECT_EQ(pool.take_views(kTail, 64).offset, full[5]);
  EXPECT_EQ(pool.take_views(kTail).offset, kPageSize + kCellSizes[kTail]);
  EXPECT_EQ(pool.problem(), "");
}

TEST(SlabPoolReclaimTest, ASlabWithRoomStaysWhereItIsInItsList) {
  Pool pool(3);
  const auto a = pool.take_slab(kTail, Tenant::kViews);
  const auto b = pool.take_slab(kTail, Tenant::kViews);
  const auto c = pool.take_slab(kTail, Tenant::kViews);
  for (const auto& slab : {a, b, c}) pool->free(slab[12]);  // the list: c, b, a
  for (const auto& slab : {b, a, c}) {
    EXPECT_EQ(pool->reclaim(slab[0], 12), 0U);
    EXPECT_EQ(pool->reclaim(slab[0], 1), 11 * kCellSizes[kTail]);
    EXPECT_EQ(pool.problem(), "");
  }
  for (const auto& slab : {c, b, a}) EXPECT_EQ(pool.take_views(kTail, 64).offset, slab[1]);
}

TEST(SlabPoolReclaimTest, AnEmptySlabGoesBackWhereItsTenantHasAnother) {
  // Full or not, in the middle of the list or at its ends.
  for (const std::uint32_t freed_before : {0U, 1U}) {
    for (std::uint32_t which = 0; which < 3; ++which) {
      Pool pool(4);
      for (int i = 0; i < 3; ++i) pool.take_slab(kTail, Tenant::kViews);
      for (std::uint32_t page = 0; page < 3; ++page) {
        if (page != which || freed_before > 0) pool->free(page * kPageSize);
      }
      EXPECT_EQ(pool->reclaim(which * kPageSize, 0), (13 - freed_before) * kCellSizes[kTail]);
      EXPECT_FALSE(pool->owns(which));
      EXPECT_EQ(pool.stats(kTail).slabs, 2U);
      EXPECT_EQ(pool.stats(kTail).live_cells, 24U);
      EXPECT_EQ(pool.pages().pages_in_use(), 2U);
      EXPECT_EQ(pool.problem(), "");
    }
  }
}

TEST(SlabPoolReclaimTest, AnEmptySlabStaysWhereOnlyTheOtherTenantHasAnother) {
  Pool pool(2);
  pool->allocate(kTail);
  const std::uint32_t views = pool.take_views(kTail, 64).offset;
  EXPECT_NE(pool->reclaim(views, 0), 0U);
  EXPECT_TRUE(pool->owns(1));
  EXPECT_EQ(pool.stats(kTail).slabs, 2U);
  EXPECT_EQ(pool.problem(), "");
  EXPECT_EQ(pool->trim(), 1U);
  EXPECT_FALSE(pool->owns(1));
}

TEST(SlabPoolReclaimTest, ASlabThatIsKeptEmptyBehindAnotherIsLeftToTrim) {
  Pool pool(2);
  const auto full = pool.take_slab(kTwoCells, Tenant::kViews);
  pool->free(pool.take_views(kTwoCells).offset);  // empty, and alone in the list
  pool->free(full[0]);                            // comes before it
  const auto before = pool.snapshot();
  EXPECT_EQ(pool->reclaim(kPageSize, 0), 0U);
  EXPECT_EQ(pool.snapshot(), before);
  EXPECT_EQ(pool->trim(), 1U);
  EXPECT_FALSE(pool->owns(1));
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

// Few pages and few classes: slabs fill, empty, and change class and tenant all the time.
TEST_P(SlabPoolModelTest, AgreesWithAMapOfCells) {
  struct Slabs {
    std::uint32_t size_class;
    Tenant tenant;
    bool operator==(const Slabs& other) const {
      return size_class == other.size_class && tenant == other.tenant;
    }
  };
  std::mt19937 random(GetParam());
  const std::uint32_t page_count = 1 + (random() % 7);
  Pool pool(page_count);
  std::map<std::uint32_t, std::uint32_t> live;                // class by offset
  std::set<std::pair<std::uint32_t, std::uint32_t>> touched;  // page, byte: handed out in this life
  std::set<std::uint32_t> once_freed;                         // pages that had an earlier life
  std::map<std::uint32_t, Slabs> slabs;                       // of each page that is a slab
  std::vector<std::uint32_t> classes(3);
  for (std::uint32_t& size_class : classes) size_class = 20 + (random() % (kSizeClasses - 20));

  const auto cells_in = [&](std::uint32_t page) {
    return std::distance(live.lower_bound(page * kPageSize),
                         live.lower_bound((page + 1) * kPageSize));
  };
  const auto one_has_room = [&](const Slabs& kind) {
    return std::any_of(slabs.begin(), slabs.end(), [&](const auto& slab) {
      return slab.second == kind && cells_in(slab.first) < capacity_of(kind.size_class);
    });
  };
  const auto forget_pages_that_went_back = [&] {
    for (auto slab = slabs.begin(); slab != slabs.end();) {
      if (pool->owns(slab->first)) {
        ++slab;
        continue;
      }
      once_freed.insert(slab->first);
      touched.erase(touched.lower_bound({slab->first, 0}),
                    touched.lower_bound({slab->first + 1, 0}));
      slab = slabs.erase(slab);
    }
  };

  for (int step = 0; step < 3000; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const bool grow = (step / 150) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;
    if (grow) {
      const Slabs kind{classes[random() % classes.size()],
                       random() % 2 == 0 ? Tenant::kNative : Tenant::kViews};
      const std::uint32_t most = random() % 2 == 0 ? 1 : 1 + (random() % 70);
      const bool had_room = one_has_room(kind);
      const SlabPool::Cells cell = pool->allocate(kind.size_class, most, kind.tenant);
      if (cell.offset == kNone) {
        ASSERT_EQ(pool.pages().pages_in_use(), page_count) << "refused while a page is free";
        ASSERT_FALSE(had_room) << "refused while a slab has room";
      } else {
        const std::uint32_t page = cell.offset >> kPageBits;
        ASSERT_TRUE(cell.count >= 1 && cell.count <= most);
        ASSERT_EQ(cell.fresh, !had_room);
        const auto [slab, added] = slabs.emplace(page, kind);
        ASSERT_EQ(cell.fresh, added);
        ASSERT_TRUE(slab->second == kind);
        for (std::uint32_t i = 0; i < cell.count; ++i) {
          const std::uint32_t offset = cell.offset + (i * kCellSizes[kind.size_class]);
          ASSERT_EQ(offset >> kPageBits, page);
          ASSERT_TRUE(live.emplace(offset, kind.size_class).second) << "handed out twice";
          const bool untouched =
              touched.emplace(page, offset % kPageSize).second && once_freed.count(page) == 0;
          // A row is as zero as its first cell: cells are handed out from the lowest on.
          if (i == 0) ASSERT_EQ(cell.zero, untouched) << "page " << page << " at " << offset;
          ASSERT_TRUE(untouched || !cell.zero) << "page " << page << " at " << offset;
        }
      }
    } else if (!live.empty()) {
      auto cell = live.lower_bound((random() % page_count) * kPageSize);
      if (cell == live.end()) cell = live.begin();
      if (random() % 8 == 0) {
        // All cells of its page, but for none or for those that follow it.
        const std::uint32_t page = cell->first >> kPageBits;
        const std::uint32_t size = kCellSizes[cell->second];
        const std::uint32_t first = cell->first % kPageSize / size;
        const std::uint32_t in_word =
            std::min(64 - (first % 64), capacity_of(cell->second) - first);
        const std::uint32_t most = random() % (in_word + 1);
        std::uint32_t keep = 0;
        while (keep < most && live.count(cell->first + (keep * size)) != 0) ++keep;
        const bool views = slabs.at(page).tenant == Tenant::kViews;
        const auto freed = static_cast<std::uint32_t>(cells_in(page) - keep);
        const std::uint32_t kept_end = cell->first + (keep * size);
        ASSERT_EQ(pool->reclaim(cell->first, keep), views ? freed * size : 0);
        if (views) {
          live.erase(live.lower_bound(page * kPageSize), cell);
          live.erase(live.lower_bound(kept_end), live.lower_bound((page + 1) * kPageSize));
        }
      } else {
        ASSERT_EQ(pool->free(cell->first), kCellSizes[cell->second]);
        live.erase(cell);
      }
      forget_pages_that_went_back();
    }
    if (random() % 64 == 0) {
      const auto empty = std::count_if(slabs.begin(), slabs.end(),
                                       [&](const auto& slab) { return cells_in(slab.first) == 0; });
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
// 39. Page 4: a run of two pages. Page 6: one cell of two, class 40, of views. Page 7 is fresh.
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
    pool_.take_views(kTwoCells);
  }

  void SetUp() override { ASSERT_EQ(pool_.problem(), ""); }

  template <class Change>
  std::string problem_after(Change change) {
    pool_.edit(change);
    return pool_.problem();
  }

  Pool pool_{8};
};

TEST_F(SlabPoolProblemTest, ASlabOnAFreshPage) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slab_pages.set(7); }),
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
            "a slab hangs in another's list");
}

TEST_F(SlabPoolProblemTest, ASlabInTheOtherTenantsList) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].next = 6; }),
            "a slab hangs in another's list");
}

TEST_F(SlabPoolProblemTest, ASlabThatChangedHands) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[1].tenant = Tenant::kViews; }),
            "a slab hangs in another's list");
}

TEST_F(SlabPoolProblemTest, ASlabOfNoTenant) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) { pool.slabs[6].tenant = Tenant{kTenants}; }),
            "a slab's tenant does not exist");
}

TEST_F(SlabPoolProblemTest, TheListsOfTheTenantsSwapped) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) {
              std::swap(pool.lists[kTwoCells], pool.lists[kSizeClasses + kTwoCells]);
            }),
            "a slab hangs in another's list");
}

TEST_F(SlabPoolProblemTest, ASlabOfViewsWithRoomInNoList) {
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) {
              pool.lists[kSizeClasses + kTwoCells] = SlabPool::kNone;
            }),
            "a slab with room hangs in no list");
}

TEST_F(SlabPoolProblemTest, AFullSlabInAListOfViews) {
  pool_.take_views(kTwoCells);
  EXPECT_EQ(problem_after([](SlabPoolMirror& pool) {
              pool.slabs[6].previous = SlabPool::kNone;
              pool.slabs[6].next = SlabPool::kNone;
              pool.lists[kSizeClasses + kTwoCells] = 6;
            }),
            "a full slab hangs in a list");
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

TEST(SlabPoolDeathTest, RefusesToKeepWhatIsNotInUse) {
  Pool pool(1);
  const auto cells = pool.take_slab(kTail, Tenant::kViews);
  EXPECT_DEATH(pool->reclaim(cells[3] + 8, 1), "first != kNone") << "the inside of a cell";
  EXPECT_DEATH(pool->reclaim(cells[0], 14), "keep <= slab.used");
  EXPECT_DEATH(pool->reclaim(cells[12], 2), "first \\+ count <= capacity");
  pool->free(cells[3]);
  EXPECT_DEATH(pool->reclaim(cells[3], 1), "first != kNone");
  EXPECT_DEATH(pool->reclaim(cells[2], 2), "words\\[first / 64\\] & row");
}
#endif

}  // namespace
}  // namespace slabring
