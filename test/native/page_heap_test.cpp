#include "slabring/page_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mirror.hpp"

namespace slabring {
namespace {

using test::PageHeapMirror;

constexpr std::uint32_t kNoPage = PageHeap::kNoPage;

// A page heap with exactly its metadata, so that a sanitizer sees a step outside it.
class Heap {
 public:
  explicit Heap(std::uint32_t pages, std::uint32_t first_page = 0)
      : words_(PageHeap::metadata_size(pages) / sizeof(Bitmap::Word)),
        heap_(words_.data(), pages, first_page) {}

  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap() = default;

  PageHeap* operator->() { return &heap_; }
  PageHeap& operator*() { return heap_; }

  using Stretches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // The stretches of the live run at `head` that may not be zero: first page and count.
  [[nodiscard]] Stretches dirty(std::uint32_t head) const {
    Stretches found;
    heap_.for_each_dirty(head, [&found](std::uint32_t first, std::uint32_t count) {
      found.emplace_back(first, count);
    });
    return found;
  }

  [[nodiscard]] std::string problem() const {
    const char* problem = heap_.find_problem();
    return problem == nullptr ? "" : problem;
  }

  // All it knows, to compare: a refused call changes none of it.
  [[nodiscard]] std::vector<Bitmap::Word> snapshot() const {
    std::vector<Bitmap::Word> all = words_;
    all.resize(words_.size() + (sizeof(PageHeap) / sizeof(Bitmap::Word)));
    std::memcpy(all.data() + words_.size(), &heap_, sizeof(PageHeap));
    return all;
  }

  // Allocates one page runs from page 0 on, then frees those in [first, first + count) as one run.
  void leave_free(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t page = first; page < first + count; ++page) heap_.free(page);
  }

  void fill_with_single_pages() {
    while (heap_.allocate(1) != kNoPage) {
    }
  }

  template <class Change>
  void edit(Change change) {
    test::edit<PageHeapMirror>(heap_, change);
  }

