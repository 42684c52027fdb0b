// Random programs of ticks and ids: a tick queue and an id stack do the same, at the same time, as
// a plain list and a plain stack. Ticks push, drain and change ids from within. The part of
// JavaScript, its drain above all, is played here as js/tick-queue.js does it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "mapping.hpp"
#include "slabring/tick_queue.hpp"

namespace slabring::test {

struct TickOperation {
  enum class Kind : std::uint8_t {
    kPushNative,
    kPushJavascript,
    kPushMany,
    kRunNative,
    kDrain,
    kReserve,
    kTrim,
    kRefuse,  // from now on, or not any more
    kIdPush,
    kIdPushMany,
    kIdPop,
    kIdPopWrong,
    kIdClear,
    kNewId,
    kTakeRoom,  // a block of the region's: soon there is no room for ticks
    kGiveRoom,
    kCheck,
  };
  static constexpr std::array kNames = {
      "push_native", "push_javascript", "push_many", "run_native",   "drain",  "reserve",
      "trim",        "refuse",          "id_push",   "id_push_many", "id_pop", "id_pop_wrong",
      "id_clear",    "new_id",          "take_room", "give_room",    "check"};
  static constexpr std::uint8_t kKinds = kNames.size();

  Kind kind;
  std::uint8_t detail;
  std::uint32_t value;

  // Now and then around the ends of one and two segments.
  [[nodiscard]] std::uint32_t many() const {
    switch (value % 32) {
      case 0:
        return (value / 32 % 3 * TickQueue::kSlots) + (value / 128 % 5);
      case 1:
        return TickQueue::kSlots - 4 + (value / 32 % 8);
      case 2:
        return value / 32 % 5000;
      default:
        return value / 32 % 40;
    }
  }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << kNames[static_cast<std::size_t>(kind)];
    if (kind == Kind::kPushMany) out << ' ' << many();
    out << ' ' << int{detail} << " #" << value;
    return out.str();
  }
};

class TicksModel {
 public:
  explicit TicksModel(const MappedRegion& region) : region_(region) { scheduled() = 0; }

  // Null when queue and stack did as the model; else what one of them did otherwise.
  [[nodiscard]] const char* step(const TickOperation& operation) {
    act(operation);
    ++steps_;
    if (problem_ == nullptr) check();
    return problem_;
  }

  [[nodiscard]] const char* finish() {
    state() &= ~TickQueue::kRefused;
    // What is still queued shall push nothing: else there might be no end.
    quiet_ = true;
    clear_ids();  // a drain needs one pair
    drain();
    if (problem_ == nullptr && !queue_.empty()) problem_ = "a drain left ticks";
    steps_ = 0;
    if (problem_ == nullptr) check();
    if (problem_ != nullptr) return problem_;
    real_.reset();
    ids_.reset();
    for (void* block : room_) region_->free(block);
    if (region_->stats().live_bytes != 0) return "the queue or the stack left memory behind";
    return region_->find_problem();
  }

 private:
  using Kind = TickOperation::Kind;

  struct Ids {
    double execution;
    double trigger;
    bool operator==(const Ids& other) const {
      return execution == other.execution && trigger == other.trigger;
    }
  };
  struct Tick {
    TicksModel* model;
    Ids ids;
    bool native;
    std::uint32_t deed;  // what it does when it runs; 0: nothing
  };

  static constexpr std::size_t kMostTicks = 20'000;
  static constexpr unsigned kMostNested = 4;

  // The queue calls a plain function. One model is alive at a time.
  static std::uint32_t& scheduled() {
    static std::uint32_t count = 0;
    return count;
  }

  std::uint32_t& state() { return real_->control().state; }

  void wrong(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }

