#include "slabring/region.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mapping.hpp"

namespace slabring {
namespace {

using test::all_equal;
using test::Forbidden;
using test::MappedRegion;
using test::Mapping;
using test::resident_bytes;

std::byte* bytes(void* block) { return static_cast<std::byte*>(block); }

std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

bool is_zero(void* block, std::size_t size) { return all_equal(bytes(block), size, std::byte{0}); }

std::string problem_of(const MappedRegion& region) {
  const char* problem = region->find_problem();
  return problem == nullptr ? "" : problem;
}

std::size_t pages_to_bytes(std::size_t pages) { return pages * kPageSize; }

// A region with exactly `usable` pages to hand out.
std::uint32_t pages_for(std::uint32_t usable) {
  std::uint32_t pages = usable + 1;
  while (MappedRegion(pages).page_count() < usable) ++pages;
  return pages;
}

// --- create --------------------------------------------------------------------------------------

TEST(RegionCreateTest, NullWhereNoPageWouldBeLeft) {
  const Mapping mapping(2);
  EXPECT_EQ(Region::create(mapping.data(), 0), nullptr);
  EXPECT_EQ(Region::create(mapping.data(), 1), nullptr);
  EXPECT_EQ(resident_bytes(mapping.data(), mapping.size()), 0U) << "nothing was written";
}

TEST(RegionCreateTest, TheSmallestRegionHasOnePage) {
  const MappedRegion region(2);
  EXPECT_EQ(region.page_count(), 1U);
  EXPECT_EQ(region->allocate(kPageSize), region.page(0));
  EXPECT_EQ(region->allocate(1), nullptr);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionCreateTest, LiesAtTheStartOfItsMemory) {
  const MappedRegion region(4);
  EXPECT_EQ(static_cast<void*>(&*region), region.mapping().data());
}

// The metadata must end before page 0, whatever the count: it is written up to its last byte.
TEST(RegionCreateTest, MetadataOfEveryCountHoldsTheLastPagesRecords) {
  const Mapping mapping(400);
  for (std::uint32_t pages = 2; pages <= 400; ++pages) {
    mapping.discard();
    Region* region = Region::create(mapping.data(), pages);
    ASSERT_NE(region, nullptr);
    const std::uint32_t usable = region->stats().page_count;
    ASSERT_GE(usable, 1U);
    ASSERT_LT(usable, pages);
    const std::size_t metadata =
        sizeof(Region) + PageHeap::metadata_size(usable) + SlabPool::metadata_size(usable);
    ASSERT_LE(metadata, pages_to_bytes(pages - usable)) << pages;
    std::byte* const page0 = mapping.data() + pages_to_bytes(pages - usable);
    const Forbidden all_pages(page0, pages_to_bytes(usable));
    if (usable > 1) ASSERT_EQ(region->allocate(pages_to_bytes(usable - 1)), page0);
    for (int row = 0; row < 64; ++row) ASSERT_EQ(region->allocate_row(0, 64).count, 64U) << pages;
    ASSERT_EQ(region->allocate(16), nullptr) << pages;
  }
}

TEST(RegionCreateTest, TouchesLittleOfALargeRegion) {
  const MappedRegion region(kMaxPages);
  EXPECT_LE(resident_bytes(region.mapping().data(), region.mapping().size()), 16U << 10);
  EXPECT_GT(region.page_count(), kMaxPages - 600) << "36 MiB of 4 GiB are metadata";
}

// --- size of blocks ------------------------------------------------------------------------------

TEST(RegionTest, EverySizeUpToTheLargestCellGetsItsClass) {
  const MappedRegion region(kSizeClasses + 1);  // a slab of each is kept
  for (std::size_t size = 0; size <= kMaxCellSize; ++size) {
    void* block = region->allocate(size);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(region->usable_size(block), kCellSizes[size_class_of(size)]) << size;
    ASSERT_EQ(address(block) % kMinAlignment, 0U);
    ASSERT_TRUE(region->free(block));
  }
}

TEST(RegionTest, CellsEndAndRunsBeginAtHalfAPage) {
  const MappedRegion region(8);
  EXPECT_EQ(region->usable_size(region->allocate(kMaxCellSize - 1)), kMaxCellSize);
  EXPECT_EQ(region->usable_size(region->allocate(kMaxCellSize)), kMaxCellSize);
  EXPECT_EQ(region->stats().live_runs, 0U);
  EXPECT_EQ(region->usable_size(region->allocate(kMaxCellSize + 1)), kPageSize);
  EXPECT_EQ(region->stats().live_runs, 1U);
}

TEST(RegionTest, RunsAreRoundedUpToPages) {
  const MappedRegion region(16);
  EXPECT_EQ(region->usable_size(region->allocate(kPageSize - 1)), kPageSize);
  EXPECT_EQ(region->usable_size(region->allocate(kPageSize)), kPageSize);
  EXPECT_EQ(region->usable_size(region->allocate(kPageSize + 1)), 2 * kPageSize);
  EXPECT_EQ(region->usable_size(region->allocate((3 * kPageSize) - 1)), 3 * kPageSize);
  EXPECT_EQ(region->usable_size(region->allocate(3 * kPageSize)), 3 * kPageSize);
}

TEST(RegionTest, ZeroBytesAreABlockLikeAnyOther) {
  const MappedRegion region(4);
  void* const blocks[] = {region->allocate(0), region->allocate_zeroed(0),
                          region->allocate_aligned(0, 64), region->allocate_run(0)};
  for (void* block : blocks) {
    ASSERT_NE(block, nullptr);
    EXPECT_GT(region->usable_size(block), 0U);
  }
  EXPECT_NE(blocks[0], blocks[1]);
  EXPECT_EQ(region->usable_size(blocks[0]), kMinCellSize);
  EXPECT_EQ(region->usable_size(blocks[3]), kPageSize);
  for (void* block : blocks) EXPECT_TRUE(region->free(block));
  EXPECT_EQ(region->stats().live_bytes, 0U);
}

TEST(RegionTest, AllPagesAtOnceAndNotOneByteMore) {
  for (const std::uint32_t pages : {2U, 3U, 64U, 200U}) {
    const MappedRegion region(pages);
    const std::size_t all = pages_to_bytes(region.page_count());
    const auto before = region.metadata();
    EXPECT_EQ(region->allocate(all + 1), nullptr);
    EXPECT_EQ(region.metadata(), before) << "a refusal changes nothing";
    EXPECT_EQ(region->allocate(all), region.page(0));
    EXPECT_EQ(region->allocate(0), nullptr);
    EXPECT_EQ(problem_of(region), "");
  }
}

TEST(RegionTest, EveryByteOfEveryCellMayBeWritten) {
  const MappedRegion region(kSizeClasses + 1);
  std::vector<std::pair<void*, unsigned char>> blocks;
  std::mt19937 random(7);
  while (void* block = region->allocate(random() % 6000)) {
    const auto content = static_cast<unsigned char>(random());
    std::memset(block, content, region->usable_size(block));
    blocks.emplace_back(block, content);
  }
  ASSERT_GT(blocks.size(), 100U);
  for (const auto& [block, content] : blocks) {
    EXPECT_TRUE(all_equal(bytes(block), region->usable_size(block), std::byte{content}));
    EXPECT_TRUE(region->free(block));
  }
  EXPECT_EQ(problem_of(region), "");
}

// Sizes that would be small ones after a multiplication, an addition or a cast that wraps.
TEST(RegionTest, SizesNoMemoryHasAreRefusedAndChangeNothing) {
  const MappedRegion region(64);
  ASSERT_NE(region->allocate(100), nullptr);
  ASSERT_NE(region->allocate(100000), nullptr);
  const auto before = region.metadata();
  std::vector<std::size_t> sizes = {SIZE_MAX,
                                    SIZE_MAX - 1,
                                    SIZE_MAX - 7,
                                    SIZE_MAX - 8,
                                    SIZE_MAX - kPageSize,
                                    SIZE_MAX / 2,
                                    SIZE_MAX / 2 + 1,
                                    SIZE_MAX - kPageSize + 1,
                                    SIZE_MAX - kPageSize + 2};
  for (unsigned bits = 31; bits < 64; ++bits) {
    const std::size_t size = std::size_t{1} << bits;
    sizes.insert(sizes.end(), {size - 1, size, size + 1, size + kPageSize});
  }
  for (const std::size_t size : sizes) {
    EXPECT_EQ(region->allocate(size), nullptr) << size;
    EXPECT_EQ(region->allocate_zeroed(size), nullptr) << size;
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{8}, std::size_t{1} << 31}) {
      EXPECT_EQ(region->allocate_aligned(size, alignment), nullptr) << size;
      EXPECT_EQ(region->allocate_run(size, alignment), nullptr) << size;
    }
  }
  EXPECT_EQ(region.metadata(), before);
}

