#include "slabring/slab_pool.hpp"

#include <array>

namespace slabring {

namespace {

// 2^32 / size, rounded up: (offset * reciprocal) >> 32 is offset / size exactly for every offset
// in a page, since the error, offset / 2^32, stays below 1 / size.
constexpr auto kReciprocals = [] {
  std::array<std::uint32_t, kSizeClasses> reciprocals{};
  for (std::size_t i = 0; i < kSizeClasses; ++i) {
    reciprocals[i] = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) / kCellSizes[i]) + 1);
  }
  return reciprocals;
}();

}  // namespace

std::size_t SlabPool::metadata_size(std::uint32_t page_count) {
  return (sizeof(Bitmap::Word) * Bitmap::words_for(page_count)) + (sizeof(Slab) * page_count);
}

SlabPool::SlabPool(void* metadata, PageHeap& pages, RegionStats& stats)
    : pages_(pages), stats_(stats) {
  const std::uint32_t page_count = pages.page_count();
  auto* words = static_cast<Bitmap::Word*>(metadata);
  slab_pages_ = Bitmap(words, page_count);
  slabs_ = reinterpret_cast<Slab*>(words + Bitmap::words_for(page_count));
  for (std::uint32_t& list : lists_) list = kNoSlab;
}

std::uint32_t SlabPool::cell_in_use(const Slab& slab, std::uint32_t offset) {
  const std::uint64_t in_page = offset & (kPageSize - 1);
  const auto cell = static_cast<std::uint32_t>((in_page * kReciprocals[slab.size_class]) >> 32);
  const bool starts_here = cell * kCellSizes[slab.size_class] == in_page;
  return starts_here && cell < slab.capacity && !slab.is_free(cell) ? cell : kNone;
}

void SlabPool::link(std::uint32_t page) {
  Slab& slab = slabs_[page];
  std::uint32_t& list = lists_[list_of(slab)];
  slab.previous = kNoSlab;
  slab.next = list;
  if (list != kNoSlab) slabs_[list].previous = page;
  list = page;
}

void SlabPool::unlink(std::uint32_t page) {
  const Slab& slab = slabs_[page];
  if (slab.next != kNoSlab) slabs_[slab.next].previous = slab.previous;
  if (slab.previous != kNoSlab) {
    slabs_[slab.previous].next = slab.next;
  } else {
    lists_[list_of(slab)] = slab.next;
  }
}

std::uint32_t SlabPool::add_slab(std::uint32_t size_class, Tenant tenant) {
  const std::uint32_t page = pages_.allocate(1);
  if (page == PageHeap::kNoPage) return kNoSlab;
  bool zero = true;
  pages_.for_each_dirty(page, [&zero](std::uint32_t, std::uint32_t) { zero = false; });
  slabs_[page].init(size_class, zero, tenant);
  slab_pages_.set(page);
  ++stats_.size_classes[size_class].slabs;
  link(page);
  return page;
}

void SlabPool::remove_slab(std::uint32_t page) {
  unlink(page);
  slab_pages_.clear(page);
  --stats_.size_classes[slabs_[page].size_class].slabs;
  pages_.free(page);
}

SlabPool::Cells SlabPool::allocate(std::uint32_t size_class, std::uint32_t most, Tenant tenant) {
  SR_ASSERT(size_class < kSizeClasses);
  std::uint32_t page = lists_[list_of(size_class, tenant)];
  const bool fresh = page == kNoSlab;
  if (fresh) {
    page = add_slab(size_class, tenant);
    if (page == kNoSlab) return {kNone, 0, false, false};
  }
  Slab& slab = slabs_[page];
  const Slab::Taken taken = slab.take(most);
  if (slab.full()) unlink(page);
  stats_.size_classes[size_class].live_cells += taken.count;
  SR_ASSERT_EXPENSIVE(slab.find_problem() == nullptr);
  return {(page << kPageBits) + (taken.cell * kCellSizes[size_class]), taken.count, taken.zero,
          fresh};
}

std::uint32_t SlabPool::cell_size(std::uint32_t offset) const {
  SR_ASSERT_INTERNAL(owns(page_of(offset)));
  const Slab& slab = slabs_[page_of(offset)];
  return cell_in_use(slab, offset) == kNone ? 0 : kCellSizes[slab.size_class];
}