  void act(const TickOperation& operation) {
    const std::uint32_t value = operation.value;
    switch (operation.kind) {
      case Kind::kPushNative:
        return push(true, value);
      case Kind::kPushJavascript:
        return push(false, value);
      case Kind::kPushMany:
        for (std::uint32_t i = operation.many(); i > 0 && queue_.size() < kMostTicks; --i) {
          const bool native = operation.detail % 4 == 0 ? i % 3 == 0 : operation.detail % 2 == 0;
          push(native, operation.detail % 8 == 7 ? i : 0);
        }
        return;
      case Kind::kRunNative:
        return run_native();
      case Kind::kDrain:
        return drain();
      case Kind::kReserve:
        if (!real_->reserve()) wrong_unless_full();
        return;
      case Kind::kTrim:
        real_->trim();
        if (real_->spares() != 0) wrong("trim left spare segments");
        return;
      case Kind::kRefuse:
        state() ^= TickQueue::kRefused;
        return;
      case Kind::kIdPush:
        return push_ids(value);
      case Kind::kIdPushMany:
        for (std::uint32_t i = 0; i < operation.many(); ++i) push_ids(value + i);
        return;
      case Kind::kIdPop:
        return pop_ids();
      case Kind::kIdPopWrong:
        if (ids_->pop(current_.execution + 1 + value)) wrong("a wrong id was popped");
        return;
      case Kind::kIdClear:
        return clear_ids();
      case Kind::kNewId:
        if (ids_->new_id() != ++last_id_) wrong("a new id is not the next");
        return;
      case Kind::kTakeRoom:
        return take_room(operation);
      case Kind::kGiveRoom:
        if (room_.empty()) return;
        if (!region_->free(room_.back())) wrong("a block was freed by somebody else");
        room_.pop_back();
        return;
      case Kind::kCheck:
        steps_ = 0;
        return;
    }
  }

  void push(bool native, std::uint32_t deed) {
    if (queue_.size() >= kMostTicks) return;
    Tick& tick = queue_.emplace_back(Tick{this, {last_id_ + 1, current_.execution}, native, deed});
    const bool refused = (state() & TickQueue::kRefused) != 0;
    const bool idle = (state() & TickQueue::kIdle) != 0;
    const std::size_t size = real_->size();
    const std::uint32_t before = scheduled();
    if (native ? real_->push(&run_tick, &tick) : !refused && push_javascript()) {
      ++last_id_;
      if (refused) wrong("a tick was taken though none is");
      if (native && scheduled() != before + (idle ? 1 : 0)) wrong("it asked to be drained wrongly");
      return;
    }
    queue_.pop_back();
    if (real_->size() != size || scheduled() != before) wrong("a refused push changed something");
    if (ids_->control().last_id != last_id_) wrong("a refused push took an id");
    if (!refused) wrong_unless_full();
  }

  // As JavaScript does it: the ids, and nothing else, are in linear memory.
  bool push_javascript() {
    if (!real_->reserve()) return false;
    double* slot = real_->control().tail++;
    slot[0] = ids_->new_id();
    slot[TickQueue::kSlots] = ids_->execution_id();
    return true;
  }

  // A segment takes three pages at most: of its own, of its ids and of its native ticks.
  void wrong_unless_full() {
    const RegionStats& stats = region_->stats();
    if (stats.pages_in_use + 3 <= stats.page_count) wrong("refused, though there is room");
  }

  static void run_tick(void* data) {
    auto* tick = static_cast<Tick*>(data);
    tick->model->ran(tick);
  }

  // A tick is being run: it must be the first of the list, with its own ids current.
  void ran(const Tick* which) {
    if (queue_.empty() || (which != nullptr && which != &queue_.front())) {
      return wrong("a tick ran out of order");
    }
    const Tick tick = queue_.front();
    queue_.pop_front();
    if (tick.native != (which != nullptr)) wrong("a tick of the other kind was next");
    // What the tick before left pushed went with it.
    stack_.resize(floor_);
    if (ids_->depth() != floor_) wrong("a tick begins at another depth");
    current_ = tick.ids;
    check_ids();
    if (quiet_ || problem_ != nullptr) return;
    const std::uint32_t more = tick.deed / 8;
    switch (tick.deed % 8) {
      case 1:
        push(true, more);
        return;
      case 2:
        push(false, more);
        push(true, more / 2);
        return;
      case 3: {
        const std::size_t depth = stack_.size();
        push_ids(more);
        push(tick.native, more);
        if (stack_.size() > depth) pop_ids();
        return;
      }
      case 4:
        return run_native();
      case 5:
        return drain();
      case 6:
        real_->trim();
        return;
      case 7:
        return push_ids(more);  // and leaves them
      default:
        return;
    }
  }

  void run_native() {
    if (nested_ == kMostNested) return;
    ++nested_;
    const Ids before = current_;
    const std::size_t outer = floor_;
    floor_ = stack_.size();
    const bool more = real_->run_native();
    stack_.resize(floor_);
    floor_ = outer;
    current_ = before;
    --nested_;
    if (more != (!queue_.empty() && !queue_.front().native)) {
      wrong("it is wrong about whether a tick of JavaScript's is next");
    }
    if (!more && !queue_.empty()) wrong("run_native left a native tick");
  }

