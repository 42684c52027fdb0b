// An arena: one block of a region, handed out from its start to its end and taken back at once. For
// values that live for a moment, a vector in a calculation say: no object, no free list, no header.
//
//   base                        top                           end
//   | 16 | pointer -> bytes |....| never, or given back       | Arena | window |
//     no                         next alloc() begins here       what is    JavaScript copies
//     pointer is 0                                              below      through it
//
// A pointer is a distance from `base`, in bytes: below 2^31 wherever the memory is, and so an index
// for JavaScript's views of the arena. C++ uses addresses, `at(pointer)`. `base` is page aligned,
// so both are aligned alike.
//
// JavaScript and C++ allocate from the same arena: each is a load, a comparison and a store on
// Control. What JavaScript hands to C++ is the address of the Arena itself:
//
//   extern "C" double* kernel(slabring::Arena* arena) {
//     return static_cast<double*>(arena->alloc(3 * sizeof(double)));
//   }
//
// Invariants: 16 <= top <= end; everything at or past `top` is nobody's; `high_water` and `top`
// together are the most that `top` ever was: alloc() need not keep it, reset() does.
// Costs: alloc, mark and reset are O(1), and touch no byte of the block. Bytes come as they are.
// Idea: Node's small typed arrays that stay on the heap until somebody asks for their buffer, pull
// request 26301.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "slabring/assert.hpp"
#include "slabring/page_heap.hpp"
#include "slabring/region.hpp"

namespace slabring {

class Arena {
 public:
  using Pointer = std::uint32_t;

  static constexpr Pointer kFirst = 16;  // the first pointer; also the mark of an empty arena
  static constexpr std::size_t kAlignment = 8;
  static constexpr std::size_t kMaxAlignment = kPageSize;
  // Every pointer, and its sum with an alignment, is a small integer for any JavaScript engine.
  static constexpr std::size_t kMaxSize = std::size_t{1} << 29;
  static constexpr std::size_t kWindowSize = 4096;

  // What JavaScript reads and writes.
  struct Control {
    std::byte* base;
    Pointer top;
    Pointer end;
    Pointer high_water;  // the most that `top` was at a reset
  };

  // An arena that serves `size` bytes, at most kMaxSize, in pages of the region's. Null when there
  // is no room, and then nothing changed. The region must outlive it.
  static Arena* create(Region& region, std::size_t size);

  // Gives the block back, and with it the arena. It must be one of that region's.
  static void destroy(Region& region, Arena* arena);

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `bytes` bytes with any contents, until a reset to a mark before them; null when there is no
  // room, and then nothing changed. `alignment` is a power of two of at most kMaxAlignment. 0 bytes
  // have an address like any other.
  [[nodiscard]] void* alloc(std::size_t bytes, std::size_t alignment = kAlignment) {
    SR_ASSERT(std::has_single_bit(alignment) && alignment <= kMaxAlignment);
    const std::size_t pointer = (control_.top + alignment - 1) & ~(alignment - 1);
    // No sum with `bytes`: it could wrap around.
    if (pointer > control_.end || bytes > control_.end - pointer) return nullptr;
    control_.top = static_cast<Pointer>(pointer + bytes);
    SR_ASSERT_EXPENSIVE(is_valid());
    return control_.base + pointer;
  }

  // Where JavaScript's pointer points to, and the reverse.
  [[nodiscard]] void* at(Pointer pointer) const {
    SR_ASSERT(pointer >= kFirst && pointer <= control_.end);
    return control_.base + pointer;
  }
  [[nodiscard]] Pointer pointer_to(const void* bytes) const {
    const auto pointer =
        static_cast<std::size_t>(static_cast<const std::byte*>(bytes) - control_.base);
    SR_ASSERT(pointer >= kFirst && pointer <= control_.end);
    return static_cast<Pointer>(pointer);
  }

  // Everything allocated from now on goes when the arena is reset to this.
  [[nodiscard]] Pointer mark() const { return control_.top; }

  // Takes back what was allocated since the mark, or everything. False, with nothing changed, when
  // the mark is none: past the top, or before all pointers.
  bool reset(Pointer mark = kFirst) {
    if (mark < kFirst || mark > control_.top) return false;
    if (control_.top > control_.high_water) control_.high_water = control_.top;
    control_.top = mark;
    SR_ASSERT_EXPENSIVE(is_valid());
    return true;
  }

  // Bytes: allocated now, with what alignment skipped; the most that was; all there are.
  [[nodiscard]] std::size_t used() const { return control_.top - kFirst; }
  [[nodiscard]] std::size_t high_water() const {
    return (control_.top > control_.high_water ? control_.top : control_.high_water) - kFirst;
  }
  [[nodiscard]] std::size_t size() const { return control_.end - kFirst; }

  // Null when everything that can be counted twice agrees; else what does not. O(1).
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

 private:
  explicit Arena(std::byte* base, Pointer end) : control_{base, kFirst, end, kFirst} {}

  // Where in the block the Arena lies.
  static constexpr std::size_t place_of(std::size_t end) {
    return (end + kFirst - 1) / kFirst * kFirst;
  }

  Control control_;
};

}  // namespace slabring
