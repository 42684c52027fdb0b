#include "slabring/region.hpp"

#include <bit>
#include <cstring>
#include <new>

namespace slabring {

namespace {

// Where a page lies among all pages of the address space, as far as alignment can tell.
std::uint32_t first_page_of(const std::byte* base) {
  return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(base) >> kPageBits) %
                                    kMaxPages);
}

}  // namespace

Region* Region::create(void* memory, std::uint32_t page_count) {
  SR_ASSERT(page_count <= kMaxPages);
  // Sized for all the pages, though the metadata takes some of them: the few records too many
  // are never touched.
  constexpr std::size_t kHeader = (sizeof(Region) + 7) / 8 * 8;
  const std::size_t metadata =
      kHeader + PageHeap::metadata_size(page_count) + SlabPool::metadata_size(page_count);
  const auto metadata_pages = static_cast<std::uint32_t>((metadata + kPageSize - 1) / kPageSize);
  if (page_count <= metadata_pages) return nullptr;
  const std::uint32_t usable = page_count - metadata_pages;
  auto* start = static_cast<std::byte*>(memory);
  std::byte* pages_metadata = start + kHeader;
  std::byte* pool_metadata = pages_metadata + PageHeap::metadata_size(usable);
  std::byte* base = start + (std::size_t{metadata_pages} * kPageSize);
  return new (memory) Region(pages_metadata, pool_metadata, base, usable);
}

Region::Region(std::byte* pages_metadata, std::byte* pool_metadata, std::byte* base,
               std::uint32_t page_count)
    : base_(base),
      pages_(pages_metadata, page_count, first_page_of(base)),
      pool_(pool_metadata, pages_, stats_) {
  stats_.page_count = page_count;
  for (std::size_t i = 0; i < kSizeClasses; ++i) stats_.size_classes[i].cell_size = kCellSizes[i];
}

void* Region::address(std::uint32_t offset) const {
  return offset == kNone ? nullptr : base_ + offset;
}

// kNone for anything outside the region's pages.
std::uint32_t Region::offset_of(const void* block) const {
  const auto distance =
      reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(base_);
  return (distance >> kPageBits) < pages_.page_count() ? static_cast<std::uint32_t>(distance)
                                                       : kNone;
}

// Whether a live run that is no slab starts there.
bool Region::is_run(std::uint32_t offset) const {
  return offset % kPageSize == 0 && pages_.is_live(offset >> kPageBits);
}

void Region::count(std::uint32_t bytes) {
  stats_.live_bytes += bytes;
  if (stats_.live_bytes > stats_.peak_bytes) stats_.peak_bytes = stats_.live_bytes;
}

Region::Block Region::take(std::size_t size) {
  if (size > kMaxCellSize) return take_run(size, kPageSize);
  return take_cell(size_class_of(size));
}

Region::Block Region::take_cell(std::uint32_t size_class) {
  const SlabPool::Cells cell = pool_.allocate(size_class);
  count(cell.count * kCellSizes[size_class]);
  return {cell.offset, cell.zero};
}

Region::Row Region::allocate_row(std::uint32_t size_class, std::uint32_t most) {
  const SlabPool::Cells row = pool_.allocate(size_class, most, Tenant::kViews);
  count(row.count * kCellSizes[size_class]);
  return {address(row.offset), row.count, row.zero, row.fresh};
}

std::size_t Region::reclaim(const void* block, std::uint32_t keep) {
  const std::uint32_t offset = offset_of(block);
  if (offset == kNone) return 0;
  const std::uint32_t bytes = pool_.reclaim(offset, keep);
  stats_.live_bytes -= bytes;
  return bytes;
}