TEST(RegionTest, AnExhaustedRegionRefusesEverySizeAndChangesNothing) {
  const MappedRegion region(2);
  while (region->allocate(16) != nullptr) {
  }
  const auto before = region.metadata();
  for (const std::size_t size : {0U, 1U, 16U, 17U, 4096U, kMaxCellSize, kMaxCellSize + 1}) {
    EXPECT_EQ(region->allocate(size), nullptr);
    EXPECT_EQ(region->allocate_zeroed(size), nullptr);
    EXPECT_EQ(region->allocate_aligned(size, 64), nullptr);
    EXPECT_EQ(region->allocate_run(size), nullptr);
  }
  EXPECT_EQ(region.metadata(), before);
  EXPECT_EQ(region->stats().live_bytes, kPageSize);
}

TEST(RegionTest, AnExhaustedRegionServesAgainAfterOneFree) {
  const MappedRegion region(2);
  std::vector<void*> blocks;
  while (void* block = region->allocate(16)) blocks.push_back(block);
  ASSERT_EQ(blocks.size(), 4096U);
  EXPECT_TRUE(region->free(blocks[1234]));
  EXPECT_EQ(region->allocate(9), blocks[1234]);
  EXPECT_EQ(region->allocate(9), nullptr);
}

// --- free and usable_size refuse -----------------------------------------------------------------

// Neither freed nor usable, and nothing changed by asking.
void expect_no_block(const MappedRegion& region, const void* where, const std::string& what) {
  const auto before = region.metadata();
  EXPECT_EQ(region->usable_size(where), 0U) << what;
  EXPECT_FALSE(region->free(const_cast<void*>(where))) << what;
  EXPECT_EQ(region.metadata(), before) << what;
}

TEST(RegionFreeTest, NullIsNoBlock) {
  const MappedRegion region(4);
  region->allocate(16);
  expect_no_block(region, nullptr, "null");
}

TEST(RegionFreeTest, ASecondFreeIsRefused) {
  const MappedRegion region(64);
  for (const std::size_t size : {0U, 16U, 5000U, kMaxCellSize, kMaxCellSize + 1, 5 * kPageSize}) {
    void* kept = region->allocate(size);
    void* block = region->allocate(size);
    EXPECT_TRUE(region->free(block));
    expect_no_block(region, block, "freed, size " + std::to_string(size));
    EXPECT_TRUE(region->free(kept));
    expect_no_block(region, kept, "freed, size " + std::to_string(size));
  }
}

TEST(RegionFreeTest, ACellThatIsFreedTwiceInASlabThatWentBackIsRefused) {
  const MappedRegion region(4);
  void* block = region->allocate(100);
  region->free(block);
  region->trim();
  expect_no_block(region, block, "its page is free");
}

TEST(RegionFreeTest, TheInsideOfACellIsNoBlock) {
  const MappedRegion region(4);
  auto* block = bytes(region->allocate(100));
  for (std::size_t at = 1; at < region->usable_size(block); ++at) {
    expect_no_block(region, block + at, "byte " + std::to_string(at));
  }
  EXPECT_TRUE(region->free(block));
}

TEST(RegionFreeTest, TheInsideOfARunIsNoBlock) {
  const MappedRegion region(8);
  auto* block = bytes(region->allocate(3 * kPageSize));
  for (const std::size_t at :
       {1U, 8U, 16U, kPageSize - 1, kPageSize, kPageSize + 8, 2 * kPageSize, (3 * kPageSize) - 1}) {
    expect_no_block(region, block + at, "byte " + std::to_string(at));
  }
  EXPECT_TRUE(region->free(block));
}

TEST(RegionFreeTest, AFreePageAndAFreshPageHoldNoBlock) {
  const MappedRegion region(8);
  region->free(region->allocate_run(2 * kPageSize));
  expect_no_block(region, region.page(0), "a free run");
  expect_no_block(region, region.page(1), "the inside of a free run");
  expect_no_block(region, region.page(2), "a fresh page");
  expect_no_block(region, region.page(region.page_count() - 1), "the last page");
}

