#include "slabring/async_id_stack.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mapping.hpp"

namespace slabring {
namespace {

using test::MappedRegion;

std::string problem_of(const AsyncIdStack& stack) {
  const char* problem = stack.find_problem();
  return problem == nullptr ? "" : problem;
}

class AsyncIdStackTest : public testing::Test {
 protected:
  void expect_current(double execution_id, double trigger_id, std::uint32_t depth) {
    EXPECT_EQ(stack_.execution_id(), execution_id);
    EXPECT_EQ(stack_.trigger_id(), trigger_id);
    EXPECT_EQ(stack_.depth(), depth);
    EXPECT_EQ(problem_of(stack_), "");
  }

  MappedRegion region_{64};
  AsyncIdStack stack_{*region_};
};

TEST_F(AsyncIdStackTest, BeginsAsTheProgramItselfAndAllocatesNothing) {
  expect_current(AsyncIdStack::kRootId, 0, 0);
  EXPECT_EQ(region_->stats().live_bytes, 0U);
}

TEST_F(AsyncIdStackTest, NewIdsAreNewAndNotTheRoots) {
  EXPECT_EQ(stack_.new_id(), AsyncIdStack::kRootId + 1);
  EXPECT_EQ(stack_.new_id(), AsyncIdStack::kRootId + 2);
}

TEST_F(AsyncIdStackTest, PopGoesBackToWhatWasInterrupted) {
  ASSERT_TRUE(stack_.push(10, 1));
  ASSERT_TRUE(stack_.push(11, 10));
  expect_current(11, 10, 2);
  EXPECT_TRUE(stack_.pop(11));
  expect_current(10, 1, 1);
  EXPECT_TRUE(stack_.pop(10));
  expect_current(AsyncIdStack::kRootId, 0, 0);
}

TEST_F(AsyncIdStackTest, PopOfAnotherIdChangesNothing) {
  ASSERT_TRUE(stack_.push(10, 1));
  ASSERT_TRUE(stack_.push(11, 10));
  EXPECT_FALSE(stack_.pop(10));
  expect_current(11, 10, 2);
}

TEST_F(AsyncIdStackTest, PopOfNothingChangesNothing) {
  EXPECT_FALSE(stack_.pop(AsyncIdStack::kRootId));
  expect_current(AsyncIdStack::kRootId, 0, 0);
}

TEST_F(AsyncIdStackTest, ReplaceKeepsWhatWasInterrupted) {
  ASSERT_TRUE(stack_.push(10, 1));
  stack_.replace(20, 2);
  expect_current(20, 2, 1);
  EXPECT_TRUE(stack_.pop(20));
  expect_current(AsyncIdStack::kRootId, 0, 0);
}

TEST_F(AsyncIdStackTest, GrowsThreefoldPastTheFirstSixteen) {
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(stack_.push(100 + i, i));
  EXPECT_EQ(stack_.control().capacity, 16U);
  ASSERT_TRUE(stack_.push(200, 0));
  EXPECT_EQ(stack_.control().capacity, 48U);
  expect_current(200, 0, 17);
  // The old block went back.
  EXPECT_EQ(region_->stats().live_bytes, region_->usable_size(stack_.control().pairs));
}

TEST_F(AsyncIdStackTest, TenThousandDeepAllTheWayDownAndUp) {
  constexpr std::uint32_t kDepth = 10'000;
  for (std::uint32_t i = 0; i < kDepth; ++i) ASSERT_TRUE(stack_.push(100 + i, i));
  EXPECT_EQ(problem_of(stack_), "");
  for (std::uint32_t i = kDepth; i-- > 0;) {
    ASSERT_EQ(stack_.execution_id(), 100 + i);
    ASSERT_EQ(stack_.trigger_id(), i);
    ASSERT_TRUE(stack_.pop(100 + i));
  }
  expect_current(AsyncIdStack::kRootId, 0, 0);
}

TEST_F(AsyncIdStackTest, ClearGoesBackToTheProgramItself) {
  for (std::uint32_t i = 0; i < 50; ++i) ASSERT_TRUE(stack_.push(100 + i, i));
  stack_.clear();
  expect_current(AsyncIdStack::kRootId, 0, 0);
}

TEST_F(AsyncIdStackTest, ReserveMakesRoomForOneMore) {
  ASSERT_TRUE(stack_.reserve());
  EXPECT_EQ(stack_.control().capacity, 16U);
  ASSERT_TRUE(stack_.reserve()) << "there is room";
  EXPECT_EQ(stack_.control().capacity, 16U);
}

TEST_F(AsyncIdStackTest, WithoutRoomNothingChanges) {
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(stack_.push(100 + i, i));
  while (region_->allocate(48 * sizeof(AsyncIdStack::Pair)) != nullptr) {
  }
  EXPECT_FALSE(stack_.push(200, 0));
  EXPECT_FALSE(stack_.reserve());
  expect_current(115, 15, 16);
  EXPECT_TRUE(stack_.pop(115));
  EXPECT_TRUE(stack_.push(300, 3)) << "within the room there is";
  expect_current(300, 3, 16);
}

TEST_F(AsyncIdStackTest, FreesItsBlockInTheEnd) {
  {
    AsyncIdStack other(*region_);
    ASSERT_TRUE(other.push(5, 1));
    EXPECT_GT(region_->stats().live_bytes, 0U);
  }
  EXPECT_EQ(region_->stats().live_bytes, 0U);
}

TEST_F(AsyncIdStackTest, SeesWhatIsWrong) {
  ASSERT_TRUE(stack_.push(5, 1));
  stack_.control().depth = 17;
  EXPECT_FALSE(stack_.is_valid());
  stack_.control().depth = 1;
  stack_.control().capacity = 4096;
  EXPECT_FALSE(stack_.is_valid());
  stack_.control().capacity = 16;
  EXPECT_EQ(problem_of(stack_), "");
}

TEST_F(AsyncIdStackTest, WhatIsBelowTheBaseIsNeitherPoppedNorCleared) {
  ASSERT_TRUE(stack_.push(5, 1));
  ASSERT_TRUE(stack_.push(6, 5));
  stack_.control().base = 2;
  EXPECT_FALSE(stack_.pop(6));
  expect_current(6, 5, 2);
  ASSERT_TRUE(stack_.push(7, 6));
  EXPECT_TRUE(stack_.pop(7));
  EXPECT_FALSE(stack_.pop(6));
  ASSERT_TRUE(stack_.push(8, 6));
  stack_.clear();
  expect_current(AsyncIdStack::kRootId, 0, 2);
  EXPECT_EQ(problem_of(stack_), "");
  stack_.control().base = 3;
  EXPECT_FALSE(stack_.is_valid());
}

// A tick's own ids are what a push puts away first, where the tick popped all that was before it.
TEST_F(AsyncIdStackTest, TheOutermostPairNeedNotBeTheProgramItself) {
  stack_.replace(7, 3);
  ASSERT_TRUE(stack_.push(8, 7));
  EXPECT_EQ(problem_of(stack_), "");
  ASSERT_TRUE(stack_.pop(8));
  EXPECT_EQ(stack_.execution_id(), 7);
}

// Random use, compared with a vector.
TEST_F(AsyncIdStackTest, RandomUseEqualsAModel) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    AsyncIdStack stack(*region_);
    std::vector<AsyncIdStack::Pair> model{{AsyncIdStack::kRootId, 0}};
    for (int step = 0; step < 4000; ++step) {
      const auto roll = random() % 100;
      const auto [execution_id, trigger_id] = model.back();
      // Waves, up to some hundreds deep.
      if (roll < ((step / 400) % 2 == 0 ? 70U : 35U)) {
        const double id = stack.new_id();
        ASSERT_TRUE(stack.push(id, execution_id));
        model.push_back({id, execution_id});
      } else if (roll < 95) {
        ASSERT_EQ(stack.pop(execution_id), model.size() > 1);
        if (model.size() > 1) model.pop_back();
      } else if (roll < 99) {
        ASSERT_FALSE(stack.pop(execution_id + 1));
      } else if (random() % 20 == 0) {
        stack.clear();
        model.resize(1);
      }
      ASSERT_EQ(stack.execution_id(), model.back().execution_id);
      ASSERT_EQ(stack.trigger_id(), model.back().trigger_id);
      ASSERT_EQ(stack.depth(), model.size() - 1);
      ASSERT_EQ(problem_of(stack), "") << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace slabring