  // js/tick-queue.js, run().
  void drain() {
    if (nested_ == kMostNested) return;
    const Ids before = current_;
    if (!ids_->push(before.execution, before.trigger)) return;
    stack_.push_back(before);
    ++nested_;
    const std::size_t outer = floor_;
    floor_ = stack_.size();
    TickQueue::Control& control = real_->control();
    while (!real_->is_empty() && problem_ == nullptr) {
      const TickQueue::Segment* segment = control.head_segment;
      const std::ptrdiff_t at = control.head - segment->ids;
      if (at == TickQueue::kSlots ||
          (segment->natives != nullptr && segment->natives[at].function != nullptr)) {
        if (!real_->run_native()) break;
        stack_.resize(floor_);
        continue;
      }
      const double* slot = control.head++;
      ids_->replace(slot[0], slot[TickQueue::kSlots]);
      ran(nullptr);
      ids_->control().depth = static_cast<std::uint32_t>(floor_);
    }
    stack_.resize(floor_ - 1);
    floor_ = outer;
    --nested_;
    AsyncIdStack::Control& ids = ids_->control();
    const AsyncIdStack::Pair& below = ids.pairs[--ids.depth];
    ids_->replace(below.execution_id, below.trigger_id);
    current_ = before;
  }

  void push_ids(std::uint32_t value) {
    const Ids ids = {static_cast<double>(value % 1000), static_cast<double>(value / 1000)};
    if (!ids_->push(ids.execution, ids.trigger)) {
      if (stack_.size() < AsyncIdStack::kFirstCapacity) wrong_unless_full();
      return;
    }
    stack_.push_back(current_);
    current_ = ids;
  }

  void pop_ids() {
    const bool popped = ids_->pop(current_.execution);
    if (popped == stack_.empty()) return wrong("a pop is wrong about whether anything was pushed");
    if (!popped) return;
    current_ = stack_.back();
    stack_.pop_back();
  }

  void clear_ids() {
    ids_->clear();
    stack_.clear();
    current_ = {AsyncIdStack::kRootId, 0};
  }

  void take_room(const TickOperation& operation) {
    const std::size_t size =
        operation.detail % 2 == 0 ? std::size_t{operation.value} * 8 : operation.value % 40'000;
    if (void* block = region_->allocate(size)) room_.push_back(block);
  }

  void check_ids() {
    if (!(Ids{ids_->execution_id(), ids_->trigger_id()} == current_))
      wrong("other ids are current");
  }

  void check() {
    check_ids();
    if (real_->size() != queue_.size()) wrong("size is wrong");
    if (real_->is_empty() != queue_.empty()) wrong("is_empty is wrong");
    if (ids_->control().last_id != last_id_) wrong("the last id is another");
    if (ids_->depth() != stack_.size()) return wrong("depth is wrong");
    for (std::size_t i = 0; i < stack_.size() && (i < 20 || steps_ % 16 == 0); ++i) {
      const AsyncIdStack::Pair& pair = ids_->control().pairs[i];
      if (!(Ids{pair.execution_id, pair.trigger_id} == stack_[i])) wrong("a pair is another");
    }
    if (const char* problem = ids_->find_problem()) return wrong(problem);
    if (steps_ % 16 == 0) {
      if (const char* problem = real_->find_problem()) return wrong(problem);
    }
    if (steps_ % 64 == 0) {
      if (const char* problem = region_->find_problem()) return wrong(problem);
    }
  }

  const MappedRegion& region_;
  std::optional<AsyncIdStack> ids_{std::in_place, *region_};
  std::optional<TickQueue> real_{std::in_place, *region_, *ids_, [] { ++scheduled(); }};
  std::deque<Tick> queue_;
  std::vector<Ids> stack_;
  Ids current_{AsyncIdStack::kRootId, 0};
  double last_id_ = AsyncIdStack::kRootId;
  std::vector<void*> room_;
  const char* problem_ = nullptr;
  unsigned nested_ = 0;
  std::size_t floor_ = 0;  // the depth at which ticks begin
  bool quiet_ = false;
  std::uint64_t steps_ = 0;
};

}  // namespace slabring::test