TEST(RegionFreeTest, TheRestOfASlabIsNoBlock) {
  const MappedRegion region(4);
  while (region->stats().size_classes[31].live_cells < 13) region->allocate(5040);
  expect_no_block(region, region.page(0) + (13 * 5040), "the 16 bytes after the last cell");
}

TEST(RegionFreeTest, ACellNeverHandedOutIsNoBlock) {
  const MappedRegion region(4);
  region->allocate(64);
  expect_no_block(region, region.page(0) + 64, "the next cell");
  expect_no_block(region, region.page(0) + kPageSize - 64, "the last cell");
}

TEST(RegionFreeTest, ForeignAddressesAreNoBlocks) {
  const MappedRegion region(8);
  region->allocate_run(pages_to_bytes(region.page_count()));
  const int on_the_stack = 0;
  expect_no_block(region, &on_the_stack, "the stack");
  expect_no_block(region, &*region, "the region itself");
  expect_no_block(region, region.page(0) - 1, "the last byte of the metadata");
  expect_no_block(region, region.page(0) - kPageSize, "the metadata");
  expect_no_block(region, region.mapping().end(), "past the end");
  expect_no_block(region, reinterpret_cast<void*>(UINTPTR_MAX), "the last address");
  expect_no_block(region, reinterpret_cast<void*>(std::uintptr_t{kPageSize}), "a low address");
  // 4 GiB from a block: the same offset in 32 bits.
  expect_no_block(region, reinterpret_cast<void*>(address(region.page(0)) + (1ULL << 32)), "above");
  expect_no_block(region, reinterpret_cast<void*>(address(region.page(0)) - (1ULL << 32)), "below");
}

TEST(RegionFreeTest, ABlockOfAnotherRegionIsNoBlock) {
  const MappedRegion region(4);
  const MappedRegion other(4);
  region->allocate(16);
  expect_no_block(region, other->allocate(16), "the other region's");
}

TEST(RegionFreeTest, FreedRunsJoin) {
  const MappedRegion region(pages_for(6));
  void* a = region->allocate(2 * kPageSize);
  void* b = region->allocate(2 * kPageSize);
  void* c = region->allocate(2 * kPageSize);
  region->free(a);
  region->free(c);
  EXPECT_EQ(region->allocate(3 * kPageSize), nullptr);
  region->free(b);
  EXPECT_EQ(region->allocate(6 * kPageSize), a);
}

// --- alignment -----------------------------------------------------------------------------------

TEST(RegionAlignmentTest, CellsAreAlignedForEverySize) {
  const MappedRegion region(kSizeClasses * 4, 64, 1);
  for (std::size_t alignment = 1; alignment <= kMaxCellSize; alignment *= 2) {
    for (const std::uint32_t cell : kCellSizes) {
      for (const std::size_t size : {cell - 1, cell, cell + 1}) {
        void* block = region->allocate_aligned(size, alignment);
        ASSERT_NE(block, nullptr) << size << " by " << alignment;
        ASSERT_EQ(address(block) % alignment, 0U) << size << " by " << alignment;
        ASSERT_GE(region->usable_size(block), size);
        ASSERT_TRUE(region->free(block));
      }
    }
    region->trim();
  }
}

// Several cells of a slab: the first is aligned to anything a page is.
TEST(RegionAlignmentTest, LaterCellsOfASlabAreAlignedToo) {
  const MappedRegion region(32);
  for (std::size_t alignment = 8; alignment <= 4096; alignment *= 2) {
    for (int i = 0; i < 8; ++i) {
      void* block = region->allocate_aligned(24, alignment);
      ASSERT_EQ(address(block) % alignment, 0U) << alignment;
    }
  }
}

TEST(RegionAlignmentTest, AlignmentOfAWordAndLessChangesNothing) {
  for (const std::size_t alignment : {1U, 2U, 4U, 8U}) {
    const MappedRegion region(2);
    EXPECT_EQ(region->usable_size(region->allocate_aligned(24, alignment)), 24U);
  }
}

TEST(RegionAlignmentTest, HalfAPageIsTheLargestAlignmentOfACell) {
  const MappedRegion region(8);
  EXPECT_EQ(region->usable_size(region->allocate_aligned(1, kMaxCellSize)), kMaxCellSize);
  EXPECT_EQ(region->usable_size(region->allocate_aligned(1, kPageSize)), kPageSize);
  EXPECT_EQ(region->usable_size(region->allocate_aligned(kMaxCellSize, kMaxCellSize)),
            kMaxCellSize);
  EXPECT_EQ(region->usable_size(region->allocate_aligned(kMaxCellSize + 1, 8)), kPageSize);
}

// The region's own address is aligned to a page only, as a memory's metadata leaves it.
TEST(RegionAlignmentTest, RunsAreAlignedInTheAddressSpaceNotInTheRegion) {
  for (std::uint32_t skew = 0; skew < 16; ++skew) {
    const MappedRegion region(64, 16, skew);
    for (std::size_t alignment = kPageSize; alignment <= 16 * kPageSize; alignment *= 2) {
      void* block = region->allocate_aligned(100, alignment);
      ASSERT_NE(block, nullptr) << alignment;
      EXPECT_EQ(address(block) % alignment, 0U) << "skew " << skew << " by " << alignment;
    }
    EXPECT_EQ(problem_of(region), "");
  }
}

TEST(RegionAlignmentTest, EveryAlignmentUpTo2GiBInTheLargestRegion) {
  const MappedRegion region(kMaxPages);
  for (unsigned bits = 0; bits <= 31; ++bits) {
    const std::size_t alignment = std::size_t{1} << bits;
    for (const std::size_t size : {std::size_t{1}, std::size_t{100000}}) {
      void* block = region->allocate_aligned(size, alignment);
      ASSERT_NE(block, nullptr) << "2^" << bits;
      EXPECT_EQ(address(block) % alignment, 0U) << "2^" << bits;
      EXPECT_TRUE(region->free(block));
      block = region->allocate_run(size, alignment);
      ASSERT_NE(block, nullptr) << "2^" << bits;
      EXPECT_EQ(address(block) % alignment, 0U) << "2^" << bits;
      EXPECT_TRUE(region->free(block));
    }
  }
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionAlignmentTest, AlignmentsBeyondAnAddressAreRefused) {
  const MappedRegion region(64);
  const auto before = region.metadata();
  for (unsigned bits = 33; bits < 64; ++bits) {
    EXPECT_EQ(region->allocate_aligned(1, std::size_t{1} << bits), nullptr) << bits;
    EXPECT_EQ(region->allocate_run(1, std::size_t{1} << bits), nullptr) << bits;
  }
  EXPECT_EQ(region.metadata(), before);
}