 private:
  std::vector<Bitmap::Word> words_;
  PageHeap heap_;
};

// --- size and emptiness --------------------------------------------------------------------------

TEST(PageHeapTest, MetadataSizeIsAMultipleOfAWord) {
  for (std::uint32_t pages = 0; pages < 300; ++pages) {
    EXPECT_EQ(PageHeap::metadata_size(pages) % sizeof(Bitmap::Word), 0U) << pages;
  }
  EXPECT_EQ(PageHeap::metadata_size(kMaxPages) % sizeof(Bitmap::Word), 0U);
}

TEST(PageHeapTest, AFreshHeapHasNothingInUse) {
  Heap heap(8);
  EXPECT_EQ(heap->page_count(), 8U);
  EXPECT_EQ(heap->high_water(), 0U);
  EXPECT_EQ(heap->pages_in_use(), 0U);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, AHeapWithoutPagesRefusesEverything) {
  Heap heap(0);
  EXPECT_EQ(heap->allocate(1), kNoPage);
  EXPECT_EQ(heap->allocate(UINT32_MAX), kNoPage);
  EXPECT_FALSE(heap->is_live(0));
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, AHeapOfOnePageHandsItOutAgainAndAgain) {
  Heap heap(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(heap->allocate(1), 0U);
    EXPECT_EQ(heap->allocate(1), kNoPage);
    heap->free(0);
  }
  EXPECT_EQ(heap->high_water(), 1U);
}

// --- allocate ------------------------------------------------------------------------------------

TEST(PageHeapTest, FreshRunsFollowEachOther) {
  Heap heap(16);
  EXPECT_EQ(heap->allocate(3), 0U);
  EXPECT_EQ(heap->allocate(1), 3U);
  EXPECT_EQ(heap->allocate(5), 4U);
  EXPECT_EQ(heap->high_water(), 9U);
  EXPECT_EQ(heap->pages_in_use(), 9U);
  EXPECT_EQ(heap->run_pages(0), 3U);
  EXPECT_EQ(heap->run_pages(3), 1U);
  EXPECT_EQ(heap->run_pages(4), 5U);
}

TEST(PageHeapTest, AllPagesAtOnceAndNotOneMore) {
  for (const std::uint32_t pages : {1U, 7U, 8U, 63U, 64U, 65U, 1000U}) {
    Heap heap(pages);
    EXPECT_EQ(heap->allocate(pages + 1), kNoPage);
    EXPECT_EQ(heap->allocate(pages), 0U);
    EXPECT_EQ(heap->pages_in_use(), pages);
    EXPECT_EQ(heap->allocate(1), kNoPage);
    heap->free(0);
    EXPECT_EQ(heap->allocate(pages), 0U) << "after it was freed";
  }
}

TEST(PageHeapTest, ARefusalChangesNothing) {
  Heap heap(64);
  heap->allocate(60);
  const std::uint32_t hole = heap->allocate(2);
  heap->allocate(1);
  heap->free(hole);
  const auto before = heap.snapshot();
  for (const std::uint32_t pages : {3U, 4U, 64U, 65U, kMaxPages, kMaxPages + 1, UINT32_MAX}) {
    EXPECT_EQ(heap->allocate(pages), kNoPage) << pages;
  }
  for (std::uint32_t alignment = 64; alignment != 0; alignment *= 2) {
    EXPECT_EQ(heap->allocate(3, alignment), kNoPage) << alignment;
    EXPECT_EQ(heap->allocate(UINT32_MAX, alignment), kNoPage) << alignment;
  }
  EXPECT_EQ(heap.snapshot(), before);
}

TEST(PageHeapTest, AFreedRunOfEachLengthServesItsLengthInAFullHeap) {
  for (std::uint32_t pages = 1; pages <= 300; ++pages) {
    Heap heap(pages + 2);
    ASSERT_EQ(heap->allocate(1), 0U);
    ASSERT_EQ(heap->allocate(pages), 1U);
    ASSERT_EQ(heap->allocate(1), pages + 1);
    heap->free(1);
    ASSERT_EQ(heap->allocate(pages + 1), kNoPage) << pages;
    ASSERT_EQ(heap->allocate(pages), 1U) << pages;
  }
}

TEST(PageHeapTest, ALongerFreeRunIsSplitAndItsRestStaysFree) {
  Heap heap(12);
  heap->allocate(10);
  heap->allocate(2);
  heap->free(0);
  EXPECT_EQ(heap->allocate(4), 0U);
  EXPECT_EQ(heap->allocate(6), 4U);
  EXPECT_EQ(heap->allocate(1), kNoPage);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, ARunBehindTooShortOnesOfItsBinIsFoundInAFullHeap) {
  // 33 to 35 pages share a bin with 32. The last one freed is the first that is looked at.
  Heap heap(35 + 1 + 32 + 1);
  heap->allocate(35);
  heap->allocate(1);
  heap->allocate(32);
  heap->allocate(1);
  heap->free(0);
  heap->free(36);
  EXPECT_EQ(heap->allocate(33), 0U);
}

TEST(PageHeapTest, AHigherBinServesBeforeFreshPages) {
  Heap heap(100);
  heap->allocate(40);
  heap->allocate(1);
  heap->free(0);
  EXPECT_EQ(heap->allocate(3), 0U);
  EXPECT_EQ(heap->high_water(), 41U);
}

TEST(PageHeapTest, TheFreeRunBelowTheMarkIsExtended) {
  Heap heap(10);
  heap->allocate(4);
  heap->allocate(2);
  heap->free(4);
  EXPECT_EQ(heap->allocate(6), 4U) << "two freed pages and four fresh ones";
  EXPECT_EQ(heap->high_water(), 10U);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, TheFreeRunBelowTheMarkIsNotExtendedPastTheEnd) {
  Heap heap(10);
  heap->allocate(4);
  heap->allocate(2);
  heap->free(4);
  const auto before = heap.snapshot();
  EXPECT_EQ(heap->allocate(7), kNoPage);
  EXPECT_EQ(heap.snapshot(), before);
}

// --- alignment -----------------------------------------------------------------------------------

TEST(PageHeapTest, AlignmentCountsFromTheStartOfTheAddressSpace) {
  for (std::uint32_t first_page = 0; first_page < 17; ++first_page) {
    for (std::uint32_t alignment = 1; alignment <= 16; alignment *= 2) {
      Heap heap(64, first_page);
      heap->allocate(1);
      const std::uint32_t head = heap->allocate(3, alignment);
      ASSERT_NE(head, kNoPage);
      EXPECT_EQ((first_page + head) % alignment, 0U) << first_page << " by " << alignment;
      EXPECT_EQ(heap.problem(), "");
    }
  }
}

TEST(PageHeapTest, TheGapBeforeAnAlignedRunIsFreeAndClean) {
  Heap heap(16, 1);
  EXPECT_EQ(heap->allocate(1, 8), 7U);
  EXPECT_EQ(heap->high_water(), 8U);
  EXPECT_EQ(heap->pages_in_use(), 1U);
  EXPECT_EQ(heap->allocate(7), 0U) << "the gap";
  EXPECT_EQ(heap.dirty(0), Heap::Stretches());
}

TEST(PageHeapTest, AnAlignedRunInALongFreeRunLeavesBothItsSidesFree) {
  Heap heap(17);
  heap->allocate(1);
  heap->allocate(15);
  heap->allocate(1);
  heap->free(1);
  EXPECT_EQ(heap->allocate(4, 4), 4U);
  EXPECT_EQ(heap->allocate(3), 1U);
  EXPECT_EQ(heap->allocate(8), 8U);
  EXPECT_EQ(heap->allocate(1), kNoPage);
}

TEST(PageHeapTest, AnAlignedRunMayEndAtTheLastPage) {
  Heap heap(16);
  heap->allocate(1);
  EXPECT_EQ(heap->allocate(8, 8), 8U);
  EXPECT_EQ(heap->allocate(8, 8), kNoPage);
  EXPECT_EQ(heap->allocate(7), 1U);
}

TEST(PageHeapTest, AnAlignedRunOnePageTooLongIsRefusedWithNothingChanged) {
  Heap heap(16);
  heap->allocate(1);
  const auto before = heap.snapshot();
  EXPECT_EQ(heap->allocate(9, 8), kNoPage);
  EXPECT_EQ(heap.snapshot(), before);
}

TEST(PageHeapTest, AnAlignedRunJustFreedServesAgainInAFullHeap) {
  Heap heap(8);
  heap->allocate(4);
  EXPECT_EQ(heap->allocate(4, 4), 4U);
  heap->free(4);
  EXPECT_EQ(heap->allocate(4, 4), 4U) << "no longer run is needed where this one is aligned";
}

TEST(PageHeapTest, AnAlignedRunIsFoundInsideAFreeRunThatJustHoldsIt) {
  // Free: 3..8. A run of 4 by 4 fits at 4 alone; 7 pages would be enough for any place.
  Heap heap(9);
  heap.fill_with_single_pages();
  heap.leave_free(3, 6);
  EXPECT_EQ(heap->allocate(4, 4), 4U);
  EXPECT_EQ(heap->allocate(1), 8U);
  EXPECT_EQ(heap->allocate(1), 3U);
}

TEST(PageHeapTest, AnAlignmentAboveThePageCountIsServedWhereAPageHasIt) {
  Heap heap(10, 12);
  EXPECT_EQ(heap->allocate(1, 16), 4U) << "page 16 of the address space";
  EXPECT_EQ(heap->allocate(1, 16), kNoPage);
  EXPECT_EQ(heap->allocate(1, 32), kNoPage);
}

TEST(PageHeapTest, AlignedRunsInTheLargestHeap) {
  Heap heap(kMaxPages);
  heap->allocate(1);
  EXPECT_EQ(heap->allocate(1, kMaxPages / 2), kMaxPages / 2);
  EXPECT_EQ(heap->allocate(1, kMaxPages / 2), kNoPage);
  EXPECT_EQ(heap->allocate((kMaxPages / 2) - 1, 1), 1U);
  EXPECT_EQ(heap->allocate((kMaxPages / 2) - 1, 1), (kMaxPages / 2) + 1);
  EXPECT_EQ(heap->pages_in_use(), kMaxPages);
  EXPECT_EQ(heap->allocate(1), kNoPage);
}

TEST(PageHeapTest, AlignmentNearTheEndOfTheAddressSpaceDoesNotWrap) {
  Heap heap(100, kMaxPages - 1);
  EXPECT_EQ(heap->allocate(1, kMaxPages), 1U);
  EXPECT_EQ(heap->allocate(1, 2), 3U);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, TheLargestHeapAtOnce) {
  Heap heap(kMaxPages);
  EXPECT_EQ(heap->allocate(kMaxPages + 1), kNoPage);
  EXPECT_EQ(heap->allocate(kMaxPages), 0U);
  EXPECT_EQ(heap->run_pages(0), kMaxPages);
  EXPECT_EQ(heap->high_water(), kMaxPages);
  heap->free(0);
  EXPECT_EQ(heap->pages_in_use(), 0U);
  EXPECT_EQ(heap->allocate(kMaxPages, kMaxPages), 0U);
}

// --- free ----------------------------------------------------------------------------------------

// Allocates four runs of two pages in a heap of just as many, frees those named, and tells the
// longest run that can be had.
std::uint32_t longest_after_freeing(const std::vector<std::uint32_t>& heads) {
  Heap heap(8);
  for (int i = 0; i < 4; ++i) heap->allocate(2);
  for (const std::uint32_t head : heads) {
    heap->free(head);
    EXPECT_EQ(heap.problem(), "");
  }
  std::uint32_t longest = 8;
  while (longest > 0 && heap->allocate(longest) == kNoPage) --longest;
  return longest;
}

TEST(PageHeapTest, FreedRunsApartStayApart) { EXPECT_EQ(longest_after_freeing({0, 4}), 2U); }
TEST(PageHeapTest, AFreedRunJoinsTheOneBefore) { EXPECT_EQ(longest_after_freeing({0, 2}), 4U); }
TEST(PageHeapTest, AFreedRunJoinsTheOneAfter) { EXPECT_EQ(longest_after_freeing({4, 2}), 4U); }
TEST(PageHeapTest, AFreedRunJoinsBothSides) { EXPECT_EQ(longest_after_freeing({0, 4, 2}), 6U); }
TEST(PageHeapTest, AFreedRunJoinsUpToBothEnds) {
  EXPECT_EQ(longest_after_freeing({0, 6, 2, 4}), 8U);
}

TEST(PageHeapTest, AFreedRunDoesNotJoinFreshPages) {
  Heap heap(8);
  heap->allocate(4);
  heap->free(0);
  EXPECT_EQ(heap->high_water(), 4U);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, StaleLastPagesDoNotFoolTheJoin) {
  // A long free run leaves its head in its last page's record. That page then ends a live run.
  Heap heap(12);
  heap->allocate(8);
  heap->allocate(4);
  heap->free(0);
  EXPECT_EQ(heap->allocate(5), 0U);
  EXPECT_EQ(heap->allocate(3), 5U);
  heap->free(0);
  heap->free(8);
  EXPECT_TRUE(heap->is_live(5));
  EXPECT_EQ(heap->run_pages(5), 3U);
  EXPECT_EQ(heap->pages_in_use(), 3U);
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, OnlyTheFirstPageOfALiveRunIsLive) {
  Heap heap(8);
  heap->allocate(3);
  heap->allocate(2);
  EXPECT_TRUE(heap->is_live(0));
  EXPECT_FALSE(heap->is_live(1));
  EXPECT_FALSE(heap->is_live(2));
  EXPECT_TRUE(heap->is_live(3));
  heap->free(0);
  EXPECT_FALSE(heap->is_live(0)) << "freed";
  EXPECT_FALSE(heap->is_live(5)) << "fresh";
  EXPECT_FALSE(heap->is_live(8)) << "past the end";
  EXPECT_FALSE(heap->is_live(kMaxPages));
  EXPECT_FALSE(heap->is_live(UINT32_MAX));
}

// --- the high-water mark -------------------------------------------------------------------------

TEST(PageHeapTest, TheMarkStaysWhenEverythingIsFreed) {
  Heap heap(16);
  heap->allocate(4);
  heap->allocate(4);
  heap->free(4);
  heap->free(0);
  EXPECT_EQ(heap->high_water(), 8U);
  EXPECT_EQ(heap->pages_in_use(), 0U);
}

TEST(PageHeapTest, TheMarkDoesNotFallForAnAlignedRunBelowIt) {
  // The free run 0..5 is too short to hold 4 pages by 4 wherever it lies, but it lies well.
  Heap heap(16);
  heap->allocate(6);
  heap->free(0);
  EXPECT_EQ(heap->allocate(4, 4), 0U);
  EXPECT_EQ(heap->high_water(), 6U);
  EXPECT_EQ(heap->allocate(2), 4U) << "what is left of the freed run";
  EXPECT_EQ(heap.problem(), "");
}

TEST(PageHeapTest, TheMarkDoesNotFallForALongRunThatIsNotTheFirstOfItsBin) {
  // 32 to 35 pages share a bin; the run of 35 ends at the mark, the one of 32 is looked at first.
  Heap heap(200);
  heap->allocate(32);
  heap->allocate(1);
  heap->allocate(35);
  heap->free(33);
  heap->free(0);
  EXPECT_EQ(heap->allocate(33), 33U);
  EXPECT_EQ(heap->high_water(), 68U);
  EXPECT_EQ(heap->allocate(2), 66U) << "what is left of the freed run";
  EXPECT_EQ(heap.problem(), "");
}

// --- dirty pages ---------------------------------------------------------------------------------

TEST(PageHeapTest, FreshPagesAreClean) {
  Heap heap(200);
  heap->allocate(200);
  EXPECT_EQ(heap.dirty(0), Heap::Stretches());
}

TEST(PageHeapTest, FreedPagesAreDirty) {
  Heap heap(200);
  heap->allocate(200);
  heap->free(0);
  heap->allocate(200);
  EXPECT_EQ(heap.dirty(0), (Heap::Stretches{{0, 200}}));
}

TEST(PageHeapTest, OnlyTheFreedPartOfAnExtendedRunIsDirty) {
  Heap heap(200);
  heap->allocate(70);
  heap->free(0);
  heap->allocate(200);
  EXPECT_EQ(heap.dirty(0), (Heap::Stretches{{0, 70}}));
}

TEST(PageHeapTest, EachDirtyStretchIsVisitedOnce) {
  // Gaps before aligned runs stay clean; the runs themselves become dirty.
  Heap heap(32, 1);
  EXPECT_EQ(heap->allocate(2, 8), 7U);
  EXPECT_EQ(heap->allocate(2, 8), 15U);
  heap->free(7);
  heap->free(15);
  EXPECT_EQ(heap->allocate(32), 0U);
  EXPECT_EQ(heap.dirty(0), (Heap::Stretches{{7, 2}, {15, 2}}));
}

TEST(PageHeapTest, DirtyPagesOutsideARunAreNotVisited) {
  Heap heap(9);
  heap->allocate(3);
  heap->free(0);
  heap->allocate(1);
  heap->allocate(1);
  EXPECT_EQ(heap.dirty(1), (Heap::Stretches{{1, 1}}));
}

TEST(PageHeapTest, ASinglePageIsDirtyAfterItsFirstLife) {
  Heap heap(2);
  EXPECT_EQ(heap->allocate(1), 0U);
  EXPECT_EQ(heap.dirty(0), Heap::Stretches());
  heap->free(0);
  EXPECT_EQ(heap->allocate(1), 0U);
  EXPECT_EQ(heap.dirty(0), (Heap::Stretches{{0, 1}}));
}

// --- against a plain list of pages ---------------------------------------------------------------

class PageModel {
 public:
  PageModel(std::uint32_t pages, std::uint32_t first_page)
      : heap_(pages, first_page), first_page_(first_page), used_(pages), freed_(pages) {}