// Whether a run is zero is not known as a whole, only page by page: `zero` is false.
Region::Block Region::take_run(std::size_t size, std::size_t alignment) {
  const std::size_t rest = size % kPageSize;
  const std::size_t pages = (size / kPageSize) + (rest != 0 || size == 0 ? 1 : 0);
  const std::size_t aligned_pages = alignment <= kPageSize ? 1 : alignment / kPageSize;
  if (pages > pages_.page_count() || aligned_pages > kMaxPages) return {kNone, false};
  const std::uint32_t page =
      pages_.allocate(static_cast<std::uint32_t>(pages), static_cast<std::uint32_t>(aligned_pages));
  if (page == PageHeap::kNoPage) return {kNone, false};
  count(static_cast<std::uint32_t>(pages) * kPageSize);
  ++stats_.live_runs;
  return {page << kPageBits, false};
}

void* Region::allocate(std::size_t size) { return address(take(size).offset); }

void* Region::allocate_zeroed(std::size_t size) {
  const Block block = take(size);
  auto* bytes = static_cast<std::byte*>(address(block.offset));
  if (bytes == nullptr || block.zero) return bytes;
  if (size <= kMaxCellSize) {
    std::memset(bytes, 0, size);
    return bytes;
  }
  const std::uint32_t head = block.offset >> kPageBits;
  pages_.for_each_dirty(head, [&](std::uint32_t first, std::uint32_t pages) {
    const std::size_t from = std::size_t{first - head} * kPageSize;
    const std::size_t length = std::size_t{pages} * kPageSize;
    std::memset(bytes + from, 0, length < size - from ? length : size - from);
  });
  return bytes;
}

void* Region::allocate_aligned(std::size_t size, std::size_t alignment) {
  SR_ASSERT(std::has_single_bit(alignment));
  if (size > kMaxCellSize || alignment > kMaxCellSize) return allocate_run(size, alignment);
  return address(take_cell(size_class_of(size, alignment)).offset);
}

void* Region::allocate_run(std::size_t size, std::size_t alignment) {
  SR_ASSERT(std::has_single_bit(alignment));
  return address(take_run(size, alignment).offset);
}

std::size_t Region::usable_size(const void* block) const {
  const std::uint32_t offset = offset_of(block);
  if (offset == kNone) return 0;
  const std::uint32_t page = offset >> kPageBits;
  if (pool_.owns(page)) return pool_.cell_size(offset);
  if (!is_run(offset)) return 0;
  return std::size_t{pages_.run_pages(page)} * kPageSize;
}

bool Region::free(void* block) {
  const std::uint32_t offset = offset_of(block);
  if (offset == kNone) return false;
  const std::uint32_t page = offset >> kPageBits;
  if (pool_.owns(page)) {
    const std::uint32_t size = pool_.free(offset);
    stats_.live_bytes -= size;
    return size != 0;
  }
  if (!is_run(offset)) return false;
  stats_.live_bytes -= pages_.run_pages(page) * kPageSize;
  --stats_.live_runs;
  pages_.free(page);
  return true;
}

const RegionStats& Region::stats() {
  stats_.high_water_pages = pages_.high_water();
  stats_.pages_in_use = pages_.pages_in_use();
  return stats_;
}

const char* Region::find_problem() const {
  if (const char* problem = pages_.find_problem()) return problem;
  if (const char* problem = pool_.find_problem()) return problem;
  std::uint64_t cell_bytes = 0;
  std::uint64_t slabs = 0;
  for (const SizeClassStats& of_class : stats_.size_classes) {
    cell_bytes += std::uint64_t{of_class.live_cells} * of_class.cell_size;
    slabs += of_class.slabs;
  }
  // The pool has checked that each slab is a live page.
  const std::uint64_t run_pages = pages_.pages_in_use() - slabs;
  if (pages_.live_runs() - slabs != stats_.live_runs) {
    return SR_PROBLEM("live runs are miscounted");
  }
  if (cell_bytes + (run_pages * kPageSize) != stats_.live_bytes) {
    return SR_PROBLEM("live bytes are miscounted");
  }
  if (stats_.live_bytes > stats_.peak_bytes) return SR_PROBLEM("the peak is below what is live");
  return nullptr;
}

}  // namespace slabring
