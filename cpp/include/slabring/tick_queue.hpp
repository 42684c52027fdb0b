// Callbacks to be run soon, in the order in which they were pushed, by JavaScript and C++ alike:
// one queue in linear memory for both.
//
//   Control   head                                                   tail
//              |        (both point into blocks of ids)               |
//              v                                                      v
//        | 0 1 2 3 ...   2047 | -> | 0 1 2 ...     2047 | -> | 0 1 2 3 ...   2047 | -> null
//          - - x x x x x x x x       x x x x x x x x x x       x x x - - - - - - -
//        head_segment               segment                  tail_segment      spares: | | -> | |
//
//   a segment    ids     | async id x 2048 | trigger id x 2048 |   32 KiB, the largest cell
//                natives | {function, data} x 2048 |               16 KiB, once a native tick is
//                here number, next
//
// A segment is filled once from its start to its end and emptied likewise; then it is unlinked and,
// unless enough spares are kept, freed. So the ring is one of segments: what is emptied in front is
// filled again at the back. All 2048 slots are used, and both "full" and "whose segment is this"
// are answered by one comparison of a position with a segment's start, by JavaScript too. A queue
// found empty begins its segment again.
//
// A JavaScript tick has its callback, arguments and context in JavaScript's own arrays, beside the
// segment, and only its two ids here. A native tick is known by its function: in every other slot
// that is null. Thus neither side clears what belongs to the other.
//
// Who runs: JavaScript takes ticks one by one, and calls run_native() where the next one is not its
// own. That runs all native ticks up to the next one of JavaScript's, so a million native ticks are
// one call. From C++ alone, run_native() runs everything.
//
// Invariants: is_valid() re-counts them; segments are numbered without a gap.
// Costs: O(1); 16 bytes a tick, 24 where native ticks are, next to what JavaScript keeps.
// Idea: Node's FixedQueue, pull request 18617.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slabring/async_id_stack.hpp"
#include "slabring/region.hpp"

namespace slabring {

class TickQueue {
 public:
  using Function = void (*)(void* data);

  static constexpr std::uint32_t kSlots = 2048;
  // Emptied segments that are kept: a program whose queue stays shorter than this never allocates.
  static constexpr std::uint32_t kSpares = 4;

  struct NativeTick {
    Function function;  // null: not a native tick
    void* data;
  };

  struct Segment {
    double* ids;          // kSlots async ids, then kSlots trigger ids
    NativeTick* natives;  // kSlots, or null before the first
    Segment* next;
    std::uint32_t number;  // counts up along the queue, wraps around
  };

  // Bits of Control::state. JavaScript pushes without another look while none is set.
  static constexpr std::uint32_t kIdle = 1;      // nobody is asked to drain the queue
  static constexpr std::uint32_t kHooked = 2;    // JavaScript has hooks to call; C++ never looks
  static constexpr std::uint32_t kRefused = 4;   // no more ticks are taken
  static constexpr std::uint32_t kInNative = 8;  // run_native() runs, called by JavaScript

  // What JavaScript reads and writes.
  struct Control {
    double* head;  // the next tick's id
    double* tail;  // where the next push goes, or the end of its segment
    Segment* head_segment;
    Segment* tail_segment;
    std::uint32_t state;
    // Counts who began to take ticks: who was at it sees whether a tick did so, too. Wraps around.
    std::uint32_t drains;
  };

  // `schedule` is called when a native tick is pushed and nobody is asked to drain the queue yet.
  // Region and stack must outlive it; nothing is allocated before the first push.
  TickQueue(Region& region, AsyncIdStack& ids, void (*schedule)())
      : region_(region), ids_(ids), schedule_(schedule) {}
  ~TickQueue();

  TickQueue(const TickQueue&) = delete;
  TickQueue& operator=(const TickQueue&) = delete;

  // Calls function(data) once everything pushed before has run; its id is new, its trigger what
  // runs now. False, with nothing changed, when there is no room or no more ticks are taken.
  bool push(Function function, void* data);

  // Runs native ticks, and those they push, until a JavaScript tick is next (true) or nothing is
  // left (false). While one runs its ids are current, in place of the caller's.
  bool run_native();

  // Room for one more tick at the tail. False, with nothing changed, when there is none.
  bool reserve();

  // Frees the spare segments.
  void trim();

  [[nodiscard]] bool is_empty() const { return control_.head == control_.tail; }
  // Ticks queued.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint32_t spares() const { return spare_count_; }

  Control& control() { return control_; }

  // Null when everything that can be counted twice agrees; else what does not. O(ticks).
  [[nodiscard]] const char* find_problem() const;
  [[nodiscard]] bool is_valid() const { return find_problem() == nullptr; }

 private:
  Segment* make_segment();
  void free_segment(Segment* segment);
  void unlink_head();

  Region& region_;
  AsyncIdStack& ids_;
  void (*schedule_)();
  Control control_{nullptr, nullptr, nullptr, nullptr, kIdle, 0};
  Segment* spares_ = nullptr;
  std::uint32_t spare_count_ = 0;
};

}  // namespace slabring
