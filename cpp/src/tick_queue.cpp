#include "slabring/tick_queue.hpp"

#include <new>
#include <utility>

#include "slabring/assert.hpp"

namespace slabring {

namespace {

constexpr std::size_t kIdsSize = 2 * std::size_t{TickQueue::kSlots} * sizeof(double);
constexpr std::size_t kNativesSize = TickQueue::kSlots * sizeof(TickQueue::NativeTick);

}  // namespace

TickQueue::~TickQueue() {
  trim();
  while (control_.head_segment != nullptr) {
    Segment* segment = control_.head_segment;
    control_.head_segment = segment->next;
    free_segment(segment);
  }
}

TickQueue::Segment* TickQueue::make_segment() {
  if (spares_ != nullptr) {
    Segment* segment = spares_;
    spares_ = segment->next;
    --spare_count_;
    return segment;
  }
  void* memory = region_.allocate(sizeof(Segment));
  if (memory == nullptr) return nullptr;
  auto* ids = static_cast<double*>(region_.allocate(kIdsSize));
  if (ids == nullptr) {
    region_.free(memory);
    return nullptr;
  }
  return new (memory) Segment{ids, nullptr, nullptr, 0};
}

void TickQueue::free_segment(Segment* segment) {
  if (segment->natives != nullptr) region_.free(segment->natives);
  region_.free(segment->ids);
  region_.free(segment);
}

bool TickQueue::reserve() {
  Segment* tail = control_.tail_segment;
  if (tail != nullptr && control_.tail != tail->ids + kSlots) return true;
  Segment* segment = make_segment();
  if (segment == nullptr) return false;
  // The pair that a drain pushes: it shall need no memory.
  if (ids_.control().capacity == 0 && !ids_.reserve()) {
    free_segment(segment);
    return false;
  }
  segment->next = nullptr;
  if (tail == nullptr) {
    segment->number = 0;
    control_.head_segment = segment;
    control_.head = segment->ids;
  } else {
    segment->number = tail->number + 1;
    tail->next = segment;
  }
  control_.tail_segment = segment;
  control_.tail = segment->ids;
  // An emptied first segment would make head and tail differ with nothing between them.
  if (control_.head == control_.head_segment->ids + kSlots) unlink_head();
  return true;
}

// The head segment has run out and is not the last.
void TickQueue::unlink_head() {
  Segment* segment = control_.head_segment;
  SR_ASSERT_INTERNAL(segment->next != nullptr);
  control_.head_segment = segment->next;
  control_.head = segment->next->ids;
  if (spare_count_ == kSpares) {
    free_segment(segment);
  } else {
    segment->next = spares_;
    spares_ = segment;
    ++spare_count_;
  }
  SR_ASSERT_EXPENSIVE(is_valid());
}

void TickQueue::trim() {
  while (spares_ != nullptr) {
    Segment* segment = spares_;
    spares_ = segment->next;
    free_segment(segment);
  }
  spare_count_ = 0;
}

bool TickQueue::push(Function function, void* data) {
  SR_ASSERT(function != nullptr);
  if ((control_.state & kRefused) != 0 || !reserve()) return false;
  Segment* segment = control_.tail_segment;
  if (segment->natives == nullptr) {
    segment->natives = static_cast<NativeTick*>(region_.allocate_zeroed(kNativesSize));
    if (segment->natives == nullptr) return false;
  }
  double* slot = control_.tail++;
  segment->natives[slot - segment->ids] = {function, data};
  slot[0] = ids_.new_id();
  slot[kSlots] = ids_.execution_id();
  if ((control_.state & kIdle) != 0) {
    control_.state &= ~kIdle;
    schedule_();
  }
  return true;
}

bool TickQueue::run_native() {
  ++control_.drains;
  const double execution_id = ids_.execution_id();
  const double trigger_id = ids_.trigger_id();
  const std::uint32_t depth = ids_.depth();
  const std::uint32_t base = std::exchange(ids_.control().base, depth);
  bool javascript_next = false;
  while (!is_empty()) {
    Segment* segment = control_.head_segment;
    if (control_.head == segment->ids + kSlots) {
      unlink_head();
      continue;
    }
    const std::ptrdiff_t at = control_.head - segment->ids;
    if (segment->natives == nullptr || segment->natives[at].function == nullptr) {
      javascript_next = true;
      break;
    }
    const NativeTick tick = segment->natives[at];
    segment->natives[at] = {nullptr, nullptr};
    const double* slot = control_.head++;
    ids_.replace(slot[0], slot[kSlots]);
    tick.function(tick.data);
    // What it left pushed goes with it.
    ids_.control().depth = depth;
  }
  ids_.control().base = base;
  ids_.replace(execution_id, trigger_id);
  if (!javascript_next && control_.tail_segment != nullptr) {
    // The last segment, the only one now, is used from its start again.
    control_.head = control_.tail = control_.tail_segment->ids;
  }
  return javascript_next;
}

std::size_t TickQueue::size() const {
  if (control_.head_segment == nullptr) return 0;
  const auto passed = static_cast<std::size_t>(control_.head - control_.head_segment->ids);
  const auto used = static_cast<std::size_t>(control_.tail - control_.tail_segment->ids);
  const std::uint32_t full = control_.tail_segment->number - control_.head_segment->number;
  return std::size_t{full} * kSlots + used - passed;
}

const char* TickQueue::find_problem() const {
  const Segment* tail = control_.tail_segment;
  if (control_.head_segment == nullptr || tail == nullptr) {
    if (control_.head_segment != tail) return SR_PROBLEM("one end of the queue only");
    if (control_.head != nullptr || control_.tail != nullptr) {
      return SR_PROBLEM("a position without a segment");
    }
  }
  std::uint32_t number = tail == nullptr ? 0 : control_.head_segment->number;
  const Segment* last = nullptr;
  for (const Segment* s = control_.head_segment; s != nullptr; s = s->next) {
    if (s->number != number++) return SR_PROBLEM("segments are not numbered in order");
    if (region_.usable_size(s) < sizeof(Segment) || region_.usable_size(s->ids) < kIdsSize ||
        (s->natives != nullptr && region_.usable_size(s->natives) < kNativesSize)) {
      return SR_PROBLEM("a segment is not in live blocks");
    }
    const double* first = s == control_.head_segment ? control_.head : s->ids;
    const double* end = s == tail ? control_.tail : s->ids + kSlots;
    if (first < s->ids || first > end || end > s->ids + kSlots) {
      return SR_PROBLEM("a position is outside of its segment");
    }
    for (std::uint32_t at = 0; s->natives != nullptr && at < kSlots; ++at) {
      const double* slot = s->ids + at;
      const bool queued = slot >= first && slot < end;
      if (!queued && s->natives[at].function != nullptr) {
        return SR_PROBLEM("a native tick where none is queued");
      }
    }
    last = s;
  }
  if (last != tail) return SR_PROBLEM("the tail is not the last segment");
  std::uint32_t spares = 0;
  for (const Segment* s = spares_; s != nullptr; s = s->next) {
    if (region_.usable_size(s->ids) < kIdsSize) return SR_PROBLEM("a spare is not in live blocks");
    if (++spares > kSpares) return SR_PROBLEM("too many spares");
  }
  if (spares != spare_count_) return SR_PROBLEM("the spares are not as many as counted");
  return nullptr;
}

}  // namespace slabring
