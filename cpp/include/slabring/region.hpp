// A region: one stretch of memory that never moves and never grows, and everything that hands it
// out. In WebAssembly it is the linear memory above the program's own data.
//
//   memory                                                                   memory + pages
//   | Region | page records, bitmaps | slabs' bitmaps | page 0 | page 1 | ...              |
//     metadata, whole pages, untouched until used       64 KiB aligned: slabs, runs
//
// Blocks up to 32 KiB are cells of the slab pool, larger ones runs of the page heap. A block stays
// where it is until it is freed. Its owner may write all of usable_size(); nothing of ours is
// there.
//
// Zeroed blocks cost nothing where their memory is known to be zero: fresh pages, and cells of
// fresh slabs that were never handed out. Only the rest is cleared. Idea: Node's zero-fill change
// (pull request 21989), and mimalloc's page flags.
//
// Costs: O(1), or O(pages / 64) for runs, next to the bytes that really must be cleared.
// Not thread-safe: a region belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slabring/page_heap.hpp"
#include "slabring/slab_pool.hpp"
#include "slabring/stats.hpp"

namespace slabring {

class Region {
 public:
  // Builds a region in `page_count` pages at `memory`, 64 KiB aligned, which nobody has ever
  // written to and which must outlive it. The Region itself is placed at its start. Null when the
  // metadata would leave no page to hand out. Pages, not bytes: 4 GiB do not fit in 32 bits.
  static Region* create(void* memory, std::uint32_t page_count);

  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // A block of at least `size` bytes, 8-byte aligned, with any contents; null when there is no
  // room (trim() may make some), and then nothing changed. A block of 0 bytes is a block like any
  // other.
  void* allocate(std::size_t size);

  // The same, every one of its `size` bytes zero.
  void* allocate_zeroed(std::size_t size);

  // A row of 1 to `most` cells of one size class, each a block to be freed by itself: what
  // JavaScript's views are made on. No block of C++ is in the same slab.
  struct Row {
    void* first;          // null when there is no room, and then nothing changed
    std::uint32_t count;  // cells, kCellSizes[size_class] bytes apart
    bool zero;            // whether every byte of them is known to be zero
    bool fresh;           // whether their slab was made just now
  };
  Row allocate_row(std::uint32_t size_class, std::uint32_t most);

  // The same as allocate, aligned to `alignment`, a power of two of at most 2^31.
  void* allocate_aligned(std::size_t size, std::size_t alignment);

  // Like allocate_aligned, but always whole pages of its own, whatever the size: it shares them
  // with no other block, and all of them come back when it is freed.
  void* allocate_run(std::size_t size, std::size_t alignment = kPageSize);

  // Frees the block at `block`. False, with nothing changed, when no live block starts there.
  bool free(void* block);

  // Frees all cells in use of the slab of rows that `block` lies in, but for the `keep` from there
  // on, which are in use and of one row: what is done when no view of the others exists any more.
  // Returns their bytes; 0, with nothing changed, when there are none, or no such slab.
  std::size_t reclaim(const void* block, std::uint32_t keep);

  // Bytes that may be used at `block`; 0 when no live block starts there.
  [[nodiscard]] std::size_t usable_size(const void* block) const;

  // Gives empty slabs back to the page heap; returns how many pages that were.
  std::uint32_t trim() { return pool_.trim(); }

  // Counters as of now. The reference stays valid and is refreshed by each call.
  const RegionStats& stats();

  // Null when everything that can be counted twice agrees; else what does not. O(everything).
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

  // To look at only: what each page is used for.
  [[nodiscard]] const PageHeap& pages() const { return pages_; }
  [[nodiscard]] const SlabPool& pool() const { return pool_; }

 private:
  static constexpr std::uint32_t kNone = SlabPool::kNone;

  struct Block {
    std::uint32_t offset;  // kNone when there is no room
    bool zero;
  };

  Region(std::byte* pages_metadata, std::byte* pool_metadata, std::byte* base,
         std::uint32_t page_count);

  Block take(std::size_t size);
  Block take_cell(std::uint32_t size_class);
  Block take_run(std::size_t size, std::size_t alignment);
  void count(std::uint32_t bytes);
  [[nodiscard]] bool is_run(std::uint32_t offset) const;
  [[nodiscard]] void* address(std::uint32_t offset) const;
  [[nodiscard]] std::uint32_t offset_of(const void* block) const;

  std::byte* base_;  // of page 0
  RegionStats stats_{};
  PageHeap pages_;
  SlabPool pool_;
};

}  // namespace slabring
