// Random use of arenas in one region, beside blocks of others, with a model of them: of each arena
// the top, the high-water mark and every block with the byte that it is full of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "mapping.hpp"
#include "slabring/arena.hpp"

namespace slabring::test {

struct ArenaOperation {
  enum class Kind : std::uint8_t {
    kCreate,
    kDestroy,
    kAllocate,
    kAllocateAgain,  // the most frequent one
    kMark,
    kReset,
    kResetAll,
    kResetWrong,
    kWrite,
    kBlock,  // of the region, between the arenas
    kFreeBlock,
    kCheck,
  };
  static constexpr std::array kNames = {"create", "destroy", "allocate",   "allocate_again",
                                        "mark",   "reset",   "reset_all",  "reset_wrong",
                                        "write",  "block",   "free_block", "check"};
  static constexpr std::uint8_t kKinds = kNames.size();

  Kind kind;
  std::uint8_t detail;
  std::uint32_t value;

  // Of an arena: mostly some pages and a few bytes, as its last words are the Arena itself.
  [[nodiscard]] std::size_t arena_size() const {
    if (detail % 8 == 0) return std::max<std::size_t>(value % 64, 1);
    return 1 + (value % (5 * kPageSize));
  }

  [[nodiscard]] std::size_t bytes() const {
    switch (value % 8) {
      case 0:
        return value / 8 % (2 * kPageSize);
      case 1:
        return SIZE_MAX - (value / 8 % 64);  // wraps around when added to anything
      case 2:
        return (value / 8) * std::size_t{1024};
      default:
        return value / 8 % 200;
    }
  }
  [[nodiscard]] std::size_t alignment() const {
    return detail % 3 != 0 ? Arena::kAlignment : std::size_t{1} << (detail / 3 % 17);
  }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << kNames[static_cast<std::size_t>(kind)];
    if (kind == Kind::kCreate) out << ' ' << arena_size();
    if (kind == Kind::kAllocate || kind == Kind::kAllocateAgain) {
      out << ' ' << bytes() << " by " << alignment();
    }
    out << " #" << value;
    return out.str();
  }
};

class ArenaModel {
 public:
  explicit ArenaModel(const MappedRegion& region) : region_(region) {}

  // Null when the arenas did as the model; else what one did otherwise.
  [[nodiscard]] const char* step(const ArenaOperation& operation) {
    if (const char* problem = act(operation)) return problem;
    for (const Tracked& one : arenas_) {
      if (const char* problem = check_figures(one)) return problem;
    }
    return nullptr;
  }

  [[nodiscard]] const char* finish() {
    if (const char* problem = check_all()) return problem;
    while (!arenas_.empty()) {
      if (const char* problem = destroy(0)) return problem;
    }
    while (!blocks_.empty()) {
      if (const char* problem = free_block(0)) return problem;
    }
    region_->trim();
    if (region_->stats().pages_in_use != 0) return "pages are in use though all is given back";
    return region_->find_problem();
  }

 private:
  using Kind = ArenaOperation::Kind;

  struct Block {
    std::byte* start;
    std::size_t size;
    std::byte content;
  };
  struct Mark {
    Arena::Pointer mark;
    std::size_t blocks;  // how many there were
  };
  struct Tracked {
    Arena* arena;
    std::size_t size;
    Arena::Pointer top;
    Arena::Pointer high_water;
    std::vector<Block> blocks;
    std::vector<Mark> marks;
  };

  static constexpr std::size_t kMostArenas = 6;

  const char* act(const ArenaOperation& operation) {
    if (operation.kind == Kind::kCreate) return create(operation);
    if (operation.kind == Kind::kBlock) return allocate_block(operation);
    if (operation.kind == Kind::kFreeBlock) {
      return blocks_.empty() ? nullptr : free_block(operation.value % blocks_.size());
    }
    if (operation.kind == Kind::kCheck) return check_all();
    if (arenas_.empty()) return nullptr;
    const std::size_t which = operation.detail / 32 % arenas_.size();
    Tracked& one = arenas_[which];
    switch (operation.kind) {
      case Kind::kDestroy:
        return destroy(which);
      case Kind::kAllocate:
      case Kind::kAllocateAgain:
        return allocate(one, operation);
      case Kind::kMark:
        if (one.arena->mark() != one.top) return "a mark is not the top";
        one.marks.push_back({one.top, one.blocks.size()});
        return nullptr;
      case Kind::kReset: {
        if (one.marks.empty()) return nullptr;
        one.marks.resize(1 + (operation.value % one.marks.size()));
        const Mark mark = one.marks.back();
        return reset(one, mark.mark, mark.blocks);
      }
      case Kind::kResetAll:
        one.marks.clear();
        return reset(one, Arena::kFirst, 0);
      case Kind::kResetWrong:
        return refuse_reset(one, operation);
      case Kind::kWrite:
        if (!one.blocks.empty()) write(one.blocks[operation.value % one.blocks.size()]);
        return nullptr;
      default:
        return nullptr;
    }
  }