TEST(RegionAlignmentTest, AnAlignedRunJustFreedServesAgainInAFullRegion) {
  const MappedRegion region(64, 64, 0);
  void* block = region->allocate_aligned(8 * kPageSize, 8 * kPageSize);
  while (region->allocate_run(1) != nullptr) {
  }
  EXPECT_TRUE(region->free(block));
  EXPECT_EQ(region->allocate_aligned(8 * kPageSize, 8 * kPageSize), block);
}

TEST(RegionAlignmentTest, AnAlignmentAboveTheRegionsSizeIsServedWhereAPageHasIt) {
  const MappedRegion region(8, 64, 60);  // page 64 is in the middle
  void* block = region->allocate_aligned(1, 64 * kPageSize);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(address(block) % (64 * kPageSize), 0U);
  EXPECT_EQ(region->allocate_aligned(1, 64 * kPageSize), nullptr);
}

// --- rows ----------------------------------------------------------------------------------------

TEST(RegionRowTest, IsARowOfBlocks) {
  const MappedRegion region(4);
  const Region::Row row = region->allocate_row(3, 10);
  const std::uint32_t size = kCellSizes[3];
  ASSERT_EQ(row.first, region.page(0));
  ASSERT_EQ(row.count, 10U);
  EXPECT_TRUE(row.zero);
  EXPECT_EQ(region->stats().live_bytes, 10 * size);
  EXPECT_EQ(region->stats().peak_bytes, 10 * size);
  EXPECT_EQ(region->stats().size_classes[3].live_cells, 10U);
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(region->usable_size(bytes(row.first) + (i * size)), size);
    EXPECT_TRUE(region->free(bytes(row.first) + (i * size)));
  }
  EXPECT_EQ(region->stats().live_bytes, 0U);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionRowTest, ARowOfOneIsABlockOfThatClass) {
  const MappedRegion region(4);
  const Region::Row row = region->allocate_row(kSizeClasses - 1, 1);
  EXPECT_EQ(row.count, 1U);
  EXPECT_EQ(region->usable_size(row.first), kMaxCellSize);
}

TEST(RegionRowTest, ARowThatWasUsedBeforeIsNotZero) {
  const MappedRegion region(4);
  region->free(region->allocate_row(0, 1).first);
  EXPECT_FALSE(region->allocate_row(0, 2).zero);
  EXPECT_TRUE(region->allocate_row(0, 2).zero);
}

TEST(RegionRowTest, ANewRowIsNotTouched) {
  const MappedRegion region(4);
  const Forbidden pages(region.page(0), pages_to_bytes(region.page_count()));
  EXPECT_TRUE(region->allocate_row(0, 64).zero);
}

TEST(RegionRowTest, IsRefusedWhereThereIsNoRoomWithNothingChanged) {
  const MappedRegion region(2);
  region->allocate_run(1);
  const auto before = region.metadata();
  const Region::Row row = region->allocate_row(0, 64);
  EXPECT_EQ(row.first, nullptr);
  EXPECT_EQ(row.count, 0U);
  EXPECT_EQ(region.metadata(), before);
}

TEST(RegionRowTest, RowsFillARegion) {
  const MappedRegion region(2);
  std::uint32_t cells = 0;
  while (true) {
    const Region::Row row = region->allocate_row(7, 50);
    if (row.first == nullptr) break;
    cells += row.count;
  }
  EXPECT_EQ(cells, kPageSize / kCellSizes[7]);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionRowTest, SharesNoSlabWithBlocks) {
  const MappedRegion region((2 * kSizeClasses) + 4);
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    const std::size_t size = kCellSizes[size_class];
    auto* row = bytes(region->allocate_row(size_class, 1).first);
    for (void* block : {region->allocate(size), region->allocate_zeroed(size),
                        region->allocate_aligned(size, kMinAlignment)}) {
      if (size < kMaxCellSize) ASSERT_NE(address(block) / kPageSize, address(row) / kPageSize);
      ASSERT_TRUE(region->free(block));
    }
    EXPECT_EQ(region->allocate_row(size_class, 1).first, row + size);
  }
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionRowTest, IsFreshWithItsSlabOnly) {
  const MappedRegion region(4);
  region->allocate(kMaxCellSize);  // has room, but not for rows
  const std::uint32_t size_class = kSizeClasses - 1;
  EXPECT_TRUE(region->allocate_row(size_class, 1).fresh);
  EXPECT_FALSE(region->allocate_row(size_class, 1).fresh);
  EXPECT_TRUE(region->allocate_row(size_class, 2).fresh);
  region->free(region.page(2));
  region->free(region.page(2) + kMaxCellSize);
  EXPECT_FALSE(region->allocate_row(size_class, 2).fresh) << "the slab was kept";
  EXPECT_FALSE(region->allocate_row(size_class, 2).fresh) << "no room: there is no slab";
  EXPECT_EQ(region.page_count(), 3U);
}

// --- reclaim -------------------------------------------------------------------------------------

TEST(RegionReclaimTest, FreesAllCellsOfEachClass) {
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    const std::size_t size = kCellSizes[size_class];
    const std::size_t cells = kPageSize / size;
    const MappedRegion region(4);
    void* block = region->allocate(16);
    for (std::size_t taken = 0; taken < cells;) taken += region->allocate_row(size_class, 64).count;
    std::byte* const slab = region.page(1);
    std::memset(slab, 0xFF, cells * size);
    ASSERT_EQ(region->reclaim(slab + (size * (cells - 1)), 0), cells * size);
    EXPECT_EQ(region->stats().live_bytes, kMinCellSize);
    EXPECT_EQ(region->stats().peak_bytes, kMinCellSize + (cells * size));
    EXPECT_EQ(region->stats().size_classes[size_class].live_cells, size_class == 0 ? 1U : 0U);
    EXPECT_EQ(region->usable_size(block), kMinCellSize) << "C++'s";
    EXPECT_EQ(problem_of(region), "");
    for (std::size_t i = 0; i < cells; ++i) ASSERT_FALSE(region->free(slab + (i * size)));
    const Region::Row again = region->allocate_row(size_class, 64);
    EXPECT_EQ(again.first, slab);
    EXPECT_FALSE(again.zero) << "it was written to";
    EXPECT_FALSE(again.fresh);
  }
}

