#include "slabring/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mapping.hpp"

namespace slabring {
namespace {

using test::MappedRegion;

constexpr std::size_t kSize = 1000;
constexpr Arena::Pointer kFirst = Arena::kFirst;

std::string problem_of(const Arena& arena) {
  const char* problem = arena.find_problem();
  return problem == nullptr ? "" : problem;
}

class ArenaTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(problem_of(*arena_), ""); }

  // A pointer, or 0.
  Arena::Pointer alloc(std::size_t bytes, std::size_t alignment = Arena::kAlignment) {
    const void* block = arena_->alloc(bytes, alignment);
    return block == nullptr ? 0 : arena_->pointer_to(block);
  }

  MappedRegion region_{64};
  Arena* arena_ = Arena::create(*region_, kSize);
};

TEST_F(ArenaTest, BeginsEmpty) {
  EXPECT_EQ(arena_->used(), 0U);
  EXPECT_EQ(arena_->high_water(), 0U);
  EXPECT_EQ(arena_->size(), kSize);
  EXPECT_EQ(arena_->mark(), kFirst);
}

TEST_F(ArenaTest, IsOneBlockOfTheRegion) {
  EXPECT_EQ(region_->stats().live_runs, 1U);
  EXPECT_EQ(region_->stats().live_bytes, kPageSize);
  EXPECT_EQ(region_->usable_size(arena_->at(kFirst)), 0U) << "blocks start at the base";
  const auto base = reinterpret_cast<std::uintptr_t>(arena_->at(kFirst)) - kFirst;
  EXPECT_EQ(base % kPageSize, 0U);
  EXPECT_EQ(region_->usable_size(reinterpret_cast<void*>(base)), kPageSize);
}

TEST_F(ArenaTest, GoesBackWhole) {
  Arena::destroy(*region_, arena_);
  EXPECT_EQ(region_->stats().live_bytes, 0U);
  arena_ = Arena::create(*region_, kSize);
}

TEST_F(ArenaTest, HandsOutOneAfterAnother) {
  EXPECT_EQ(alloc(24), kFirst);
  EXPECT_EQ(alloc(8), kFirst + 24);
  EXPECT_EQ(alloc(1), kFirst + 32);
  EXPECT_EQ(alloc(1, 1), kFirst + 33);
  EXPECT_EQ(alloc(1), kFirst + 40);
  EXPECT_EQ(arena_->used(), 41U);
}

TEST_F(ArenaTest, NoBytesHaveAPlaceToo) {
  EXPECT_EQ(alloc(0), kFirst);
  EXPECT_EQ(alloc(0), kFirst);
  EXPECT_EQ(alloc(3, 1), kFirst);
  EXPECT_EQ(alloc(0), kFirst + 8);
  EXPECT_EQ(arena_->used(), 8U);
}

TEST_F(ArenaTest, ServesTheLastByteAndNotOneMore) {
  EXPECT_EQ(alloc(kSize + 1), 0U);
  EXPECT_EQ(alloc(kSize), kFirst);
  EXPECT_EQ(alloc(0, 1), kFirst + kSize);
  EXPECT_EQ(alloc(1, 1), 0U);
  EXPECT_EQ(arena_->used(), kSize);
  auto* bytes = static_cast<std::byte*>(arena_->at(kFirst));
  std::fill_n(bytes, kSize, std::byte{0xFF});
  EXPECT_EQ(arena_->size(), kSize);
}

TEST_F(ArenaTest, AlignmentMayLeaveNoRoom) {
  ASSERT_NE(alloc(kSize - 1, 1), 0U);
  EXPECT_EQ(alloc(0, 64), 0U);
  EXPECT_EQ(alloc(1, 2), 0U);
  EXPECT_EQ(arena_->used(), kSize - 1);
  EXPECT_NE(alloc(1, 1), 0U);
}

