// The page heap: a region's memory in runs of 64 KiB pages.
//
//      0                                   high_water              page_count
//      | live run | free | live | free run |  never handed out          |
//        ^head               ^head         known zero: nobody touched it
//
// Where a run is, is known from outside it: one record a page, and two bitmaps with the
// heads of live and of free runs. A free run's last page names its head, so a freed run finds
// both neighbours without a search. Free runs hang in bins by size, eight bins a doubling, with a
// bitmap of the bins that hold any.
//
// Zero: a page at or past the high-water mark was never touched and reads as zero without costing
// memory. Below it, `dirty` holds the pages that may hold other bytes. Only these need clearing.
//
// Costs: allocate and free are O(1) but for the dirty bits, which are O(pages / 64). Where no bin
// holds a run that is surely long enough, the bins that may (a single one, where no alignment
// is asked for) are walked before giving up.
// Invariants: is_valid() re-counts them all; two free runs never touch each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slabring/bitmap.hpp"

namespace slabring {

inline constexpr std::uint32_t kPageBits = 16;
inline constexpr std::uint32_t kPageSize = 1U << kPageBits;
// 32-bit linear memory has this many pages; indices and counts fit in 32 bits with room.
inline constexpr std::uint32_t kMaxPages = 1U << (32 - kPageBits);

class PageHeap {
 public:
  static constexpr std::uint32_t kNoPage = UINT32_MAX;

  // Bytes of metadata for that many pages, a multiple of 8.
  static std::size_t metadata_size(std::uint32_t page_count);

  // `metadata` is metadata_size(page_count) zero bytes, 8-byte aligned, that outlive the heap.
  // The pages themselves are all zero and are never read or written here. `first_page` is the
  // index of page 0 in the address space: alignment counts from there.
  PageHeap(void* metadata, std::uint32_t page_count, std::uint32_t first_page = 0);

  // The first page of a run of `pages` pages whose index in the address space is a multiple of
  // `alignment` pages (a power of two), or kNoPage with nothing changed.
  std::uint32_t allocate(std::uint32_t pages, std::uint32_t alignment = 1);

  // Gives back the run whose first page is `head`: is_live(head) must be true.
  void free(std::uint32_t head);

  // Whether a live run starts at this page. False for any other number.
  [[nodiscard]] bool is_live(std::uint32_t page) const {
    return page < page_count_ && live_.test(page);
  }

  // Pages of the run, live or free, that starts at `head`.
  [[nodiscard]] std::uint32_t run_pages(std::uint32_t head) const { return records_[head].pages; }

  // Calls visit(first, count) for each stretch of the live run whose pages may not be zero, as
  // far as the run has not been written to since it was allocated.
  template <class Visit>
  void for_each_dirty(std::uint32_t head, Visit visit) const {
    const std::uint32_t end = head + records_[head].pages;
    std::uint32_t first = dirty_.find_set(head, end);
    while (first != Bitmap::kNone) {
      const std::uint32_t clear = dirty_.find_clear(first, end);
      const std::uint32_t last = clear == Bitmap::kNone ? end : clear;
      visit(first, last - first);
      first = dirty_.find_set(last, end);
    }
  }

  [[nodiscard]] std::uint32_t page_count() const { return page_count_; }
  [[nodiscard]] std::uint32_t high_water() const { return high_water_; }
  [[nodiscard]] std::uint32_t pages_in_use() const { return pages_in_use_; }

  // How many runs are live. O(pages / 64).
  [[nodiscard]] std::uint32_t live_runs() const { return live_.count_range(0, page_count_); }

  // Null when every count, list, bitmap and neighbour agrees; else what does not.
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

 private:
  // What is known of a page. `pages`, `previous` and `next` count in a run's first page, `head` in
  // a free run's last page; elsewhere they are left over from earlier runs and mean nothing.
  struct Record {
    std::uint32_t pages;
    std::uint32_t head;
    std::uint32_t previous;
    std::uint32_t next;
  };

  // Eight bins a doubling, up to 2^16 pages; the first eight hold runs of exactly their number.
  static constexpr std::uint32_t kBins = 128;
  static std::uint32_t bin_of(std::uint32_t pages);

  [[nodiscard]] std::uint32_t align_up(std::uint32_t page, std::uint32_t alignment) const {
    return ((first_page_ + page + alignment - 1) & ~(alignment - 1)) - first_page_;
  }

  [[nodiscard]] bool fits(std::uint32_t run, std::uint32_t pages, std::uint32_t alignment) const;
  [[nodiscard]] std::uint32_t find_run(std::uint32_t pages, std::uint32_t alignment) const;
  [[nodiscard]] std::uint32_t free_run_ending_at(std::uint32_t end) const;
  std::uint32_t extend(std::uint32_t pages, std::uint32_t alignment);
  void link(std::uint32_t head, std::uint32_t pages);
  void unlink(std::uint32_t head);

  std::uint32_t page_count_ = 0;
  std::uint32_t first_page_ = 0;
  std::uint32_t high_water_ = 0;
  std::uint32_t pages_in_use_ = 0;
  Record* records_ = nullptr;
  Bitmap live_;   // heads of live runs
  Bitmap free_;   // heads of free runs
  Bitmap dirty_;  // pages below the high-water mark that may not be zero
  Bitmap::Word bin_words_[Bitmap::words_for(kBins)] = {};
  std::uint32_t bins_[kBins] = {};
};

}  // namespace slabring