  void allocate(std::uint32_t pages, std::uint32_t alignment) {
    const std::uint32_t head = heap_->allocate(pages, alignment);
    if (head == kNoPage) {
      ASSERT_FALSE(has_room(pages, alignment)) << pages << " by " << alignment << " refused";
      return;
    }
    ASSERT_LE(head, used_.size() - pages);
    ASSERT_EQ((first_page_ + head) % alignment, 0U);
    ASSERT_EQ(heap_->run_pages(head), pages);
    for (std::uint32_t page = head; page < head + pages; ++page) {
      ASSERT_FALSE(used_[page]) << "page " << page << " handed out twice";
      used_[page] = true;
    }
    std::vector<bool> dirty(used_.size());
    for (const auto& [first, count] : heap_.dirty(head)) {
      for (std::uint32_t page = first; page < first + count; ++page) dirty[page] = true;
    }
    for (std::uint32_t page = 0; page < used_.size(); ++page) {
      const bool expected = page >= head && page - head < pages && freed_[page];
      ASSERT_EQ(dirty[page], expected) << "page " << page;
    }
    runs_.emplace_back(head, pages);
    in_use_ += pages;
  }

  void free(std::uint32_t which) {
    if (runs_.empty()) return;
    std::swap(runs_[which % runs_.size()], runs_.back());
    const auto [head, pages] = runs_.back();
    runs_.pop_back();
    heap_->free(head);
    for (std::uint32_t page = head; page < head + pages; ++page) {
      used_[page] = false;
      freed_[page] = true;
    }
    in_use_ -= pages;
  }

