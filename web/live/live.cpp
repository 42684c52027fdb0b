// What the live view shows beyond a heap's counters, read where it lies: nothing is kept for it,
// and the module that is shipped has none of this.
#include <cstdint>

#include "module_region.hpp"
#include "slabring/module_ticks.hpp"

namespace {

using slabring::PageHeap;
using slabring::Slab;
using slabring::SlabPool;
using slabring::TickQueue;
using slabring::bindings::module_region;

// As in web/live/page-map.js.
enum Kind : std::uint32_t { kUntouched, kFree, kRun, kSlab };

constexpr std::uint32_t kKindBits = 2;
constexpr std::uint32_t kClassBits = 6;
static_assert(slabring::kSizeClasses <= 1U << kClassBits);

}  // namespace

#define EXPORT(name) __attribute__((export_name(#name), used)) name

extern "C" {

std::uint32_t EXPORT(live_page_count)() { return module_region->pages().page_count(); }

// What the run of pages that starts at `page` is, its kind in the lowest bits. Of a slab, a run of
// one page, its size class and how many of its cells are handed out come next; of others how many
// pages it has. Whoever begins at page 0 and goes on by these numbers sees every page once.
std::uint32_t EXPORT(live_pages_at)(std::uint32_t page) {
  const PageHeap& pages = module_region->pages();
  const SlabPool& pool = module_region->pool();
  if (page >= pages.high_water()) {
    return kUntouched | ((pages.page_count() - page) << kKindBits);
  }
  if (pool.owns(page)) {
    const Slab& slab = pool.slab(page);
    return kSlab | (std::uint32_t{slab.size_class} << kKindBits) |
           (std::uint32_t{slab.used} << (kKindBits + kClassBits));
  }
  return (pages.is_live(page) ? kRun : kFree) | (pages.run_pages(page) << kKindBits);
}

// Of the tick queue: what it links from the next tick to the last one.
std::uint32_t EXPORT(live_tick_segments)() {
  const TickQueue::Control& control = slabring::module_ticks().control();
  if (control.head_segment == nullptr) return 0;
  return control.tail_segment->number - control.head_segment->number + 1;
}

// Pairs of ids that fit before the stack moves.
std::uint32_t EXPORT(live_async_capacity)() {
  return slabring::module_async_ids().control().capacity;
}

}  // extern "C"
