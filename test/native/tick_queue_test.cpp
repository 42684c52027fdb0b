#include "slabring/tick_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mapping.hpp"

namespace slabring {
namespace {

using test::MappedRegion;

constexpr std::uint32_t kSlots = TickQueue::kSlots;

std::string problem_of(const TickQueue& queue) {
  const char* problem = queue.find_problem();
  return problem == nullptr ? "" : problem;
}

int scheduled = 0;

class TickQueueTest : public testing::Test {
 protected:
  TickQueueTest() { scheduled = 0; }

  // A tick that notes its number.
  struct Tick {
    TickQueueTest* test;
    int number;
  };
  static void note(void* data) {
    auto* tick = static_cast<Tick*>(data);
    tick->test->ran_.push_back(tick->number);
  }
  void push(int number) {
    ticks_.push_back({this, number});
    ASSERT_TRUE(queue_.push(&note, &ticks_.back()));
  }

  // As JavaScript does it: only the ids are in linear memory.
  void push_javascript() {
    ASSERT_TRUE(queue_.reserve());
    double* slot = queue_.control().tail++;
    slot[0] = ids_.new_id();
    slot[kSlots] = ids_.execution_id();
  }
  double take_javascript() { return *queue_.control().head++; }

  MappedRegion region_{512};
  AsyncIdStack ids_{*region_};
  TickQueue queue_{*region_, ids_, [] { ++scheduled; }};
  std::deque<Tick> ticks_;
  std::vector<int> ran_;
};

TEST_F(TickQueueTest, BeginsEmptyAndAllocatesNothing) {
  EXPECT_TRUE(queue_.is_empty());
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_FALSE(queue_.run_native());
  EXPECT_EQ(region_->stats().live_bytes, 0U);
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, RunsInTheOrderOfPushing) {
  for (int i = 0; i < 5; ++i) push(i);
  EXPECT_EQ(queue_.size(), 5U);
  EXPECT_TRUE(ran_.empty());
  EXPECT_FALSE(queue_.run_native());
  EXPECT_EQ(ran_, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(queue_.is_empty());
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, AsksOnceToBeDrained) {
  push(0);
  push(1);
  EXPECT_EQ(scheduled, 1);
  queue_.run_native();
  push(2);
  EXPECT_EQ(scheduled, 1) << "who drains says when it is done";
  queue_.control().state |= TickQueue::kIdle;
  push(3);
  EXPECT_EQ(scheduled, 2);
}

TEST_F(TickQueueTest, TakesNoMoreOnceItRefuses) {
  push(0);
  queue_.control().state |= TickQueue::kRefused;
  Tick tick{this, 1};
  EXPECT_FALSE(queue_.push(&note, &tick));
  EXPECT_EQ(queue_.size(), 1U);
  queue_.run_native();
  EXPECT_EQ(ran_, std::vector<int>{0});
}

TEST_F(TickQueueTest, EveryTickHasAnIdAndTheTriggerThatPushedIt) {
  struct Seen {
    AsyncIdStack* ids;
    double execution_id = 0;
    double trigger_id = 0;
  } seen{&ids_};
  ASSERT_TRUE(ids_.push(50, 1));
  ASSERT_TRUE(queue_.push(
      [](void* data) {
        auto* s = static_cast<Seen*>(data);
        s->execution_id = s->ids->execution_id();
        s->trigger_id = s->ids->trigger_id();
      },
      &seen));
  ASSERT_TRUE(ids_.pop(50));
  queue_.run_native();
  EXPECT_EQ(seen.execution_id, AsyncIdStack::kRootId + 1);
  EXPECT_EQ(seen.trigger_id, 50);
  EXPECT_EQ(ids_.execution_id(), AsyncIdStack::kRootId);
  EXPECT_EQ(ids_.trigger_id(), 0);
}

TEST_F(TickQueueTest, ATickMayPushTicks) {
  struct Chain {
    TickQueue* queue;
    int left;
  } chain{&queue_, 100'000};
  static TickQueue::Function step = [](void* data) {
    auto* c = static_cast<Chain*>(data);
    if (--c->left > 0) c->queue->push(step, c);
  };
  ASSERT_TRUE(queue_.push(step, &chain));
  EXPECT_FALSE(queue_.run_native());
  EXPECT_EQ(chain.left, 0);
  // Never more than two segments and the spares, with their natives.
  EXPECT_LE(region_->stats().peak_bytes, (2 + TickQueue::kSpares) * (3U * 32 * 1024));
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, EverySlotOfASegmentIsUsed) {
  for (std::uint32_t i = 0; i < kSlots; ++i) push(static_cast<int>(i));
  EXPECT_EQ(queue_.control().head_segment, queue_.control().tail_segment);
  push(-1);
  EXPECT_NE(queue_.control().head_segment, queue_.control().tail_segment);
  EXPECT_EQ(queue_.size(), kSlots + 1);
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, ALongBurstRunsAndItsMemoryComesBack) {
  constexpr int kTicks = 200'000;
  for (int i = 0; i < kTicks; ++i) push(i);
  EXPECT_EQ(problem_of(queue_), "");
  const std::uint32_t most = region_->stats().live_bytes;
  EXPECT_FALSE(queue_.run_native());
  ASSERT_EQ(ran_.size(), std::size_t{kTicks});
  for (int i = 0; i < kTicks; ++i) ASSERT_EQ(ran_[i], i);
  EXPECT_EQ(queue_.spares(), TickQueue::kSpares);
  EXPECT_LT(region_->stats().live_bytes, most / 10);
  EXPECT_EQ(problem_of(queue_), "");
  queue_.trim();
  EXPECT_EQ(queue_.spares(), 0U);
  EXPECT_LT(region_->stats().live_bytes, 3U * 32 * 1024);
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, AnEmptiedSegmentIsUsedFromItsStart) {
  push(0);
  queue_.run_native();
  EXPECT_EQ(queue_.control().tail, queue_.control().tail_segment->ids);
  // Even where the last slot was the last taken.
  for (std::uint32_t i = 0; i < kSlots; ++i) push(static_cast<int>(i));
  queue_.run_native();
  EXPECT_EQ(queue_.control().tail, queue_.control().tail_segment->ids);
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, StopsWhereJavaScriptIsNext) {
  push(0);
  push_javascript();
  push(1);
  EXPECT_TRUE(queue_.run_native());
  EXPECT_EQ(ran_, std::vector<int>{0});
  EXPECT_TRUE(queue_.run_native()) << "still";
  EXPECT_EQ(take_javascript(), AsyncIdStack::kRootId + 2);
  EXPECT_FALSE(queue_.run_native());
  EXPECT_EQ(ran_, (std::vector<int>{0, 1}));
}

TEST_F(TickQueueTest, ASegmentThatJavaScriptEmptiedIsUnlinkedAtTheNextPush) {
  for (std::uint32_t i = 0; i < kSlots; ++i) push_javascript();
  for (std::uint32_t i = 0; i < kSlots; ++i) take_javascript();
  EXPECT_TRUE(queue_.is_empty());
  push_javascript();
  EXPECT_FALSE(queue_.is_empty());
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(queue_.spares(), 1U);
  EXPECT_EQ(problem_of(queue_), "");
}

TEST_F(TickQueueTest, WhatATickLeavesPushedOrPopsGoesWithIt) {
  static AsyncIdStack* ids = nullptr;
  ids = &ids_;
  const auto leave_pushed = [](void* /*data*/) {
    ids->push(7, 7);
    ids->push(8, 7);
    EXPECT_TRUE(ids->is_valid());
  };
  const auto pop_others = [](void* /*data*/) {
    EXPECT_EQ(ids->depth(), 1U);
    ids->pop(ids->execution_id());
  };
  ids_.push(5, 1);
  ASSERT_TRUE(queue_.push(leave_pushed, nullptr));
  ASSERT_TRUE(queue_.push(pop_others, nullptr));
  EXPECT_FALSE(queue_.run_native());
  EXPECT_EQ(ids_.depth(), 1U);
  EXPECT_EQ(ids_.execution_id(), 5);
  EXPECT_EQ(ids_.trigger_id(), 1);
  EXPECT_TRUE(ids_.pop(5));
  EXPECT_EQ(ids_.execution_id(), AsyncIdStack::kRootId);
}

TEST_F(TickQueueTest, MakesRoomForTheIdsOfADrainToo) {
  EXPECT_EQ(ids_.control().capacity, 0U);
  push(0);
  EXPECT_EQ(ids_.control().capacity, AsyncIdStack::kFirstCapacity);
}

TEST_F(TickQueueTest, WithoutRoomNothingChanges) {
  for (std::uint32_t i = 0; i < kSlots; ++i) push(static_cast<int>(i));
  while (region_->allocate(32 * 1024) != nullptr) {
  }
  Tick tick{this, -1};
  const double last = ids_.control().last_id;
  EXPECT_FALSE(queue_.push(&note, &tick));
  EXPECT_FALSE(queue_.reserve());
  EXPECT_EQ(queue_.size(), kSlots);
  EXPECT_EQ(ids_.control().last_id, last);
  EXPECT_EQ(problem_of(queue_), "");
  queue_.run_native();
  EXPECT_EQ(ran_.size(), kSlots);
  push(7);
  queue_.run_native();
  EXPECT_EQ(ran_.back(), 7);
}

TEST_F(TickQueueTest, NumbersWrapAround) {
  push(0);
  queue_.control().tail_segment->number = UINT32_MAX;
  for (std::uint32_t i = 1; i < 3 * kSlots; ++i) push(static_cast<int>(i));
  EXPECT_EQ(queue_.size(), 3 * kSlots);
  EXPECT_EQ(problem_of(queue_), "");
  queue_.run_native();
  EXPECT_EQ(ran_.size(), 3 * kSlots);
}

TEST_F(TickQueueTest, FreesItsSegmentsInTheEnd) {
  ASSERT_TRUE(ids_.reserve());
  const std::uint32_t before = region_->stats().live_bytes;
  {
    TickQueue other(*region_, ids_, [] {});
    Tick tick{this, 0};
    for (std::uint32_t i = 0; i < 8 * kSlots; ++i) ASSERT_TRUE(other.push(&note, &tick));
    for (std::uint32_t i = 0; i < 4; ++i) other.run_native();
    ASSERT_TRUE(other.push(&note, &tick));
  }
  EXPECT_EQ(region_->stats().live_bytes, before);
}

TEST_F(TickQueueTest, SeesWhatIsWrong) {
  for (std::uint32_t i = 0; i < 2 * kSlots; ++i) push(static_cast<int>(i));
  TickQueue::Control& control = queue_.control();
  const TickQueue::Control saved = control;
  --control.head;
  EXPECT_FALSE(queue_.is_valid());
  control = saved;
  control.head_segment->number += 1;
  EXPECT_FALSE(queue_.is_valid());
  control.head_segment->number -= 1;
  control.tail_segment = control.head_segment;
  EXPECT_FALSE(queue_.is_valid());
  control = saved;
  ++control.head;
  EXPECT_FALSE(queue_.is_valid()) << "a native tick before the head";
  control = saved;
  EXPECT_EQ(problem_of(queue_), "");
}

// Random use, compared with a deque; JavaScript's ticks are played by the test.
TEST_F(TickQueueTest, RandomUseEqualsAModel) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    std::deque<int> model;  // native ticks by number, JavaScript's as -1
    ran_.clear();
    ticks_.clear();
    std::vector<int> expected;
    int next = 0;
    for (int step = 0; step < 400; ++step) {
      const bool grow = (step / 50) % 2 == 0;
      const auto count = random() % (grow ? 900 : 200);
      switch (random() % (grow ? 3 : 5)) {
        case 0:
          for (unsigned i = 0; i < count; ++i) {
            push(next);
            model.push_back(next++);
          }
          break;
        case 1:
          for (unsigned i = 0; i < count; ++i) {
            push_javascript();
            model.push_back(-1);
          }
          break;
        default:
          for (unsigned i = 0; i < 3 * count && !model.empty(); ++i) {
            const bool javascript = queue_.run_native();
            while (!model.empty() && model.front() >= 0) {
              expected.push_back(model.front());
              model.pop_front();
            }
            ASSERT_EQ(javascript, !model.empty());
            if (!javascript) break;
            take_javascript();
            model.pop_front();
          }
      }
      ASSERT_EQ(queue_.size(), model.size());
      ASSERT_EQ(ran_, expected);
      ASSERT_EQ(problem_of(queue_), "") << "seed " << seed << ", step " << step;
    }
    while (queue_.run_native()) take_javascript();
  }
}

}  // namespace
}  // namespace slabring
