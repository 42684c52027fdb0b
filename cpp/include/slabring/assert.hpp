// Assertions in three tiers, chosen at compile time by SLABRING_ASSERT_LEVEL:
//
//   1  SR_ASSERT            O(1), on the caller's mistakes and on cheap invariants
//   2  SR_ASSERT_INTERNAL   O(1), on our own data structures, in hot paths
//   3  SR_ASSERT_EXPENSIVE  re-counts a whole structure (`is_valid()`) after it changed
//
// 0, the default, compiles all of them away and shortens the words of find_problem().
#pragma once

#ifndef SLABRING_ASSERT_LEVEL
#define SLABRING_ASSERT_LEVEL 0
#endif

namespace slabring {

// Prints where the host has a stderr, and ends the program: going on would spoil user data.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace slabring

#define SR_CHECK_(expression) \
  ((expression) ? (void)0 : ::slabring::assertion_failed(#expression, __FILE__, __LINE__))

#if SLABRING_ASSERT_LEVEL >= 1
#define SR_ASSERT(expression) SR_CHECK_(expression)
#else
#define SR_ASSERT(expression) ((void)0)
#endif

#if SLABRING_ASSERT_LEVEL >= 2
#define SR_ASSERT_INTERNAL(expression) SR_CHECK_(expression)
#else
#define SR_ASSERT_INTERNAL(expression) ((void)0)
#endif

#if SLABRING_ASSERT_LEVEL >= 3
#define SR_ASSERT_EXPENSIVE(expression) SR_CHECK_(expression)
#else
#define SR_ASSERT_EXPENSIVE(expression) ((void)0)
#endif

// What find_problem() returns: the text, or, in a build without assertions, the place in these
// sources. The texts would be a tenth of the module that is shipped.
#if SLABRING_ASSERT_LEVEL >= 1
#define SR_PROBLEM(text) (text)
#else
#define SR_PROBLEM_LINE_(line) #line
#define SR_PROBLEM_AT_(line) __FILE_NAME__ ":" SR_PROBLEM_LINE_(line)
#define SR_PROBLEM(text) (SR_PROBLEM_AT_(__LINE__))
#endif
