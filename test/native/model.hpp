// Random use of a region beside a model of it: a map of the blocks that are live, and what each
// page is used for. A step that the region does otherwise than the model is named in words. Shared
// by the model tests and the fuzz target.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "mapping.hpp"
#include "slabring/region.hpp"

namespace slabring::test {

// One step. `value` says which size or which block, so that a step keeps some meaning when others
// before it are left out.
struct Operation {
  enum class Kind : std::uint8_t {
    kAllocate,
    kZeroed,
    kAligned,
    kRun,
    kRow,
    kFree,
    kFreeAgain,    // a block freed before, where no other starts by now
    kFreeInside,   // a byte of a live block, but not its first
    kFreeForeign,  // an address at which there never was a block, or none any more
    kReclaim,      // the slab of any block, whosever it is
    kReclaimForeign,
    kWrite,
    kTrim,
    kCheck,  // everything, O(region)
  };
  static constexpr std::array kNames = {"allocate",
                                        "allocate_zeroed",
                                        "allocate_aligned",
                                        "allocate_run",
                                        "allocate_row",
                                        "free",
                                        "free_again",
                                        "free_inside",
                                        "free_foreign",
                                        "reclaim",
                                        "reclaim_foreign",
                                        "write",
                                        "trim",
                                        "check"};
  static constexpr std::uint8_t kKinds = kNames.size();

  Kind kind;
  std::uint8_t log_alignment;
  std::uint32_t value;

  // Sizes of all magnitudes, often next to a limit; the top bits of `value` choose which kind.
  [[nodiscard]] std::size_t size() const {
    const std::uint32_t low = value & 0xFFFFF;
    const std::size_t one_off = (low % 3) - std::size_t{1};  // -1, 0, 1; wraps at 0 on purpose
    switch ((value >> 20) & 7) {
      case 0:
      case 1:
        return low % 256;
      case 2:
        return kCellSizes[low / 3 % kSizeClasses] + one_off;
      case 3:
        return low % (kMaxCellSize + 1);
      case 4:
        return ((std::size_t{1} + (low / 3 % 8)) * kPageSize) + one_off;
      case 5:
        return low;
      case 6:
        return (std::size_t{low / 3 % 80} * kPageSize) + one_off;
      default:
        return SIZE_MAX - (low % 4 == 0 ? low : low % (2 * kPageSize));
    }
  }

  // Every power of two up to 2^31; half of them of a few pages, since only these meet each other.
  [[nodiscard]] std::size_t alignment() const {
    const unsigned log = log_alignment % 64;
    return std::size_t{1} << (log < 32 ? log : kPageBits + (log % 6));
  }

  // Half of them of the classes with two to four cells, which make full and empty slabs.
  [[nodiscard]] std::uint32_t row_class() const {
    return value % 2 == 0 ? value / 2 % kSizeClasses : kSizeClasses - 1 - (value / 2 % 3);
  }
  // A third of them whole words of a slab's bitmap.
  [[nodiscard]] std::uint32_t row_length() const {
    return log_alignment % 3 == 0 ? 64 : 1 + (log_alignment % 70);
  }

  // How many cells a reclaim leaves at most: often none, or all of a word.
  [[nodiscard]] std::uint32_t keep() const {
    if (value % 4 < 2) return value % 4 * 64;
    return row_length();
  }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << kNames[static_cast<std::size_t>(kind)];
    if (kind <= Kind::kRun) out << ' ' << size();
    if (kind == Kind::kAligned || kind == Kind::kRun) out << " by " << alignment();
    if (kind == Kind::kRow) out << " of " << row_length() << ", class " << row_class();
    if (kind >= Kind::kFree && kind <= Kind::kWrite) out << " #" << value;
    if (kind == Kind::kReclaim || kind == Kind::kReclaimForeign) out << " but " << keep();
    return out.str();
  }
};

class Model {
 public:
  // How much is looked at: everything, or what a quick run can afford: of a block the ends of each
  // page, and of refused calls one in sixteen.
  enum class Look { kAll, kQuick };

  explicit Model(const MappedRegion& region, Look look = Look::kAll)
      : region_(region),
        quick_(look == Look::kQuick),
        memory_(region.page(0)),
        pages_(region.page_count()),
        metadata_(region.metadata()) {}