  void check() {
    ASSERT_EQ(heap_->pages_in_use(), in_use_);
    ASSERT_GE(heap_->high_water(), high_water_) << "the mark fell";
    high_water_ = heap_->high_water();
    for (std::uint32_t page = high_water_; page < used_.size(); ++page) {
      ASSERT_FALSE(used_[page] || freed_[page]) << "page " << page << " is past the mark";
    }
    for (const auto& [head, pages] : runs_) ASSERT_TRUE(heap_->is_live(head));
    ASSERT_EQ(heap_.problem(), "");
  }

 private:
  [[nodiscard]] bool has_room(std::uint32_t pages, std::uint32_t alignment) const {
    std::uint32_t free_pages = 0;
    for (std::uint32_t end = static_cast<std::uint32_t>(used_.size()); end-- > 0;) {
      free_pages = used_[end] ? 0 : free_pages + 1;
      if (free_pages >= pages && (first_page_ + end) % alignment == 0) return true;
    }
    return false;
  }

  Heap heap_;
  std::uint32_t first_page_;
  std::uint32_t in_use_ = 0;
  std::uint32_t high_water_ = 0;
  std::vector<bool> used_;
  std::vector<bool> freed_;  // ever: such a page may hold anything
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_;
};

class PageHeapModelTest : public testing::TestWithParam<unsigned> {};

TEST_P(PageHeapModelTest, AgreesWithAListOfPages) {
  std::mt19937 random(GetParam());
  const std::uint32_t pages = 1 + (random() % 160);
  PageModel model(pages, random() % 64);
  const std::uint32_t longest = 1 + (random() % 48);
  for (int step = 0; step < 1500; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    // Waves, so that the heap gets full and empty.
    const bool grow = (step / 100) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;
    if (grow) {
      const std::uint32_t alignment = random() % 3 == 0 ? 1U << (random() % 6) : 1;
      model.allocate(1 + (random() % longest), alignment);
    } else {
      model.free(random());
    }
    if (HasFatalFailure()) return;
    ASSERT_NO_FATAL_FAILURE(model.check());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PageHeapModelTest, testing::Range(1U, 25U));

// --- find_problem() notices ----------------------------------------------------------------------

#if SLABRING_ASSERT_LEVEL >= 1  // without assertions a problem is a place, not a text

// 0..1 live, 2..5 free, 6 live, 7 free, 8..9 live, 10..15 fresh.
class PageHeapProblemTest : public testing::Test {
 protected:
  PageHeapProblemTest() {
    heap_->allocate(2);
    heap_->allocate(4);
    heap_->allocate(1);
    heap_->allocate(1);
    heap_->allocate(2);
    heap_->free(2);
    heap_->free(7);
  }

  void SetUp() override { ASSERT_EQ(heap_.problem(), ""); }

  template <class Change>
  std::string problem_after(Change change) {
    heap_.edit(change);
    return heap_.problem();
  }

  Heap heap_{16};
};

TEST_F(PageHeapProblemTest, AMarkPastTheEnd) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.high_water = 17; }),
            "the high-water mark is past the end");
}

