// Random use of whole regions, compared with the model. Each sequence runs in a process of its
// own, so that one that ends in an assertion or under a sanitizer can be shortened like any other.
#include "model.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace slabring::test {
namespace {

using Sequence = std::vector<Operation>;
using Kind = Operation::Kind;

struct Shape {
  std::uint32_t pages;      // of the region, metadata included
  std::uint32_t alignment;  // of its address, in pages, and how many pages it is past that
  std::uint32_t skew;
  std::size_t steps;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.pages << " pages";
}

constexpr Shape kShapes[] = {
    {2, 1, 0, 1500},          // one page to hand out
    {8, 8, 3, 1500},          // always full
    {64, 64, 1, 3000},        // the fuzz target's
    {300, 1024, 1023, 3000},  // several pages of metadata
    {1500, 1024, 1000, 400},  // never full: next to freed pages there are always fresh ones
};
constexpr unsigned kSeeds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

// Waves of growth and decline, each with sizes of another kind, so that the region gets full,
// empty, and fragmented in between.
Sequence make_sequence(unsigned seed, std::size_t steps) {
  std::mt19937 random(seed);
  Sequence sequence;
  std::uint32_t size_kind = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    if (step % 50 == 0) size_kind = random() % 10;
    const bool grow = (step / 150) % 2 == 0;
    const auto roll = random() % 100;
    Kind kind{};
    if (roll < 60) {
      constexpr Kind kAllocations[] = {Kind::kAllocate, Kind::kZeroed, Kind::kZeroed,
                                       Kind::kAligned,  Kind::kRun,    Kind::kRow};
      kind = grow ? kAllocations[random() % 6] : Kind::kFree;
      if (!grow && random() % 8 == 0) kind = Kind::kReclaim;
    } else if (roll < 80) {
      kind = grow ? Kind::kFree : Kind::kZeroed;
    } else {
      constexpr Kind kOthers[] = {Kind::kFreeAgain, Kind::kFreeInside,     Kind::kFreeForeign,
                                  Kind::kReclaim,   Kind::kReclaimForeign, Kind::kWrite,
                                  Kind::kWrite,     Kind::kCheck};
      kind = random() % 16 == 0 ? Kind::kTrim : kOthers[random() % 8];
    }
    auto value = static_cast<std::uint32_t>(random());
    if (size_kind < 7) value = (value & ~(7U << 20)) | (size_kind << 20);
    const std::uint32_t log_alignment = random() % 70;
    sequence.push_back({kind, static_cast<std::uint8_t>(log_alignment), value});
  }
  return sequence;
}

// How many steps went well, and what the next did otherwise.
struct Outcome {
  std::size_t steps;
  std::string problem;
};

Outcome run(const Sequence& sequence, const Shape& shape,
            const std::function<void(std::size_t)>& before) {
  const MappedRegion region(shape.pages, shape.alignment, shape.skew);
  Model model(region);
  for (std::size_t step = 0; step < sequence.size(); ++step) {
    before(step);
    if (const char* problem = model.step(sequence[step])) return {step, problem};
  }
  before(sequence.size());
  const char* problem = model.finish();
  return {sequence.size(), problem == nullptr ? "" : problem};
}

// The same in a process of its own, which has `seconds`. Where that ends before its time, or
// hangs, its step is still known.
Outcome run_apart(const Sequence& sequence, const Shape& shape, unsigned seconds, bool quiet) {
  int ends[2];
  if (pipe(ends) != 0) return {0, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    if (quiet) {
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(nowhere, STDERR_FILENO);
    }
    // One byte a step, then a 0 and the words, if any.
    const auto send = [&ends](const void* bytes, std::size_t size) {
      if (write(ends[1], bytes, size) < 0) _exit(2);
    };
    const Outcome outcome = run(sequence, shape, [&send](std::size_t) { send("s", 1); });
    send("", 1);
    send(outcome.problem.data(), outcome.problem.size());
    _exit(0);
  }
  close(ends[1]);
  std::string received;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    received.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const std::size_t begun = received.find_first_not_of('s');
  if (begun == std::string::npos) {
    return {received.empty() ? 0 : received.size() - 1, "the process ended, or hung, in this step"};
  }
  return {begun - 1, received.substr(begun + 1)};
}

constexpr unsigned kSeconds = 60;      // for a whole sequence: it takes well below one
constexpr unsigned kSecondsAgain = 2;  // for one that is being shortened

// Leaves out whatever the failure does not need, in ever smaller pieces, again and again while
// that helps, for a while at most.
Sequence shorten(Sequence sequence, const Shape& shape) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (std::size_t before = 0; before != sequence.size();) {
    before = sequence.size();
    for (std::size_t piece = (before + 1) / 2; piece > 0; piece /= 2) {
      for (std::size_t from = 0; from + piece <= sequence.size();) {
        if (std::chrono::steady_clock::now() > end) return sequence;
        Sequence shorter = sequence;
        const auto first = shorter.begin() + static_cast<std::ptrdiff_t>(from);
        shorter.erase(first, first + static_cast<std::ptrdiff_t>(piece));
        const Outcome outcome = run_apart(shorter, shape, kSecondsAgain, true);
        if (outcome.problem.empty()) {
          from += piece;
        } else {
          shorter.resize(std::min(shorter.size(), outcome.steps + 1));
          sequence = shorter;
        }
      }
    }
  }
  return sequence;
}

std::string describe(const Sequence& sequence) {
  std::string text;
  for (const Operation& operation : sequence) text += "  " + operation.text() + "\n";
  return text;
}

using Parameters = std::tuple<Shape, unsigned>;

class RegionModelTest : public testing::TestWithParam<Parameters> {};

TEST_P(RegionModelTest, AgreesWithAMapOfBlocks) {
  const auto& [shape, seed] = GetParam();
  const Sequence sequence = make_sequence(seed, shape.steps);
  const Outcome outcome = run_apart(sequence, shape, kSeconds, false);
  if (outcome.problem.empty()) return;
  Sequence prefix = sequence;
  prefix.resize(std::min(prefix.size(), outcome.steps + 1));
  const Sequence shortest = shorten(prefix, shape);
  FAIL() << outcome.problem << "\nseed " << seed << " in " << shape.pages
         << " pages; shortest failing prefix: " << prefix.size()
         << " steps. What it needs of them:\n"
         << describe(shortest) << "  -> "
         << run_apart(shortest, shape, kSecondsAgain, true).problem;
}

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  return std::to_string(std::get<0>(info.param).pages) + "PagesSeed" +
         std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Random, RegionModelTest,
                         testing::Combine(testing::ValuesIn(kShapes), testing::ValuesIn(kSeeds)),
                         name_of);

}  // namespace
}  // namespace slabring::test