TEST_F(ArenaTest, RefusesSizesThatWouldWrapAround) {
  ASSERT_NE(alloc(100), 0U);
  constexpr std::size_t kTwo32 = std::size_t{1} << 32;
  for (std::size_t less = 0; less < 300; ++less) {
    EXPECT_EQ(arena_->alloc(SIZE_MAX - less), nullptr);
    EXPECT_EQ(arena_->alloc(UINT32_MAX - less, 1), nullptr);
    EXPECT_EQ(arena_->alloc(kTwo32 - less, 64), nullptr);
    EXPECT_EQ(arena_->alloc(kTwo32 + less), nullptr);
    EXPECT_EQ(arena_->alloc((kTwo32 / 2) - less), nullptr);
  }
  EXPECT_EQ(arena_->used(), 100U);
}

TEST_F(ArenaTest, AddressesAndPointersAreAlignedAlike) {
  Arena* large = Arena::create(*region_, 1U << 20);
  for (std::size_t alignment = 1; alignment <= Arena::kMaxAlignment; alignment *= 2) {
    static_cast<void>(large->alloc(1, 1));
    const void* block = large->alloc(1, alignment);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    EXPECT_EQ(large->pointer_to(block) % alignment, 0U);
    EXPECT_EQ(large->at(large->pointer_to(block)), block);
  }
  Arena::destroy(*region_, large);
}

TEST_F(ArenaTest, AResetTakesEverythingBack) {
  alloc(100);
  EXPECT_TRUE(arena_->reset());
  EXPECT_EQ(arena_->used(), 0U);
  EXPECT_EQ(alloc(kSize), kFirst);
}

TEST_F(ArenaTest, MarksNest) {
  alloc(10);
  const auto outer = arena_->mark();
  alloc(10);
  const auto inner = arena_->mark();
  alloc(10);
  EXPECT_TRUE(arena_->reset(inner));
  EXPECT_EQ(arena_->used(), 26U);
  EXPECT_TRUE(arena_->reset(inner));
  EXPECT_TRUE(arena_->reset(outer));
  EXPECT_EQ(arena_->used(), 10U);
  EXPECT_EQ(alloc(1, 1), kFirst + 10);
}

TEST_F(ArenaTest, RefusesWhatIsNoMark) {
  alloc(100);
  for (const Arena::Pointer mark : {0U, kFirst - 1, kFirst + 101, kFirst + 1000, UINT32_MAX}) {
    EXPECT_FALSE(arena_->reset(mark));
    EXPECT_EQ(arena_->used(), 100U);
  }
  EXPECT_TRUE(arena_->reset(kFirst + 100));
}

TEST_F(ArenaTest, RemembersTheMostThatWasUsed) {
  alloc(500);
  EXPECT_EQ(arena_->high_water(), 500U);
  arena_->reset();
  EXPECT_EQ(arena_->high_water(), 500U);
  alloc(100);
  arena_->reset();
  EXPECT_EQ(arena_->high_water(), 500U);
  alloc(501);
  EXPECT_EQ(arena_->high_water(), 501U);
}

TEST_F(ArenaTest, TouchesOnlyWhatItsUserTouches) {
  const test::Mapping& mapping = region_.mapping();
  const std::size_t before = test::resident_bytes(mapping.data(), mapping.size());
  Arena* large = Arena::create(*region_, 2U << 20);
  for (int i = 0; i < 1000; ++i) static_cast<void>(large->alloc(1024));
  large->reset();
  const std::size_t after = test::resident_bytes(mapping.data(), mapping.size());
  EXPECT_LE(after - before, 8192U);  // what is known of the pages, and the Arena itself
  Arena::destroy(*region_, large);
}

TEST(ArenaSizeTest, FromOneByteOn) {
  const MappedRegion region(8);
  for (const std::size_t size : {1U, 2U, 7U, 8U, 15U, 16U, 17U}) {
    Arena* arena = Arena::create(*region, size);
    ASSERT_NE(arena, nullptr);
    EXPECT_EQ(arena->size(), size);
    EXPECT_NE(arena->alloc(size, 1), nullptr);
    EXPECT_EQ(arena->alloc(1, 1), nullptr);
    EXPECT_EQ(problem_of(*arena), "");
    Arena::destroy(*region, arena);
  }
  EXPECT_EQ(region->stats().live_bytes, 0U);
}