std::uint32_t SlabPool::free(std::uint32_t offset) {
  SR_ASSERT_INTERNAL(owns(page_of(offset)));
  const std::uint32_t page = page_of(offset);
  Slab& slab = slabs_[page];
  const std::uint32_t cell = cell_in_use(slab, offset);
  if (cell == kNone) return 0;
  if (slab.full()) link(page);
  slab.release(cell);
  SR_ASSERT_EXPENSIVE(slab.find_problem() == nullptr);
  const std::uint32_t size_class = slab.size_class;
  --stats_.size_classes[size_class].live_cells;
  remove_if_empty(page);
  return kCellSizes[size_class];
}

// Unless it is alone in its list.
void SlabPool::remove_if_empty(std::uint32_t page) {
  const Slab& slab = slabs_[page];
  const bool only_one = lists_[list_of(slab)] == page && slab.next == kNoSlab;
  if (slab.used == 0 && !only_one) remove_slab(page);
}

std::uint32_t SlabPool::reclaim(std::uint32_t offset, std::uint32_t keep) {
  const std::uint32_t page = page_of(offset);
  if (!owns(page) || slabs_[page].tenant != Tenant::kViews) return 0;
  Slab& slab = slabs_[page];
  const std::uint32_t first = keep > 0 ? cell_in_use(slab, offset) : 0;
  SR_ASSERT(first != kNone && keep <= slab.used);
  const std::uint32_t freed = slab.used - keep;
  if (freed == 0) return 0;
  if (slab.full()) link(page);
  slab.release_all_but(first, keep);
  SR_ASSERT_EXPENSIVE(slab.find_problem() == nullptr);
  const std::uint32_t size_class = slab.size_class;
  stats_.size_classes[size_class].live_cells -= freed;
  remove_if_empty(page);
  return freed * kCellSizes[size_class];
}

std::uint32_t SlabPool::trim() {
  std::uint32_t removed = 0;
  for (std::uint32_t page : lists_) {
    // A slab is kept empty only when it is alone in its list, so there is at most one; but others
    // may have come before it since.
    while (page != kNoSlab && slabs_[page].used != 0) page = slabs_[page].next;
    if (page == kNoSlab) continue;
    remove_slab(page);
    ++removed;
  }
  return removed;
}

const char* SlabPool::find_problem() const {
  std::uint32_t with_room[kLists] = {};
  std::uint32_t slabs[kSizeClasses] = {};
  std::uint32_t live[kSizeClasses] = {};
  const std::uint32_t end = slab_pages_.size();
  for (std::uint32_t page = slab_pages_.find_set(0, end); page != Bitmap::kNone;
       page = slab_pages_.find_set(page + 1, end)) {
    if (!pages_.is_live(page) || pages_.run_pages(page) != 1)
      return SR_PROBLEM("a slab is no page of ours");
    const Slab& slab = slabs_[page];
    if (const char* problem = slab.find_problem()) return problem;
    ++slabs[slab.size_class];
    live[slab.size_class] += slab.used;
    if (!slab.full()) ++with_room[list_of(slab)];
  }
  for (std::uint32_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    if (slabs[size_class] != stats_.size_classes[size_class].slabs)
      return SR_PROBLEM("slabs are miscounted");
    if (live[size_class] != stats_.size_classes[size_class].live_cells)
      return SR_PROBLEM("live cells are miscounted");
  }
  for (std::uint32_t list = 0; list < kLists; ++list) {
    std::uint32_t previous = kNoSlab;
    std::uint32_t listed = 0;
    for (std::uint32_t page = lists_[list]; page != kNoSlab; page = slabs_[page].next) {
      if (page >= end || !slab_pages_.test(page))
        return SR_PROBLEM("a list holds a page that is no slab");
      if (list_of(slabs_[page]) != list) return SR_PROBLEM("a slab hangs in another's list");
      if (slabs_[page].full()) return SR_PROBLEM("a full slab hangs in a list");
      if (slabs_[page].previous != previous) return SR_PROBLEM("a list of slabs is broken");
      if (++listed > with_room[list]) return SR_PROBLEM("a list of slabs is circular");
      previous = page;
    }
    if (listed != with_room[list]) return SR_PROBLEM("a slab with room hangs in no list");
  }
  return nullptr;
}

}  // namespace slabring
