// A program of the build, not of the module: prints the JavaScript module with every number that
// both sides must agree on, as the wasm compiler lays them out. Offsets are in 32-bit words, for
// use as indices of a Uint32Array or Int32Array, those of doubles in 64-bit words.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "slabring/arena.hpp"
#include "slabring/async_id_stack.hpp"
#include "slabring/page_heap.hpp"
#include "slabring/size_classes.hpp"
#include "slabring/stats.hpp"
#include "slabring/tick_queue.hpp"

namespace {

using slabring::Arena;
using slabring::AsyncIdStack;
using slabring::RegionStats;
using slabring::RowResult;
using slabring::SizeClassStats;
using slabring::TickQueue;

void constant(const char* name, std::size_t value) {
  std::printf("export const %s = %zu;\n", name, value);
}

constexpr std::size_t words(std::size_t bytes) { return bytes / sizeof(std::uint32_t); }

constexpr std::size_t doubles(std::size_t bytes) { return bytes / sizeof(double); }

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
  constant("ROW_FRESH", words(offsetof(RowResult, fresh)));

  constant("ARENA_FIRST", Arena::kFirst);
  constant("ARENA_ALIGNMENT", Arena::kAlignment);
  constant("ARENA_MAX_ALIGNMENT", Arena::kMaxAlignment);
  constant("ARENA_MAX_SIZE", Arena::kMaxSize);
  constant("ARENA_WORDS", words(sizeof(Arena)));
  constant("ARENA_WINDOW_SIZE", Arena::kWindowSize);
  constant("ARENA_BASE", words(offsetof(Arena::Control, base)));
  constant("ARENA_TOP", words(offsetof(Arena::Control, top)));
  constant("ARENA_END", words(offsetof(Arena::Control, end)));
  constant("ARENA_HIGH_WATER", words(offsetof(Arena::Control, high_water)));

  constant("TICK_SLOTS", TickQueue::kSlots);
  constant("TICK_SPARES", TickQueue::kSpares);
  constant("TICK_IDLE", TickQueue::kIdle);
  constant("TICK_HOOKED", TickQueue::kHooked);
  constant("TICK_REFUSED", TickQueue::kRefused);
  constant("TICK_IN_NATIVE", TickQueue::kInNative);
  constant("TICK_HEAD", words(offsetof(TickQueue::Control, head)));
  constant("TICK_TAIL", words(offsetof(TickQueue::Control, tail)));
  constant("TICK_HEAD_SEGMENT", words(offsetof(TickQueue::Control, head_segment)));
  constant("TICK_TAIL_SEGMENT", words(offsetof(TickQueue::Control, tail_segment)));
  constant("TICK_DRAINS", words(offsetof(TickQueue::Control, drains)));
  constant("TICK_STATE", words(offsetof(TickQueue::Control, state)));
  constant("SEGMENT_IDS", words(offsetof(TickQueue::Segment, ids)));
  constant("SEGMENT_NUMBER", words(offsetof(TickQueue::Segment, number)));
  constant("SEGMENT_WORDS", words(sizeof(TickQueue::Segment)));

  constant("ASYNC_EXECUTION_ID", doubles(offsetof(AsyncIdStack::Control, execution_id)));
  constant("ASYNC_TRIGGER_ID", doubles(offsetof(AsyncIdStack::Control, trigger_id)));
  constant("ASYNC_LAST_ID", doubles(offsetof(AsyncIdStack::Control, last_id)));
  constant("ASYNC_DEPTH", words(offsetof(AsyncIdStack::Control, depth)));
  constant("ASYNC_CAPACITY", words(offsetof(AsyncIdStack::Control, capacity)));
  constant("ASYNC_BASE", words(offsetof(AsyncIdStack::Control, base)));
  constant("ASYNC_PAIRS", words(offsetof(AsyncIdStack::Control, pairs)));
}