// Around the size at which the block takes one page more, the bytes and what is behind them do not
// meet each other.
TEST(ArenaSizeTest, AroundAPage) {
  const MappedRegion region(8);
  constexpr std::size_t kRest = kPageSize - Arena::kWindowSize - sizeof(Arena) - kFirst;
  for (std::size_t size = kRest - 40; size < kRest + 40; ++size) {
    Arena* arena = Arena::create(*region, size);
    ASSERT_NE(arena, nullptr);
    EXPECT_EQ(region->stats().live_bytes, kPageSize * (size <= kRest / 16 * 16 ? 1 : 2)) << size;
    std::memset(arena->alloc(size), 0xFF, size);
    EXPECT_EQ(problem_of(*arena), "");
    EXPECT_EQ(arena->size(), size);
    const auto* end = static_cast<std::byte*>(arena->at(kFirst)) + size;
    EXPECT_GE(reinterpret_cast<std::byte*>(arena), end);
    Arena::destroy(*region, arena);
  }
}

TEST(ArenaSizeTest, NullWhenTheRegionHasNoRoom) {
  const MappedRegion region(8);
  const auto before = region.metadata();
  EXPECT_EQ(Arena::create(*region, std::size_t{region.page_count()} * kPageSize), nullptr);
  EXPECT_EQ(Arena::create(*region, Arena::kMaxSize), nullptr);
  EXPECT_EQ(region.metadata(), before);
}

TEST(ArenaSizeTest, TheLargest) {
  const MappedRegion region(8300);
  Arena* arena = Arena::create(*region, Arena::kMaxSize);
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(arena->alloc(Arena::kMaxSize + 1), nullptr);
  EXPECT_NE(arena->alloc(Arena::kMaxSize - 8), nullptr);
  EXPECT_EQ(arena->alloc(1, Arena::kMaxAlignment), nullptr);
  EXPECT_NE(arena->alloc(8), nullptr);
  EXPECT_EQ(arena->used(), Arena::kMaxSize);
  EXPECT_LT(std::uint64_t{arena->mark()} + Arena::kMaxAlignment, std::uint64_t{1} << 30);
  Arena::destroy(*region, arena);
}

// --- beside a model ------------------------------------------------------------------------------

// What an arena should be: a list of blocks, each filled with a byte of its own.
class ArenaModel {
 public:
  ArenaModel(Region& region, std::size_t size, unsigned seed)
      : random_(seed), arena_(Arena::create(region, size)), size_(size) {}

  void step() {
    switch (random_() % 8) {
      case 0:
        marks_.push_back({arena_->mark(), blocks_.size(), used_});
        break;
      case 1:
        reset();
        break;
      default:
        allocate();
    }
    most_ = std::max(most_, used_);
    ASSERT_EQ(arena_->used(), used_);
    ASSERT_EQ(arena_->high_water(), most_);
    ASSERT_EQ(problem_of(*arena_), "");
    for (const Block& block : blocks_) {
      ASSERT_TRUE(test::all_equal(block.bytes, block.size, block.content));
    }
  }

 private:
  struct Block {
    std::byte* bytes;
    std::size_t size;
    std::byte content;
  };
  struct Mark {
    Arena::Pointer mark;
    std::size_t blocks;
    std::size_t used;
  };

  void allocate() {
    const std::size_t bytes = random_() % 16 == 0 ? random_() % (2 * size_) : random_() % 60;
    const std::size_t alignment = std::size_t{1} << (random_() % 8);
    const std::size_t from = (kFirst + used_ + alignment - 1) / alignment * alignment - kFirst;
    auto* block = static_cast<std::byte*>(arena_->alloc(bytes, alignment));
    if (from + bytes > size_) {
      ASSERT_EQ(block, nullptr);
      return;
    }
    ASSERT_EQ(block, static_cast<std::byte*>(arena_->at(kFirst)) + from);
    const auto content = static_cast<std::byte>(random_());
    std::fill_n(block, bytes, content);
    blocks_.push_back({block, bytes, content});
    used_ = from + bytes;
  }