TEST(RegionReclaimTest, KeepsARowOfEveryLengthAtEitherEndOfAWord) {
  const std::uint32_t size = kCellSizes[6];
  for (std::uint32_t keep = 1; keep <= 64; ++keep) {
    for (const std::uint32_t first : {0U, 64 - keep, 1024 - keep}) {
      const MappedRegion region(2);
      for (int i = 0; i < 16; ++i) region->allocate_row(6, 64);
      std::byte* const kept = region.page(0) + (std::size_t{first} * size);
      std::memset(kept, 0xAB, std::size_t{keep} * size);
      ASSERT_EQ(region->reclaim(kept, keep), (1024 - keep) * size);
      ASSERT_EQ(region->stats().live_bytes, keep * size);
      ASSERT_EQ(problem_of(region), "");
      // The others are handed out once more, and none of the row's.
      std::uint32_t others = 0;
      for (Region::Row row = region->allocate_row(6, 64); row.first != nullptr;
           row = region->allocate_row(6, 64)) {
        std::memset(row.first, 0xCD, std::size_t{row.count} * size);
        others += row.count;
      }
      ASSERT_EQ(others, 1024 - keep);
      ASSERT_TRUE(all_equal(kept, std::size_t{keep} * size, std::byte{0xAB}));
      for (std::uint32_t i = 0; i < keep; ++i) ASSERT_TRUE(region->free(kept + (i * size)));
    }
  }
}

TEST(RegionReclaimTest, ACellThatWasReclaimedIsFreedNoSecondTime) {
  const MappedRegion region(4);
  auto* row = bytes(region->allocate_row(3, 10).first);
  const std::uint32_t size = kCellSizes[3];
  region->free(row + size);
  EXPECT_EQ(region->reclaim(row + (8 * size), 2), 7 * size);
  for (std::uint32_t i = 0; i < 8; ++i) expect_no_block(region, row + (i * size), "reclaimed");
  EXPECT_EQ(region->reclaim(row + (8 * size), 2), 0U);
  EXPECT_EQ(region->reclaim(row, 0), 2 * size);
  EXPECT_EQ(region->reclaim(row, 0), 0U);
  EXPECT_EQ(region->stats().live_bytes, 0U);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionReclaimTest, TouchesNoByteOfTheSlab) {
  const MappedRegion region(2);
  auto* row = bytes(region->allocate_row(0, 64).first);
  const Forbidden slab(region.page(0), kPageSize);
  EXPECT_EQ(region->reclaim(row + kMinCellSize, 63), kMinCellSize);
  EXPECT_EQ(region->reclaim(row, 0), 63 * kMinCellSize);
}

TEST(RegionReclaimTest, ReclaimedMemoryIsClearedForTheNextTenant) {
  const MappedRegion region(2);
  const Region::Row row = region->allocate_row(9, 64);
  std::memset(row.first, 0xFF, std::size_t{row.count} * kCellSizes[9]);
  EXPECT_NE(region->reclaim(row.first, 0), 0U);
  EXPECT_EQ(region->allocate_zeroed(16), nullptr) << "the only page is kept for rows";
  EXPECT_EQ(region->trim(), 1U);
  while (void* block = region->allocate_zeroed(16)) ASSERT_TRUE(is_zero(block, 16));
  EXPECT_EQ(region->reclaim(row.first, 0), 0U) << "C++'s by now";
  EXPECT_EQ(region->stats().live_bytes, kPageSize);
}

TEST(RegionReclaimTest, APageThatWentBackServesARun) {
  const MappedRegion region(3);
  const std::uint32_t size_class = kSizeClasses - 1;
  void* first = region->allocate_row(size_class, 2).first;
  auto* second = bytes(region->allocate_row(size_class, 2).first);
  region->free(second);
  EXPECT_EQ(region->reclaim(first, 0), kPageSize);
  EXPECT_EQ(region->stats().pages_in_use, 1U);
  EXPECT_EQ(region->allocate_run(1), first);
  EXPECT_EQ(region->reclaim(first, 0), 0U);
  EXPECT_EQ(region->usable_size(second + kMaxCellSize), kMaxCellSize);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionReclaimTest, RefusesWhatIsInNoSlabOfRowsAndChangesNothing) {
  const MappedRegion region(16);
  const MappedRegion other(4);
  auto* block = bytes(region->allocate(100));
  auto* zeroed = bytes(region->allocate_zeroed(5000));
  auto* aligned = bytes(region->allocate_aligned(8, 1024));
  auto* run = bytes(region->allocate_run(3 * kPageSize));
  auto* freed = bytes(region->allocate_run(1));
  region->allocate_row(2, 64);
  region->free(freed);
  std::byte* const end = region.page(region.page_count());
  const auto before = region.metadata();
  for (const std::uint32_t keep : {0U, 1U, 64U}) {
    for (const void* where :
         {block, block + 1, zeroed, aligned, run, run + kPageSize, freed, region.page(14), end - 1,
          end, region.page(0) - 1, region.mapping().data(), bytes(nullptr),
          bytes(other->allocate_row(2, 1).first)}) {
      EXPECT_EQ(region->reclaim(where, keep), 0U);
    }
  }
  EXPECT_EQ(region.metadata(), before);
}

// --- runs ----------------------------------------------------------------------------------------

TEST(RegionRunTest, ARunSharesItsPagesWithNoOtherBlock) {
  const MappedRegion region(8);
  void* cell = region->allocate(8);
  void* run = region->allocate_run(8);
  void* another = region->allocate_run(8);
  void* next_cell = region->allocate(8);
  EXPECT_EQ(run, region.page(1));
  EXPECT_EQ(another, region.page(2));
  EXPECT_EQ(address(next_cell), address(cell) + kMinCellSize);
  EXPECT_EQ(region->stats().live_runs, 2U);
}

