// A program of the build, not of the module: prints the JavaScript module with every number that
// both sides must agree on, as the wasm compiler lays them out. Offsets are in 32-bit words, for
// use as indices of a Uint32Array.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "slabring/page_heap.hpp"
#include "slabring/size_classes.hpp"
#include "slabring/stats.hpp"

namespace {

using slabring::RegionStats;
using slabring::RowResult;
using slabring::SizeClassStats;

void constant(const char* name, std::size_t value) {
  std::printf("export const %s = %zu;\n", name, value);
}

constexpr std::size_t words(std::size_t bytes) { return bytes / sizeof(std::uint32_t); }

}  // namespace

int main() {
  std::puts("// Made by the build from the C++ headers.");
  constant("PAGE_SIZE", slabring::kPageSize);
  constant("MAX_PAGES", slabring::kMaxPages);
  constant("MIN_ALIGNMENT", slabring::kMinAlignment);
  constant("MAX_CELL_SIZE", slabring::kMaxCellSize);
  constant("SIZE_CLASSES", slabring::kSizeClasses);

  constant("STATS_PAGE_COUNT", words(offsetof(RegionStats, page_count)));
  constant("STATS_HIGH_WATER_PAGES", words(offsetof(RegionStats, high_water_pages)));
  constant("STATS_PAGES_IN_USE", words(offsetof(RegionStats, pages_in_use)));
  constant("STATS_LIVE_BYTES", words(offsetof(RegionStats, live_bytes)));
  constant("STATS_PEAK_BYTES", words(offsetof(RegionStats, peak_bytes)));
  constant("STATS_LIVE_RUNS", words(offsetof(RegionStats, live_runs)));
  constant("STATS_SIZE_CLASSES", words(offsetof(RegionStats, size_classes)));

  constant("CLASS_STATS_WORDS", words(sizeof(SizeClassStats)));
  constant("CLASS_STATS_CELL_SIZE", words(offsetof(SizeClassStats, cell_size)));
  constant("CLASS_STATS_LIVE_CELLS", words(offsetof(SizeClassStats, live_cells)));
  constant("CLASS_STATS_SLABS", words(offsetof(SizeClassStats, slabs)));

  constant("ROW_COUNT", words(offsetof(RowResult, count)));
  constant("ROW_ZERO", words(offsetof(RowResult, zero)));
}