  // Null when the region did as the model; else what it did otherwise.
  [[nodiscard]] const char* step(const Operation& operation) {
    const char* problem = act(operation);
    return problem != nullptr ? problem : check_counters();
  }

  // Frees everything, and wants all memory back in one piece. Ends the model.
  [[nodiscard]] const char* finish() {
    if (const char* problem = check_all()) return problem;
    while (!order_.empty()) {
      if (const char* problem = free_block(order_.back())) return problem;
    }
    if (const char* problem = trim()) return problem;
    const RegionStats& stats = region_->stats();
    if (stats.pages_in_use != 0) return "pages are in use though every block was freed";
    if (const char* problem = check_counters()) return problem;
    if (const char* problem = region_->find_problem()) return problem;
    const std::size_t touched = std::size_t{stats.high_water_pages} * kPageSize;
    const std::size_t all = pages_.size() * kPageSize;
    const void* block = region_->allocate_zeroed(all);
    if (block != memory_) return "the freed memory is not in one piece";
    // All above was never touched, and would only become resident by a look at it.
    if (!holds(memory_, touched, std::byte{0})) return "the freed memory was not cleared";
    return nullptr;
  }

 private:
  static constexpr std::uint32_t kRunClass = kSizeClasses;  // no size class: a run

  struct Block {
    std::size_t usable;
    std::size_t known;  // so many bytes from its start on equal `content`
    std::uint32_t size_class;
    std::byte content;
    std::size_t place;  // in order_
  };

  // What a cell is handed out as; nothing for a run.
  struct SlabKind {
    std::uint32_t size_class;
    Tenant tenant;
    [[nodiscard]] std::uint32_t cells_a_slab() const { return kPageSize / kCellSizes[size_class]; }
    bool operator==(const SlabKind& other) const {
      return size_class == other.size_class && tenant == other.tenant;
    }
  };

  struct Page {
    std::optional<SlabKind> slab;
    std::uint32_t live_cells = 0;
    bool in_run = false;
    [[nodiscard]] bool empty_slab() const { return slab && live_cells == 0; }
    [[nodiscard]] bool used() const { return in_run || live_cells > 0; }
  };

  using Blocks = std::map<std::byte*, Block>;

  const char* act(const Operation& operation) {
    const std::size_t size = operation.size();
    const std::size_t alignment = operation.alignment();
    switch (operation.kind) {
      case Operation::Kind::kAllocate:
        return allocate(size, kMinAlignment, false, false, [&] { return region_->allocate(size); });
      case Operation::Kind::kZeroed:
        return allocate(size, kMinAlignment, true, false,
                        [&] { return region_->allocate_zeroed(size); });
      case Operation::Kind::kAligned:
        return allocate(size, alignment, false, false,
                        [&] { return region_->allocate_aligned(size, alignment); });
      case Operation::Kind::kRun:
        return allocate(size, alignment, false, true,
                        [&] { return region_->allocate_run(size, alignment); });
      case Operation::Kind::kRow:
        return allocate_row(operation.row_class(), operation.row_length());
      case Operation::Kind::kFree:
        return order_.empty() ? nullptr : free_block(pick(operation));
      case Operation::Kind::kFreeAgain:
        if (freed_.empty()) return nullptr;
        return refuse(freed_[operation.value % freed_.size()]);
      case Operation::Kind::kFreeInside: {
        if (order_.empty()) return nullptr;
        const auto block = blocks_.find(pick(operation));
        return refuse(block->first + 1 + (operation.value / 7 % (block->second.usable - 1)));
      }
      case Operation::Kind::kFreeForeign:
        return refuse(foreign(operation.value));
      case Operation::Kind::kReclaim: {
        if (order_.empty()) return nullptr;
        std::byte* block = pick(operation);
        // Most from the start of its word on, if that is in use: so long are rows at most.
        std::byte* const word = start_of_word(block);
        if (operation.value / 8 % 4 != 0 && blocks_.count(word) != 0) block = word;
        const std::uint32_t keep = row_at(block, operation.keep());
        // Without a row to keep, any byte of the slab is as good.
        const std::size_t inside = keep > 0 ? 0 : operation.value / 7 % usable_at(block);
        return reclaim(block + inside, keep);
      }
      case Operation::Kind::kReclaimForeign: {
        std::byte* const address = foreign(operation.value);
        return reclaim(address, views_at(address) ? 0 : operation.keep());
      }
      case Operation::Kind::kWrite:
        if (!order_.empty()) write(*blocks_.find(pick(operation)));
        return nullptr;
      case Operation::Kind::kTrim:
        return trim();
      case Operation::Kind::kCheck:
        return check_all();
    }
    return nullptr;
  }