TEST(RegionRunTest, AllPagesOfARunComeBack) {
  const MappedRegion region(8);
  void* run = region->allocate_run(8);
  EXPECT_EQ(region->stats().pages_in_use, 1U);
  EXPECT_TRUE(region->free(run));
  EXPECT_EQ(region->stats().pages_in_use, 0U);
}

TEST(RegionRunTest, SizesAreRoundedUpToPages) {
  const MappedRegion region(16);
  for (const std::size_t size : {0U, 1U, kMaxCellSize, kPageSize - 1, kPageSize}) {
    EXPECT_EQ(region->usable_size(region->allocate_run(size)), kPageSize) << size;
  }
  EXPECT_EQ(region->usable_size(region->allocate_run(kPageSize + 1)), 2 * kPageSize);
}

TEST(RegionRunTest, SmallAlignmentsAreThatOfAPage) {
  const MappedRegion region(16);
  for (std::size_t alignment = 1; alignment <= kPageSize; alignment *= 2) {
    void* run = region->allocate_run(1, alignment);
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(address(run) % kPageSize, 0U);
    region->free(run);
  }
}

// --- zero ----------------------------------------------------------------------------------------

TEST(RegionZeroTest, AGigabyteOfZerosCostsNoMemory) {
  const MappedRegion region((1U << 14) + 600);
  constexpr std::size_t kGigabyte = std::size_t{1} << 30;
  auto* block = bytes(region->allocate_zeroed(kGigabyte));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(resident_bytes(block, kGigabyte), 0U);
  EXPECT_EQ(block[0], std::byte{0});
  EXPECT_EQ(block[kGigabyte - 1], std::byte{0});
}

TEST(RegionZeroTest, AllOfTheLargestRegionAtOnce) {
  const MappedRegion region(kMaxPages);
  const std::size_t all = pages_to_bytes(region.page_count());
  const Forbidden pages(region.page(0), all);
  EXPECT_EQ(region->allocate_zeroed(all + 1), nullptr);
  EXPECT_EQ(region->allocate_zeroed(all), region.page(0));
  EXPECT_EQ(region->usable_size(region.page(0)), all);
  EXPECT_EQ(region->stats().live_bytes, all) << "just fits in 32 bits";
  EXPECT_EQ(region->stats().peak_bytes, all);
  EXPECT_EQ(region->stats().pages_in_use, region.page_count());
  EXPECT_EQ(region->allocate(0), nullptr);
  EXPECT_TRUE(region->free(region.page(0)));
  EXPECT_EQ(region->stats().live_bytes, 0U);
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionZeroTest, TheLastPageOfTheLargestRegionIsABlockLikeAnyOther) {
  const MappedRegion region(kMaxPages);
  const std::uint32_t last = region.page_count() - 1;
  ASSERT_EQ(region->allocate(pages_to_bytes(last)), region.page(0));
  void* cell = region->allocate(kMaxCellSize);
  EXPECT_EQ(cell, region.page(last));
  void* last_cell = region->allocate(kMaxCellSize);
  EXPECT_EQ(last_cell, region.page(last) + kMaxCellSize);
  EXPECT_EQ(region->usable_size(last_cell), kMaxCellSize);
  EXPECT_TRUE(region->free(last_cell));
  EXPECT_TRUE(region->free(cell));
  EXPECT_TRUE(region->free(region.page(0)));
  EXPECT_EQ(problem_of(region), "");
}

TEST(RegionZeroTest, FreshCellsAreNotTouched) {
  const MappedRegion region(64);
  const Forbidden pages(region.page(0), pages_to_bytes(region.page_count()));
  for (const std::uint32_t size : kCellSizes) {
    ASSERT_NE(region->allocate_zeroed(size), nullptr);
    ASSERT_NE(region->allocate_zeroed(size - 1), nullptr);
  }
}

TEST(RegionZeroTest, AFreshCellCostsNoMemory) {
  const MappedRegion region(4);
  region->allocate_zeroed(64);
  region->allocate_zeroed(kMaxCellSize);
  EXPECT_EQ(resident_bytes(region.page(0), 2 * kPageSize), 0U);
}

TEST(RegionZeroTest, ARecycledCellIsCleared) {
  for (std::size_t size = 1; size <= kMaxCellSize; size += size < 300 ? 1 : 333) {
    const MappedRegion region(2);
    void* block = region->allocate(size);
    std::memset(block, 0xFF, region->usable_size(block));
    region->free(block);
    ASSERT_EQ(region->allocate_zeroed(size), block);
    ASSERT_TRUE(is_zero(block, size)) << size;
  }
}

TEST(RegionZeroTest, FreshCellsNextToARecycledOneAreNotTouched) {
  const MappedRegion region(4);
  void* block = region->allocate(kMaxCellSize);
  std::memset(block, 0xFF, kMaxCellSize);
  region->free(block);
  const Forbidden rest(region.page(0) + kMaxCellSize, kMaxCellSize);
  EXPECT_EQ(region->allocate_zeroed(kMaxCellSize), block);
  EXPECT_TRUE(is_zero(block, kMaxCellSize));
  EXPECT_EQ(region->allocate_zeroed(kMaxCellSize), region.page(0) + kMaxCellSize);
}

TEST(RegionZeroTest, CellsOfAPageThatWasARunAreCleared) {
  const MappedRegion region(2);
  void* run = region->allocate_run(1);
  std::memset(run, 0xFF, kPageSize);
  region->free(run);
  while (void* block = region->allocate_zeroed(1000)) ASSERT_TRUE(is_zero(block, 1000));
  EXPECT_EQ(region->stats().size_classes[size_class_of(1000)].live_cells, 64U);
}

TEST(RegionZeroTest, CellsOfAPageThatHadOtherCellsAreCleared) {
  const MappedRegion region(2);
  void* block = region->allocate(kMaxCellSize);
  std::memset(block, 0xFF, kMaxCellSize);
  region->free(block);
  region->trim();
  while (void* small = region->allocate_zeroed(100)) ASSERT_TRUE(is_zero(small, 100));
}

TEST(RegionZeroTest, ARecycledRunIsCleared) {
  for (const std::size_t size : {kMaxCellSize + 1, kPageSize - 1, kPageSize, kPageSize + 1,
                                 (3 * kPageSize) - 1, 3 * kPageSize}) {
    const MappedRegion region(8);
    void* run = region->allocate(size);
    std::memset(run, 0xFF, region->usable_size(run));
    region->free(run);
    ASSERT_EQ(region->allocate_zeroed(size), run);
    ASSERT_TRUE(is_zero(run, size)) << size;
  }
}