TEST_F(PageHeapProblemTest, ARunNeitherLiveNorFree) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.live.clear(0); }),
            "a run starts that is neither live nor free, or both");
}

TEST_F(PageHeapProblemTest, ARunBothLiveAndFree) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.live.set(2); }),
            "a run starts that is neither live nor free, or both");
}

TEST_F(PageHeapProblemTest, ARunWithoutPages) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[6].pages = 0; }),
            "a run's length is impossible");
}

TEST_F(PageHeapProblemTest, ARunPastTheMark) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[8].pages = 3; }),
            "a run's length is impossible");
}

TEST_F(PageHeapProblemTest, ALiveRunInsideAnother) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.live.set(1); }),
            "a run starts inside another");
}

TEST_F(PageHeapProblemTest, AFreeRunInsideAnother) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.free.set(5); }),
            "a run starts inside another");
}

TEST_F(PageHeapProblemTest, TwoFreeRunsThatTouch) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) {
              heap.records[2].pages = 1;
              heap.records[2].head = 2;
              heap.records[3] = test::PageRecord{3, 0, kNoPage, kNoPage};
              heap.free.set(3);
            }),
            "two free runs touch");
}

TEST_F(PageHeapProblemTest, AFreeRunWhoseLastPageNamesAnother) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[5].head = 3; }),
            "a free run's last page names another");
}

