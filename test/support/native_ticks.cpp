// Native ticks for the tests. Every tick, and JavaScript through note(), appends a mark to one log.
#include <array>
#include <cstddef>
#include <cstdint>

#include "slabring/module_ticks.hpp"

namespace {

using slabring::module_async_ids;
using slabring::module_ticks;

struct Mark {
  double mark;
  double execution_id;
  double trigger_id;
};

std::array<Mark, 4096> marks;
std::uint32_t noted = 0;
std::uint32_t counted = 0;

void add(std::uintptr_t mark) {
  const auto& ids = module_async_ids();
  if (noted < marks.size()) {
    marks[noted++] = {static_cast<double>(mark), ids.execution_id(), ids.trigger_id()};
  }
}

void* data_of(std::uint32_t mark) { return reinterpret_cast<void*>(std::uintptr_t{mark}); }

void note_tick(void* data) { add(reinterpret_cast<std::uintptr_t>(data)); }

void count_tick(void* /*data*/) { ++counted; }

void trap_tick(void* /*data*/) { __builtin_trap(); }

void nested_tick(void* data) {
  add(reinterpret_cast<std::uintptr_t>(data));
  module_ticks().push(note_tick, data_of(1 + reinterpret_cast<std::uintptr_t>(data)));
}

}  // namespace

#define EXPORT(name) __attribute__((export_name(#name), used)) name

extern "C" {

void EXPORT(note)(std::uint32_t mark) { add(mark); }

const Mark* EXPORT(notes)() { return marks.data(); }
std::uint32_t EXPORT(note_count)() { return noted; }

std::uint32_t EXPORT(push_note)(std::uint32_t mark) {
  return module_ticks().push(note_tick, data_of(mark)) ? 1 : 0;
}

// Notes `mark`, and pushes a tick that notes the number after it.
std::uint32_t EXPORT(push_nested)(std::uint32_t mark) {
  return module_ticks().push(nested_tick, data_of(mark)) ? 1 : 0;
}

std::uint32_t EXPORT(push_trap)() { return module_ticks().push(trap_tick, nullptr) ? 1 : 0; }

// How many of `count` ticks that only count were pushed.
std::uint32_t EXPORT(push_counting)(std::uint32_t count) {
  std::uint32_t pushed = 0;
  while (pushed < count && module_ticks().push(count_tick, nullptr)) ++pushed;
  return pushed;
}
std::uint32_t EXPORT(count)() { return counted; }

}  // extern "C"