TEST(RegionZeroTest, NothingPastTheSizeIsCleared) {
  for (const std::size_t size : {100U, 5000U, kMaxCellSize + 1, kPageSize + 1}) {
    const MappedRegion region(8);
    auto* block = bytes(region->allocate(size));
    const std::size_t usable = region->usable_size(block);
    std::memset(block, 0xFF, usable);
    region->free(block);
    ASSERT_EQ(region->allocate_zeroed(size), block);
    EXPECT_TRUE(all_equal(block + size, usable - size, std::byte{0xFF})) << size;
  }
}

TEST(RegionZeroTest, ADirtyRunIsClearedOnlyWhereItIsDirty) {
  const MappedRegion region(pages_for(10));
  void* run = region->allocate(4 * kPageSize);
  std::memset(run, 0xFF, 4 * kPageSize);
  region->free(run);
  const Forbidden fresh(region.page(4), 6 * kPageSize);
  ASSERT_EQ(region->allocate_zeroed(10 * kPageSize), run);
  EXPECT_TRUE(is_zero(run, 4 * kPageSize));
}

TEST(RegionZeroTest, CleanPagesBetweenDirtyOnesAreNotTouched) {
  // Aligned runs leave gaps that were never handed out.
  const MappedRegion region(pages_for(24), 64, 0);
  std::vector<void*> runs;
  for (int i = 0; i < 3; ++i) {
    void* run = region->allocate_aligned(kPageSize, 8 * kPageSize);
    if (run == nullptr) break;
    std::memset(run, 0xFF, kPageSize);
    runs.push_back(run);
  }
  ASSERT_GE(runs.size(), 2U);
  for (void* run : runs) region->free(run);
  auto* gap = bytes(runs[0]) + kPageSize;
  const Forbidden clean(gap, 7 * kPageSize);
  const std::size_t all = pages_to_bytes(region.page_count());
  ASSERT_EQ(region->allocate_zeroed(all), region.page(0));
  for (void* run : runs) EXPECT_TRUE(is_zero(run, kPageSize));
}

TEST(RegionZeroTest, ARunThatEndsInADirtyPageIsClearedUpToItsSize) {
  const MappedRegion region(8);
  auto* run = bytes(region->allocate(2 * kPageSize));
  std::memset(run, 0xFF, 2 * kPageSize);
  region->free(run);
  ASSERT_EQ(region->allocate_zeroed(kPageSize + 8), run);
  EXPECT_TRUE(is_zero(run, kPageSize + 8));
  EXPECT_EQ(run[kPageSize + 8], std::byte{0xFF});
}

TEST(RegionZeroTest, AlignedAndPlainBlocksAreNeverTouched) {
  const MappedRegion region(64);
  const Forbidden pages(region.page(0), pages_to_bytes(region.page_count()));
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    for (const std::uint32_t size : kCellSizes) {
      blocks.push_back(region->allocate(size));
      blocks.push_back(region->allocate_aligned(size / 3, 64));
    }
    blocks.push_back(region->allocate_run(3 * kPageSize));
    for (void* block : blocks) {
      if (block != nullptr) EXPECT_TRUE(region->free(block));
    }
    region->trim();
  }
}

// --- counters ------------------------------------------------------------------------------------

TEST(RegionStatsTest, AFreshRegionCountsNothing) {
  const MappedRegion region(64);
  const RegionStats& stats = region->stats();
  EXPECT_EQ(stats.page_count, 63U);
  EXPECT_EQ(stats.high_water_pages, 0U);
  EXPECT_EQ(stats.pages_in_use, 0U);
  EXPECT_EQ(stats.live_bytes, 0U);
  EXPECT_EQ(stats.peak_bytes, 0U);
  EXPECT_EQ(stats.live_runs, 0U);
  for (std::uint32_t i = 0; i < kSizeClasses; ++i) {
    EXPECT_EQ(stats.size_classes[i].cell_size, kCellSizes[i]);
    EXPECT_EQ(stats.size_classes[i].live_cells, 0U);
    EXPECT_EQ(stats.size_classes[i].slabs, 0U);
  }
}

TEST(RegionStatsTest, TheReferenceStaysTheSame) {
  const MappedRegion region(4);
  const RegionStats* stats = &region->stats();
  region->allocate(16);
  EXPECT_EQ(&region->stats(), stats);
}

class RegionStepsTest : public testing::Test {
 protected:
  void expect(std::uint32_t live_bytes, std::uint32_t peak_bytes, std::uint32_t live_runs,
              std::uint32_t pages_in_use, std::uint32_t high_water) {
    const RegionStats& stats = region_->stats();
    EXPECT_EQ(stats.live_bytes, live_bytes);
    EXPECT_EQ(stats.peak_bytes, peak_bytes);
    EXPECT_EQ(stats.live_runs, live_runs);
    EXPECT_EQ(stats.pages_in_use, pages_in_use);
    EXPECT_EQ(stats.high_water_pages, high_water);
    EXPECT_EQ(problem_of(region_), "");
  }

  MappedRegion region_{64};
};

TEST_F(RegionStepsTest, CellsAreCountedAsRoundedUp) {
  void* a = region_->allocate(1);
  expect(16, 16, 0, 1, 1);
  void* b = region_->allocate_zeroed(65);
  expect(96, 96, 0, 2, 2);
  void* c = region_->allocate_aligned(1, 128);
  expect(224, 224, 0, 3, 3);
  region_->free(b);
  expect(144, 224, 0, 3, 3);
  region_->free(a);
  expect(128, 224, 0, 3, 3);
  region_->free(c);
  expect(0, 224, 0, 3, 3);
  EXPECT_EQ(region_->trim(), 3U);
  expect(0, 224, 0, 0, 3);
}

TEST_F(RegionStepsTest, RunsAreCountedAsRoundedUp) {
  void* a = region_->allocate(kMaxCellSize + 1);
  expect(kPageSize, kPageSize, 1, 1, 1);
  void* b = region_->allocate_zeroed(kPageSize + 1);
  expect(3 * kPageSize, 3 * kPageSize, 2, 3, 3);
  void* c = region_->allocate_run(1);
  expect(4 * kPageSize, 4 * kPageSize, 3, 4, 4);
  region_->free(b);
  expect(2 * kPageSize, 4 * kPageSize, 2, 2, 4);
  region_->free(c);
  region_->free(a);
  expect(0, 4 * kPageSize, 0, 0, 4);
}