TEST_F(PageHeapProblemTest, MiscountedPages) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { ++heap.pages_in_use; }),
            "pages in use are miscounted");
}

TEST_F(PageHeapProblemTest, ALiveRunPastTheMark) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.live.set(10); }),
            "a run starts past the high-water mark");
}

TEST_F(PageHeapProblemTest, AFreeRunPastTheMark) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.free.set(15); }),
            "a run starts past the high-water mark");
}

TEST_F(PageHeapProblemTest, ADirtyPagePastTheMark) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.dirty.set(10); }),
            "an untouched page is marked dirty");
}

TEST_F(PageHeapProblemTest, AFilledBinThatItsBitmapDoesNotName) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.bin_words[0] &= ~Bitmap::Word{2}; }),
            "the bitmap of bins is wrong");
}

TEST_F(PageHeapProblemTest, AnEmptyBinThatTheBitmapNames) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.bin_words[1] |= 1; }),
            "the bitmap of bins is wrong");
}

TEST_F(PageHeapProblemTest, ALiveRunInABin) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.bins[1] = 6; }),
            "a bin holds a run that is not free");
}

TEST_F(PageHeapProblemTest, ANumberThatIsNoPageInABin) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[7].next = 1U << 30; }),
            "a bin holds a run that is not free");
}