  const char* create(const ArenaOperation& operation) {
    if (arenas_.size() == kMostArenas) return nullptr;
    const std::size_t size = operation.arena_size();
    const std::size_t live = region_->stats().live_bytes;
    Arena* arena = Arena::create(*region_, size);
    if (arena == nullptr) {
      return region_->stats().live_bytes == live ? nullptr : "a refused arena took memory";
    }
    arenas_.push_back({arena, size, Arena::kFirst, Arena::kFirst, {}, {}});
    // Where it lies, and that it lies there alone, is the region's model; that all of it may be
    // written to is told by this.
    std::memset(arena->at(Arena::kFirst), 0xA5, size);
    return nullptr;
  }

  const char* destroy(std::size_t which) {
    if (const char* problem = check_blocks(arenas_[which].blocks)) return problem;
    if (!arenas_[which].arena->is_valid()) return arenas_[which].arena->find_problem();
    const std::size_t live = region_->stats().live_bytes;
    Arena::destroy(*region_, arenas_[which].arena);
    if (region_->stats().live_bytes >= live) return "a destroyed arena gave nothing back";
    arenas_[which] = arenas_.back();
    arenas_.pop_back();
    return nullptr;
  }

  const char* allocate(Tracked& one, const ArenaOperation& operation) {
    const std::size_t bytes = operation.bytes();
    const std::size_t alignment = operation.alignment();
    const std::size_t from = (one.top + alignment - 1) / alignment * alignment;
    const std::size_t end = Arena::kFirst + one.size;
    const bool fits = from <= end && bytes <= end - from;
    auto* start = static_cast<std::byte*>(one.arena->alloc(bytes, alignment));
    if (!fits) return start == nullptr ? nullptr : "an arena gave more than it has";
    if (start == nullptr) return "an arena refused though there was room";
    if (reinterpret_cast<std::uintptr_t>(start) % alignment != 0) return "it is not aligned";
    const Arena::Pointer pointer = one.arena->pointer_to(start);
    if (pointer != from) return "it is not the next place";
    if (one.arena->at(pointer) != start) return "a pointer leads to another address";
    one.top = static_cast<Arena::Pointer>(from + bytes);
    one.blocks.push_back({start, bytes, std::byte{0}});
    write(one.blocks.back());
    return nullptr;
  }

  static const char* reset(Tracked& one, Arena::Pointer mark, std::size_t blocks) {
    if (const char* problem = check_blocks(one.blocks)) return problem;
    one.high_water = std::max(one.high_water, one.top);
    if (!one.arena->reset(mark)) return "a reset to a mark was refused";
    one.top = mark;
    one.blocks.resize(blocks);
    return nullptr;
  }

  static const char* refuse_reset(Tracked& one, const ArenaOperation& operation) {
    const Arena::Pointer wrong =
        operation.detail % 2 == 0 ? operation.value % Arena::kFirst : one.top + 1 + operation.value;
    return one.arena->reset(wrong) ? "a wrong mark was taken" : nullptr;
  }

  const char* allocate_block(const ArenaOperation& operation) {
    const std::size_t size = operation.value % (operation.detail % 4 == 0 ? 3 * kPageSize : 2000);
    auto* start = static_cast<std::byte*>(region_->allocate(size));
    if (start == nullptr) return nullptr;
    blocks_.push_back({start, size, std::byte{0}});
    write(blocks_.back());
    return nullptr;
  }

  const char* free_block(std::size_t which) {
    if (!all_equal(blocks_[which].start, blocks_[which].size, blocks_[which].content)) {
      return "a block's content changed";
    }
    if (!region_->free(blocks_[which].start)) return "free refused a live block";
    blocks_[which] = blocks_.back();
    blocks_.pop_back();
    return nullptr;
  }

  void write(Block& block) {
    last_byte_ = static_cast<std::uint8_t>(last_byte_ % 255 + 1);
    block.content = std::byte{last_byte_};
    std::memset(block.start, last_byte_, block.size);
  }

  static const char* check_blocks(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!all_equal(block.start, block.size, block.content)) return "a block's content changed";
    }
    return nullptr;
  }

  static const char* check_figures(const Tracked& one) {
    const Arena& arena = *one.arena;
    if (arena.size() != one.size) return "size is wrong";
    if (arena.used() != one.top - Arena::kFirst) return "used is wrong";
    if (arena.high_water() != std::max(one.high_water, one.top) - Arena::kFirst) {
      return "high_water is wrong";
    }
    return arena.find_problem();
  }

  const char* check_all() {
    for (const Tracked& one : arenas_) {
      if (const char* problem = check_blocks(one.blocks)) return problem;
    }
    if (const char* problem = check_blocks(blocks_)) return problem;
    return region_->find_problem();
  }

  const MappedRegion& region_;
  std::vector<Tracked> arenas_;
  std::vector<Block> blocks_;
  std::uint8_t last_byte_ = 0;
};

}  // namespace slabring::test