TEST_F(RegionStepsTest, ThePeakIsTheMostThatEverWas) {
  void* a = region_->allocate(kPageSize);
  region_->free(a);
  void* b = region_->allocate(16);
  expect(16, kPageSize, 0, 1, 1);
  region_->allocate(kPageSize - 16);
  expect(kPageSize + 16, kPageSize + 16, 1, 2, 2);
  region_->free(b);
  expect(kPageSize, kPageSize + 16, 1, 2, 2);
}

TEST_F(RegionStepsTest, AnAlignedRunRaisesTheMarkByItsGapToo) {
  const MappedRegion region(64, 64, 0);  // page 0 is page 1 of the address space
  EXPECT_EQ(region->allocate_aligned(1, 8 * kPageSize), region.page(7));
  EXPECT_EQ(region->stats().high_water_pages, 8U);
  EXPECT_EQ(region->stats().pages_in_use, 1U);
}

TEST_F(RegionStepsTest, TheMarkNeverFalls) {
  std::mt19937 random(3);
  std::vector<void*> blocks;
  std::uint32_t mark = 0;
  for (int step = 0; step < 2000; ++step) {
    void* block = random() % 2 == 0 ? region_->allocate_run(random() % (9 * kPageSize),
                                                            kPageSize << (random() % 4))
                                    : nullptr;
    if (block != nullptr) {
      blocks.push_back(block);
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      region_->free(blocks.back());
      blocks.pop_back();
    }
    ASSERT_GE(region_->stats().high_water_pages, mark) << step;
    mark = region_->stats().high_water_pages;
  }
}

// --- trim ----------------------------------------------------------------------------------------

TEST(RegionTrimTest, EmptySlabsMakeRoomForARun) {
  const MappedRegion region(4);
  const std::size_t all = pages_to_bytes(region.page_count());
  region->free(region->allocate(16));
  EXPECT_EQ(region->allocate(all), nullptr);
  EXPECT_EQ(region->trim(), 1U);
  EXPECT_EQ(region->allocate(all), region.page(0));
}

TEST(RegionTrimTest, NothingToGiveBack) {
  const MappedRegion region(8);
  EXPECT_EQ(region->trim(), 0U);
  region->allocate(16);
  region->allocate_run(16);
  EXPECT_EQ(region->trim(), 0U);
  EXPECT_EQ(region->stats().pages_in_use, 2U);
}

TEST(RegionTrimTest, AfterEverythingWasFreedNothingIsInUse) {
  const MappedRegion region(16);
  std::mt19937 random(5);
  std::vector<void*> blocks;
  while (void* block = region->allocate(random() % kMaxCellSize)) blocks.push_back(block);
  while (!blocks.empty()) {
    std::swap(blocks[random() % blocks.size()], blocks.back());
    ASSERT_TRUE(region->free(blocks.back()));
    blocks.pop_back();
  }
  region->trim();
  EXPECT_EQ(region->stats().pages_in_use, 0U);
  EXPECT_EQ(region->allocate(pages_to_bytes(region.page_count())), region.page(0));
}

// --- find_problem() notices ----------------------------------------------------------------------

#if SLABRING_ASSERT_LEVEL >= 1  // without assertions a problem is a place, not a text

class RegionProblemTest : public testing::Test {
 protected:
  RegionProblemTest() {
    region_->allocate(16);
    region_->allocate_run(2 * kPageSize);
  }

  void SetUp() override { ASSERT_EQ(problem_of(region_), ""); }

  // The counters lie in memory that is the test's own.
  RegionStats& stats() { return const_cast<RegionStats&>(region_->stats()); }

  // The page heap's bitmaps and records, and behind them the slab pool's.
  [[nodiscard]] Bitmap::Word* pages_metadata() const {
    return reinterpret_cast<Bitmap::Word*>(region_.mapping().data() + sizeof(Region));
  }
  [[nodiscard]] Bitmap::Word* pool_metadata() const {
    return pages_metadata() +
           (PageHeap::metadata_size(region_.page_count()) / sizeof(Bitmap::Word));
  }

  MappedRegion region_{8};
};

TEST_F(RegionProblemTest, AProblemOfThePageHeap) {
  pages_metadata()[0] |= 1U << 5;  // a live run past the mark
  EXPECT_EQ(problem_of(region_), "a run starts past the high-water mark");
}

TEST_F(RegionProblemTest, AProblemOfTheSlabPool) {
  pool_metadata()[0] = 0;  // no page is a slab
  EXPECT_EQ(problem_of(region_), "slabs are miscounted");
}

TEST_F(RegionProblemTest, OneRunTooMany) {
  ++stats().live_runs;
  EXPECT_EQ(problem_of(region_), "live runs are miscounted");
}

TEST_F(RegionProblemTest, OneRunTooFew) {
  --stats().live_runs;
  EXPECT_EQ(problem_of(region_), "live runs are miscounted");
}

TEST_F(RegionProblemTest, MiscountedBytes) {
  stats().live_bytes += 8;
  EXPECT_EQ(problem_of(region_), "live bytes are miscounted");
  stats().live_bytes -= 16;
  EXPECT_EQ(problem_of(region_), "live bytes are miscounted");
}

TEST_F(RegionProblemTest, APeakBelowWhatIsLive) {
  stats().peak_bytes -= 1;
  EXPECT_EQ(problem_of(region_), "the peak is below what is live");
}

TEST_F(RegionProblemTest, IsValidSaysTheSame) {
  EXPECT_TRUE(region_->is_valid());
  stats().live_bytes += 8;
  EXPECT_FALSE(region_->is_valid());
}

TEST(RegionDeathTest, RefusesMisuse) {
  const MappedRegion region(4);
  EXPECT_DEATH(region->allocate_aligned(8, 0), "has_single_bit");
  EXPECT_DEATH(region->allocate_aligned(8, 24), "has_single_bit");
  EXPECT_DEATH(region->allocate_run(8, 0), "has_single_bit");
  EXPECT_DEATH(region->allocate_run(8, 3 * kPageSize), "has_single_bit");
  EXPECT_DEATH(Region::create(region.mapping().data(), kMaxPages + 1), "page_count <= kMaxPages");
}
#endif

}  // namespace
}  // namespace slabring
