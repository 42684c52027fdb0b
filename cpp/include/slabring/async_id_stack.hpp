// The ids of what is running, and of what it interrupted: a stack of pairs in linear memory, that
// JavaScript and C++ both push and pop without calling each other.
//
//   Control    execution_id  trigger_id  last_id | depth  capacity  base  pairs
//                 of what runs now       counter |   2       16       0     |
//                                                                           v
//              | execution, trigger | execution, trigger | room for 14 more |
//                outermost            interrupted last
//
// push() saves the current pair at pairs[depth] and puts the new one into the control block; pop()
// does the reverse. So the ids of what runs now are always at the same place, and a push that
// finds room is two loads and four stores, in whichever language. Where there is no room, and only
// there, JavaScript calls C++, which moves the pairs to a block three times as large.
//
// While the queue of ticks is drained, `base` is the depth at which each tick begins: what is below
// belongs to the code that was interrupted, and no tick can pop or clear it.
//
// Invariants: base <= depth <= capacity; `pairs` is a block of that many, null while that is 0.
// Costs: O(1), but for the move; memory never shrinks, 16 bytes a pair of the greatest depth, twice
// to three times.
// Idea: Node's async-id stack, pull request 18290.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slabring/region.hpp"

namespace slabring {

class AsyncIdStack {
 public:
  static constexpr std::uint32_t kFirstCapacity = 16;
  static constexpr std::uint32_t kGrowth = 3;

  // What the program itself runs as, outside of anything that was pushed.
  static constexpr double kRootId = 1;

  struct Pair {
    double execution_id;
    double trigger_id;
  };

  // What JavaScript reads and writes. Ids are whole numbers in doubles: 2^53 last for centuries.
  struct Control {
    double execution_id;
    double trigger_id;
    double last_id;  // the latest that was given out
    std::uint32_t depth;
    std::uint32_t capacity;
    std::uint32_t base;
    Pair* pairs;
  };

  // The region must outlive it; nothing is allocated before the first push.
  explicit AsyncIdStack(Region& region) : region_(region) {}
  ~AsyncIdStack();

  AsyncIdStack(const AsyncIdStack&) = delete;
  AsyncIdStack& operator=(const AsyncIdStack&) = delete;

  [[nodiscard]] double execution_id() const { return control_.execution_id; }
  [[nodiscard]] double trigger_id() const { return control_.trigger_id; }
  [[nodiscard]] std::uint32_t depth() const { return control_.depth; }

  // An id that nothing had before.
  double new_id() { return ++control_.last_id; }

  // Makes the two current. False, with nothing changed, when there is no room.
  bool push(double async_id, double trigger_id);

  // Ends what runs as `async_id` and goes back to what it interrupted. False, with nothing changed,
  // when something else is current or nothing was pushed since `base`.
  bool pop(double async_id);

  // Makes the two current in place of the current ones: what runs next in the same place.
  void replace(double async_id, double trigger_id) {
    control_.execution_id = async_id;
    control_.trigger_id = trigger_id;
  }

  // Back to the program itself, whatever was pushed since `base`.
  void clear();

  // Room for one more pair at least. False, with nothing changed, when there is none to be had.
  bool reserve();

  Control& control() { return control_; }

  // Null when everything that can be counted twice agrees; else what does not.
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

 private:
  Region& region_;
  Control control_{kRootId, 0, kRootId, 0, 0, 0, nullptr};
};

}  // namespace slabring