  // One time in four the newest block: it borders on fresh memory.
  [[nodiscard]] std::byte* pick(const Operation& operation) const {
    if (operation.value % 4 == 0) return order_.back();
    return order_[operation.value / 4 % order_.size()];
  }

  // An address that may be anywhere but at a live block; refuse() passes over those.
  [[nodiscard]] std::byte* foreign(std::uint32_t value) const {
    const std::size_t all = pages_.size() * kPageSize;
    switch (value % 6) {
      case 0:
        return nullptr;
      case 1:
        return memory_ - 1 - (value / 6 % region_.metadata_size());
      case 2:
        return memory_ + all + (value / 6 % kPageSize);
      case 3:
        return memory_ + (std::size_t{value / 6} * kPageSize % all);
      case 4:
        return memory_ + (std::size_t{value / 6} * kMinAlignment % all);
      default:
        return reinterpret_cast<std::byte*>(UINTPTR_MAX - (value / 6));
    }
  }

  // Copies all metadata, for changed() to tell whether a refused call left it alone. Into one
  // place again and again: under a sanitizer a fresh vector a step would take most of the time.
  void remember() {
    remembered_ = !quick_ || ++calls_ % 16 == 0;
    if (!remembered_) return;
    static_cast<void>(region_->stats());
    std::memcpy(metadata_.data(), region_.mapping().data(), metadata_.size());
  }

  [[nodiscard]] bool changed() const {
    if (!remembered_) return false;
    static_cast<void>(region_->stats());
    return std::memcmp(metadata_.data(), region_.mapping().data(), metadata_.size()) != 0;
  }

  [[nodiscard]] std::size_t usable_at(std::byte* block) const {
    return blocks_.find(block)->second.usable;
  }

  // The first cell in the word of a slab's bitmap that says whether `block` is free.
  [[nodiscard]] std::byte* start_of_word(std::byte* block) const {
    const std::size_t size = usable_at(block);
    const std::size_t cell = static_cast<std::size_t>(block - memory_) % kPageSize / size;
    return block - (cell % 64 * size);
  }

  // Live cells from `block` on, up to the end of its word of a slab's bitmap, `most` at most.
  [[nodiscard]] std::uint32_t row_at(std::byte* block, std::uint32_t most) const {
    const std::size_t size = usable_at(block);
    const std::size_t first = static_cast<std::size_t>(block - memory_) % kPageSize / size;
    const std::size_t in_word = std::min(64 - (first % 64), (kPageSize / size) - first);
    most = std::min(most, static_cast<std::uint32_t>(in_word));
    std::uint32_t count = 0;
    while (count < most && blocks_.count(block + (count * size)) != 0) ++count;
    return count;
  }

