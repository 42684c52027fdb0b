#include "slabring/async_id_stack.hpp"

#include <cstring>

#include "slabring/assert.hpp"

namespace slabring {

AsyncIdStack::~AsyncIdStack() {
  if (control_.pairs != nullptr) region_.free(control_.pairs);
}

bool AsyncIdStack::reserve() {
  if (control_.depth < control_.capacity) return true;
  const std::uint32_t capacity =
      control_.capacity == 0 ? kFirstCapacity : control_.capacity * kGrowth;
  // Beyond this the bytes would not fit in 32 bits.
  constexpr std::uint32_t kMost = UINT32_MAX / sizeof(Pair) / kGrowth;
  if (control_.capacity > kMost) return false;
  auto* pairs = static_cast<Pair*>(region_.allocate(std::size_t{capacity} * sizeof(Pair)));
  if (pairs == nullptr) return false;
  if (control_.pairs != nullptr) {
    std::memcpy(pairs, control_.pairs, std::size_t{control_.depth} * sizeof(Pair));
    region_.free(control_.pairs);
  }
  control_.pairs = pairs;
  control_.capacity = capacity;
  return true;
}

bool AsyncIdStack::push(double async_id, double trigger_id) {
  if (!reserve()) return false;
  control_.pairs[control_.depth++] = {control_.execution_id, control_.trigger_id};
  replace(async_id, trigger_id);
  return true;
}

bool AsyncIdStack::pop(double async_id) {
  if (control_.depth <= control_.base || control_.execution_id != async_id) return false;
  const Pair& below = control_.pairs[--control_.depth];
  replace(below.execution_id, below.trigger_id);
  return true;
}

void AsyncIdStack::clear() {
  control_.depth = control_.base;
  replace(kRootId, 0);
}

const char* AsyncIdStack::find_problem() const {
  const Control& control = control_;
  if (control.base > control.depth) return SR_PROBLEM("fewer pairs than a drain began with");
  if (control.depth > control.capacity) return SR_PROBLEM("more pairs than there is room for");
  if ((control.pairs == nullptr) != (control.capacity == 0)) {
    return SR_PROBLEM("a capacity without a block");
  }
  if (region_.usable_size(control.pairs) / sizeof(Pair) < control.capacity) {
    return SR_PROBLEM("the block is no live block of that capacity");
  }
  return nullptr;
}

}  // namespace slabring
