// The slab pool: cells of 41 sizes from slabs of one page each.
//
//   class 0 (16 B)   slab -> slab -> slab      each with at least one free cell
//   class 1 (24 B)   slab
//   ...                                        full slabs hang in no list: nothing looks at them
//
// There are two such tables, one of C++'s slabs and one of JavaScript's: see Tenant.
//
// A cell comes from the first slab of its class's list; a slab leaves the list when it is full and
// comes back to its front when a cell of it is freed. A slab whose last cell is freed goes back to
// the page heap, unless it is the only one of its list: a lone buffer allocated and freed in turns
// shall not fetch and return a page each time.
//
// Costs: allocate and free are O(1), but for the first cell of a new slab, which is
// O(bitmap words), as is reclaim. Blocks are named by their offset in bytes from the region's first
// page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slabring/bitmap.hpp"
#include "slabring/page_heap.hpp"
#include "slabring/slab.hpp"
#include "slabring/stats.hpp"

namespace slabring {

class SlabPool {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Cells {
    std::uint32_t offset;  // of the first; kNone when there is no memory
    std::uint32_t count;   // cells, one right after another
    bool zero;             // whether every byte of them is known to be zero
    bool fresh;            // whether their slab was made just now
  };

  // Bytes of metadata for that many pages, a multiple of 8.
  static std::size_t metadata_size(std::uint32_t page_count);

  // `metadata` is metadata_size(pages.page_count()) zero bytes, 8-byte aligned; it, `pages` and
  // `stats` outlive the pool. Only the pages' slabs are counted in `stats`.
  SlabPool(void* metadata, PageHeap& pages, RegionStats& stats);

  // A row of 1 to `most` cells, each a block of its own: as long a row as one word of a slab's
  // bitmap has, which is 64 cells in a fresh slab.
  Cells allocate(std::uint32_t size_class, std::uint32_t most = 1, Tenant tenant = Tenant::kNative);

  // Whether that page is a slab.
  [[nodiscard]] bool owns(std::uint32_t page) const {
    return page < slab_pages_.size() && slab_pages_.test(page);
  }

  // What is known of it. owns(page) must be true.
  [[nodiscard]] const Slab& slab(std::uint32_t page) const { return slabs_[page]; }

  // Bytes of the cell in use that starts at `offset`; 0 when none does. owns(page) must be true.
  [[nodiscard]] std::uint32_t cell_size(std::uint32_t offset) const;

  // Frees the cell that starts at `offset` and returns its bytes; 0, with nothing changed, when no
  // cell in use starts there. owns(page) must be true.
  std::uint32_t free(std::uint32_t offset);

  // Frees all cells in use of the slab of views that `offset` lies in, but for the `keep` from
  // there on, which are in use and of one row, and returns their bytes. 0, with nothing changed,
  // when there are none, or no such slab. `keep` 0: any offset in the slab will do.
  std::uint32_t reclaim(std::uint32_t offset, std::uint32_t keep);

  // Gives the empty slabs that were kept back to the page heap, and returns how many.
  // O(size classes + slabs with room).
  std::uint32_t trim();

  // Null when every slab, list and count agrees; else what does not.
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

 private:
  static constexpr std::uint32_t kNoSlab = PageHeap::kNoPage;
  static constexpr std::uint32_t kLists = kTenants * kSizeClasses;

  static std::uint32_t page_of(std::uint32_t offset) { return offset >> kPageBits; }

  // The cell in use that starts at `offset`, or kNone.
  static std::uint32_t cell_in_use(const Slab& slab, std::uint32_t offset);

  static std::uint32_t list_of(std::uint32_t size_class, Tenant tenant) {
    return (static_cast<std::uint32_t>(tenant) * kSizeClasses) + size_class;
  }
  static std::uint32_t list_of(const Slab& slab) { return list_of(slab.size_class, slab.tenant); }

  std::uint32_t add_slab(std::uint32_t size_class, Tenant tenant);
  void remove_if_empty(std::uint32_t page);
  void remove_slab(std::uint32_t page);
  void link(std::uint32_t page);
  void unlink(std::uint32_t page);

  PageHeap& pages_;
  RegionStats& stats_;
  Slab* slabs_;        // one a page; the entry of a page that is no slab means nothing
  Bitmap slab_pages_;  // which pages are slabs
  std::uint32_t lists_[kLists];
};

}  // namespace slabring
