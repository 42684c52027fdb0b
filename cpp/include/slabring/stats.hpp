// A region's counters, in linear memory: JavaScript reads them through a typed array at offsets
// generated from this struct. All are 32-bit: a region has at most 2^16 pages and less than
// 2^32 bytes in blocks.
#pragma once

#include <cstdint>

#include "slabring/size_classes.hpp"

namespace slabring {

struct SizeClassStats {
  std::uint32_t cell_size;   // bytes
  std::uint32_t live_cells;  // handed out and not freed
  std::uint32_t slabs;       // pages cut into cells of this class
};

struct RegionStats {
  std::uint32_t page_count;        // the region's pages, without its metadata
  std::uint32_t high_water_pages;  // ever handed out; all above were never touched
  std::uint32_t pages_in_use;      // in slabs and runs
  std::uint32_t live_bytes;        // in cells and runs handed out, as rounded up to their size
  std::uint32_t peak_bytes;        // the most that live_bytes ever was
  std::uint32_t live_runs;         // blocks with pages of their own
  SizeClassStats size_classes[kSizeClasses];
};

// What the last sr_alloc_row() gave, besides the address that it returned.
struct RowResult {
  std::uint32_t count;
  std::uint32_t zero;   // 1 or 0
  std::uint32_t fresh;  // 1 or 0
};

}  // namespace slabring