TEST_F(PageHeapProblemTest, AFreeRunInAnotherLengthsBin) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { std::swap(heap.bins[1], heap.bins[4]); }),
            "a free run hangs in the wrong bin");
}

TEST_F(PageHeapProblemTest, ABinsListWithAWrongLinkBack) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[7].previous = 2; }),
            "a bin's list is broken");
}

TEST_F(PageHeapProblemTest, ACircularListOfABin) {
  // Whoever follows it comes to a run a second time, from another side than its link back says.
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) { heap.records[7].next = 7; }),
            "a bin's list is broken");
}

TEST_F(PageHeapProblemTest, AFreeRunInNoBin) {
  EXPECT_EQ(problem_after([](PageHeapMirror& heap) {
              heap.bins[4] = kNoPage;
              heap.bin_words[0] &= ~(Bitmap::Word{1} << 4);
            }),
            "a free run hangs in no bin");
}

TEST_F(PageHeapProblemTest, IsValidSaysTheSame) {
  EXPECT_TRUE(heap_->is_valid());
  heap_.edit([](PageHeapMirror& heap) { ++heap.pages_in_use; });
  EXPECT_FALSE(heap_->is_valid());
}

TEST(PageHeapDeathTest, RefusesMisuse) {
  Heap heap(8);
  heap->allocate(2);
  EXPECT_DEATH(heap->allocate(0), "pages > 0");
  EXPECT_DEATH(heap->allocate(1, 0), "has_single_bit");
  EXPECT_DEATH(heap->allocate(1, 3), "has_single_bit");
  EXPECT_DEATH(heap->free(1), "is_live");
  EXPECT_DEATH(heap->free(2), "is_live");
  EXPECT_DEATH(heap->free(8), "is_live");
  EXPECT_DEATH(heap->free(kNoPage), "is_live");
}

TEST(PageHeapDeathTest, RefusesASecondFree) {
  Heap heap(8);
  heap->allocate(2);
  heap->free(0);
  EXPECT_DEATH(heap->free(0), "is_live");
}

TEST(PageHeapDeathTest, RefusesMorePagesThanAnAddressHas) {
  std::vector<Bitmap::Word> words(PageHeap::metadata_size(1) / sizeof(Bitmap::Word));
  EXPECT_DEATH(PageHeap(words.data(), kMaxPages + 1), "page_count <= kMaxPages");
  EXPECT_DEATH(PageHeap(words.data(), 1, kMaxPages), "first_page < kMaxPages");
}
#endif

}  // namespace
}  // namespace slabring