  void reset() {
    if (marks_.empty()) {
      ASSERT_TRUE(arena_->reset());
      blocks_.clear();
      used_ = 0;
      return;
    }
    const std::size_t which = random_() % marks_.size();
    const Mark mark = marks_[which];
    ASSERT_TRUE(arena_->reset(mark.mark));
    if (used_ > mark.used) {
      ASSERT_FALSE(arena_->reset(static_cast<Arena::Pointer>(kFirst + used_)));
    }
    marks_.resize(which);
    blocks_.resize(mark.blocks);
    used_ = mark.used;
  }

  std::mt19937 random_;
  Arena* arena_;
  std::size_t size_;
  std::vector<Block> blocks_;
  std::vector<Mark> marks_;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

TEST(ArenaModelTest, DoesWhatTheModelDoes) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const MappedRegion region(8);
    ArenaModel model(*region, 100 + (seed * 37), seed);
    for (int i = 0; i < 1000; ++i) {
      model.step();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
  }
}

// --- find_problem() notices ----------------------------------------------------------------------

#if SLABRING_ASSERT_LEVEL >= 1  // without assertions a problem is a place, not a text

class ArenaProblemTest : public ArenaTest {
 protected:
  ArenaProblemTest() {
    alloc(500);
    arena_->reset();
    alloc(100);
  }
  void TearDown() override {}

  // It lies in memory that is the test's own.
  Arena::Control& control() { return *reinterpret_cast<Arena::Control*>(arena_); }
};

TEST_F(ArenaProblemTest, NoneAtFirst) { EXPECT_TRUE(arena_->is_valid()); }

TEST_F(ArenaProblemTest, ABaseThatIsNotAligned) {
  control().base += 16;
  EXPECT_EQ(problem_of(*arena_), "an arena's base is not aligned");
}

TEST_F(ArenaProblemTest, AnotherBaseOrEnd) {
  control().base += kPageSize;
  EXPECT_EQ(problem_of(*arena_), "an arena is not at the end of its block");
  control().base -= kPageSize;
  control().end += 16;
  EXPECT_EQ(problem_of(*arena_), "an arena is not at the end of its block");
}

TEST_F(ArenaProblemTest, ATopOutsideOfIt) {
  for (const Arena::Pointer top : {0U, kFirst - 1, control().end + 1, UINT32_MAX}) {
    control().top = top;
    EXPECT_EQ(problem_of(*arena_), "an arena's top is outside of it");
  }
  EXPECT_FALSE(arena_->is_valid());
}

TEST_F(ArenaProblemTest, AHighWaterMarkOutsideOfIt) {
  for (const Arena::Pointer mark : {0U, kFirst - 1, control().end + 1}) {
    control().high_water = mark;
    EXPECT_EQ(problem_of(*arena_), "an arena's high-water mark is outside of it");
  }
}

using ArenaDeathTest = ArenaTest;

TEST_F(ArenaDeathTest, RefusesMisuse) {
  EXPECT_DEATH(static_cast<void>(arena_->alloc(1, 0)), "has_single_bit");
  EXPECT_DEATH(static_cast<void>(arena_->alloc(1, 24)), "has_single_bit");
  EXPECT_DEATH(static_cast<void>(arena_->alloc(1, 2 * kPageSize)), "kMaxAlignment");
  EXPECT_DEATH(static_cast<void>(arena_->at(0)), "pointer >= kFirst");
  EXPECT_DEATH(static_cast<void>(arena_->at(kFirst + kSize + 1)), "control_.end");
  EXPECT_DEATH(static_cast<void>(arena_->pointer_to(this)), "pointer");
  EXPECT_DEATH(Arena::create(*region_, Arena::kMaxSize + 1), "kMaxSize");
}
#endif

}  // namespace
}  // namespace slabring