  // The page that an address lies in, if that is a slab of views.
  [[nodiscard]] const Page* views_at(const std::byte* address) const {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory_);
    if (offset / kPageSize >= pages_.size()) return nullptr;
    const Page& page = pages_[offset / kPageSize];
    return page.slab && page.slab->tenant == Tenant::kViews ? &page : nullptr;
  }

  const char* reclaim(std::byte* address, std::uint32_t keep) {
    const Page* page = views_at(address);
    std::vector<std::byte*> lost;
    std::size_t bytes = 0;
    if (page != nullptr) {
      std::byte* const start = memory_ + ((page - pages_.data()) * std::ptrdiff_t{kPageSize});
      std::byte* const kept_end =
          address + (std::size_t{keep} * kCellSizes[page->slab->size_class]);
      for (auto block = blocks_.lower_bound(start);
           block != blocks_.end() && block->first < start + kPageSize; ++block) {
        if (block->first >= address && block->first < kept_end) continue;
        if (const char* problem = check_content(*block)) return problem;
        lost.push_back(block->first);
        bytes += block->second.usable;
      }
    }
    remember();
    if (region_->reclaim(address, keep) != bytes) return "reclaim freed another number of bytes";
    if (bytes == 0) return changed() ? "a refused reclaim changed something" : nullptr;
    for (std::byte* block : lost) {
      if (region_->usable_size(block) != 0) return "something is usable in a reclaimed block";
      forget(blocks_.find(block));
    }
    for (std::uint32_t i = 0; i < keep; ++i) {
      const std::size_t size = usable_at(address);
      if (region_->usable_size(address + (i * size)) != size) return "a kept cell is gone";
    }
    return nullptr;
  }

  const char* refuse(std::byte* address) {
    if (blocks_.count(address) != 0) return nullptr;
    remember();
    if (region_->usable_size(address) != 0) return "something is usable where no block starts";
    if (region_->free(address)) return "free took an address at which no block starts";
    if (changed()) return "a refused free changed something";
    return nullptr;
  }

  // Where it has to come from; nothing when no region could hold it.
  static std::optional<std::uint32_t> class_of(std::size_t size, std::size_t alignment, bool run) {
    if (run || size > kMaxCellSize || alignment > kMaxCellSize) return std::nullopt;
    std::uint32_t size_class = 0;
    while (kCellSizes[size_class] < size || kCellSizes[size_class] % alignment != 0) ++size_class;
    return size_class;
  }

  template <class Call>
  const char* allocate(std::size_t size, std::size_t alignment, bool zeroed, bool run, Call call) {
    const std::optional<std::uint32_t> size_class = class_of(size, alignment, run);
    remember();
    auto* block = static_cast<std::byte*>(call());
    if (block == nullptr) {
      if (changed()) return "a refused allocation changed something";
      if (size_class) return check_cell_refusal({*size_class, Tenant::kNative});
      if (!run_fits(size, alignment)) return nullptr;
      // Some of that room may be empty slabs that are kept.
      if (const char* problem = trim()) return problem;
      block = static_cast<std::byte*>(call());
      if (block == nullptr) return "a run is refused though there is room";
    }
    if (!size_class) return add(block, size, alignment, zeroed, std::nullopt);
    return add(block, size, alignment, zeroed, SlabKind{*size_class, Tenant::kNative});
  }

  const char* allocate_row(std::uint32_t size_class, std::uint32_t most) {
    const SlabKind kind{size_class, Tenant::kViews};
    const bool fresh = !one_has_room(kind);
    remember();
    const Region::Row row = region_->allocate_row(size_class, most);
    if (row.first == nullptr) {
      if (row.count != 0 || row.fresh || changed()) return "a refused row changed something";
      return check_cell_refusal(kind);
    }
    if (row.count == 0 || row.count > most) return "a row has another length";
    if (row.fresh != fresh) return "a row is wrong about whether its slab is new";
    const std::size_t size = kCellSizes[size_class];
    for (std::uint32_t i = 0; i < row.count; ++i) {
      auto* cell = static_cast<std::byte*>(row.first) + (i * size);
      if (const char* problem = add(cell, size, 1, row.zero, kind)) return problem;
    }
    return nullptr;
  }

  const char* add(std::byte* block, std::size_t size, std::size_t alignment, bool zeroed,
                  std::optional<SlabKind> kind) {
    const std::size_t pages =
        std::max<std::size_t>((size / kPageSize) + (size % kPageSize != 0), 1);
    const std::size_t usable = kind ? kCellSizes[kind->size_class] : pages * kPageSize;
    const std::size_t all = pages_.size() * kPageSize;
    if (block < memory_ || usable > all ||
        static_cast<std::size_t>(block - memory_) > all - usable) {
      return "a block lies outside the region's pages";
    }
    if (region_->usable_size(block) != usable) return "usable_size is wrong";
    if (reinterpret_cast<std::uintptr_t>(block) % std::max<std::size_t>(alignment, kMinAlignment)) {
      return "a block is not aligned";
    }
    const auto next = blocks_.lower_bound(block);
    if (next != blocks_.end() && next->first < block + usable) return "a block overlaps the next";
    if (next != blocks_.begin()) {
      const auto& [start, previous] = *std::prev(next);
      if (start + previous.usable > block) return "a block overlaps the one before";
    }
    const auto offset = static_cast<std::size_t>(block - memory_);
    const std::size_t page = offset / kPageSize;
    if (kind) {
      if (pages_[page].in_run) return "a cell lies in a run";
      if (!pages_[page].slab) {
        if (one_has_room(*kind)) return "a slab is made while another has room";
        pages_[page].slab = kind;
        ++slabs_[kind->size_class];
      }
      if (!(*pages_[page].slab == *kind)) return "cells of two sizes or tenants share a page";
      if (offset % kPageSize % usable != 0) return "a cell starts at no multiple of its size";
      ++pages_[page].live_cells;
      ++live_cells_[kind->size_class];
    } else {
      if (offset % kPageSize != 0) return "a run does not start with a page";
      for (std::size_t i = 0; i < pages; ++i) {
        if (pages_[page + i].in_run || pages_[page + i].slab) return "a run lies on a page in use";
        pages_[page + i].in_run = true;
      }
      ++live_runs_;
    }
    if (zeroed && !holds(block, size, std::byte{0})) return "a zeroed block is not zero";
    live_bytes_ += usable;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
    order_.push_back(block);
    const auto added = blocks_.emplace_hint(
        next, block,
        Block{usable, size, kind ? kind->size_class : kRunClass, std::byte{0}, order_.size() - 1});
    // A zeroed block stays as it came until it is written to: it must not become anything else.
    if (!zeroed) write(*added);
    return nullptr;
  }

  // Whether a slab of that kind has a free cell; an empty one that is kept has, too.
  [[nodiscard]] bool one_has_room(const SlabKind& kind) const {
    return std::any_of(pages_.begin(), pages_.end(), [&kind](const Page& page) {
      return page.slab && *page.slab == kind && page.live_cells < kind.cells_a_slab();
    });
  }

  // Neither a page nor a cell of a slab of that kind may be free.
  const char* check_cell_refusal(const SlabKind& kind) {
    if (region_->stats().pages_in_use < pages_.size()) {
      return "a cell is refused while a page is free";
    }
    return one_has_room(kind) ? "a cell is refused while a slab has room" : nullptr;
  }

  // Whether pages without a live block are enough, in a row and aligned.
  [[nodiscard]] bool run_fits(std::size_t size, std::size_t alignment) const {
    const std::size_t needed = size == 0 ? 1 : (size / kPageSize) + (size % kPageSize != 0);
    std::size_t free_pages = 0;
    for (std::size_t page = pages_.size(); page-- > 0;) {
      free_pages = pages_[page].used() ? 0 : free_pages + 1;
      const auto address = reinterpret_cast<std::uintptr_t>(memory_ + (page * kPageSize));
      if (free_pages >= needed && address % alignment == 0) return true;
    }
    return false;
  }

  // Fills all that may be used. Neighbours get different bytes, by and by.
  void write(Blocks::value_type& block) {
    auto& [start, known] = block;
    last_byte_ = static_cast<std::uint8_t>(last_byte_ % 255 + 1);
    known.content = std::byte{last_byte_};
    known.known = known.usable;
    each_piece(start, known.usable, [this](std::byte* piece, std::size_t size) {
      std::memset(piece, last_byte_, size);
      return true;
    });
  }

  const char* check_content(const Blocks::value_type& block) const {
    const auto& [start, known] = block;
    return holds(start, known.known, known.content) ? nullptr : "a block's content changed";
  }

  [[nodiscard]] bool holds(std::byte* bytes, std::size_t size, std::byte value) const {
    return each_piece(bytes, size, [value](const std::byte* piece, std::size_t piece_size) {
      return all_equal(piece, piece_size, value);
    });
  }

  // Calls `act` with what is looked at of a block, as long as that returns true.
  template <class Act>
  bool each_piece(std::byte* bytes, std::size_t size, Act act) const {
    constexpr std::size_t kEdge = 128;
    if (!quick_) return act(bytes, size);
    std::size_t from = 0;
    while (from < size) {
      const std::size_t end = std::min(from + kPageSize, size);
      if (end - from <= 2 * kEdge) {
        if (!act(bytes + from, end - from)) return false;
      } else if (!act(bytes + from, kEdge) || !act(bytes + end - kEdge, kEdge)) {
        return false;
      }
      from = end;
    }
    return true;
  }

  const char* free_block(std::byte* start) {
    const auto found = blocks_.find(start);
    if (const char* problem = check_content(*found)) return problem;
    const Block& block = found->second;
    if (region_->usable_size(start) != block.usable) return "usable_size changed";
    if (!region_->free(start)) return "free refused a live block";
    if (region_->usable_size(start) != 0) return "something is usable in a freed block";
    forget(found);
    return nullptr;
  }

  void forget(Blocks::iterator found) {
    std::byte* const start = found->first;
    const Block& block = found->second;
    live_bytes_ -= block.usable;
    const auto page = static_cast<std::size_t>(start - memory_) / kPageSize;
    if (block.size_class == kRunClass) {
      --live_runs_;
      for (std::size_t i = 0; i < block.usable / kPageSize; ++i) pages_[page + i].in_run = false;
    } else {
      --live_cells_[block.size_class];
      forget_cell(pages_[page]);
    }
    order_[block.place] = order_.back();
    blocks_.find(order_.back())->second.place = block.place;
    order_.pop_back();
    blocks_.erase(found);
    if (freed_.size() < 16) {
      freed_.push_back(start);
    } else {
      freed_[next_freed_++ % freed_.size()] = start;
    }
  }

  // An empty slab is kept only where no other of its kind has room.
  void forget_cell(Page& page) {
    const SlabKind kind = *page.slab;
    if (--page.live_cells > 0) return;
    page.slab.reset();
    if (one_has_room(kind)) {
      --slabs_[kind.size_class];
    } else {
      page.slab = kind;
    }
  }

  const char* trim() {
    std::uint32_t empty = 0;
    for (Page& page : pages_) {
      if (!page.empty_slab()) continue;
      --slabs_[page.slab->size_class];
      page.slab.reset();
      ++empty;
    }
    return region_->trim() == empty ? nullptr : "trim gave back another number";
  }

  const char* check_counters() {
    const RegionStats& stats = region_->stats();
    if (stats.live_bytes != live_bytes_) return "live_bytes is wrong";
    if (stats.peak_bytes != peak_bytes_) return "peak_bytes is wrong";
    if (stats.live_runs != live_runs_) return "live_runs is wrong";
    if (stats.high_water_pages < high_water_) return "the high-water mark fell";
    high_water_ = stats.high_water_pages;
    std::uint32_t slabs = 0;
    std::size_t cell_bytes = 0;
    for (std::size_t i = 0; i < kSizeClasses; ++i) {
      if (stats.size_classes[i].live_cells != live_cells_[i]) return "live_cells is wrong";
      if (stats.size_classes[i].slabs != slabs_[i]) return "slabs is wrong";
      slabs += slabs_[i];
      cell_bytes += std::size_t{live_cells_[i]} * kCellSizes[i];
    }
    const std::size_t run_pages = (live_bytes_ - cell_bytes) / kPageSize;
    if (stats.pages_in_use != run_pages + slabs) return "pages_in_use is wrong";
    return nullptr;
  }

  const char* check_all() {
    for (const auto& block : blocks_) {
      if (const char* problem = check_content(block)) return problem;
      if (region_->usable_size(block.first) != block.second.usable) return "usable_size changed";
    }
    for (std::size_t page = high_water_; page < pages_.size(); ++page) {
      if (pages_[page].used()) return "a page past the high-water mark is in use";
    }
    return region_->find_problem();
  }

  const MappedRegion& region_;
  bool quick_;
  bool remembered_ = false;
  std::uint64_t calls_ = 0;
  std::byte* memory_;  // of page 0
  std::vector<Page> pages_;
  Blocks blocks_;
  std::vector<std::byte> metadata_;
  std::vector<std::byte*> order_;  // the live blocks, to choose from by number
  std::vector<std::byte*> freed_;  // the last freed blocks
  std::size_t next_freed_ = 0;
  std::array<std::uint32_t, kSizeClasses> live_cells_{};
  std::array<std::uint32_t, kSizeClasses> slabs_{};  // empty ones that are kept, too
  std::uint32_t live_runs_ = 0;
  std::uint32_t high_water_ = 0;
  std::size_t live_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
  std::uint8_t last_byte_ = 0;
};

}  // namespace slabring::test
