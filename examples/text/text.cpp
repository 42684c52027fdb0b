// Kernels over bytes that JavaScript filled: they run on the heap buffer itself.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

// CRC-32 (ISO-HDLC, reflected polynomial 0xEDB88320: the one of zip, gzip and PNG), sixteen bytes
// a step. table[k][b] is the CRC of byte b followed by k zero bytes, after Kounavis and Berry,
// "A Systematic Approach to Building High Performance Software-based CRC Generators", 2005.
constexpr std::size_t kSlices = 16;
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, kSlices> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}();

std::uint64_t load(const unsigned char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

#define EXPORT(name) __attribute__((export_name(#name), used)) name

extern "C" {

// The number of line feeds. Eight bytes a step: a byte of `x` is zero where the text has '\n', and
// the sum below leaves bit 7 of such a byte clear, of all others set, with no carry between bytes.
std::uint32_t EXPORT(count_lines)(const unsigned char* bytes, std::size_t size) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kLow = 0x7F * kOnes;
  std::uint32_t lines = 0;
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    const std::uint64_t x = load(bytes + at) ^ ('\n' * kOnes);
    const std::uint64_t others = ((x & kLow) + kLow) | x | kLow;
    lines += static_cast<std::uint32_t>(__builtin_popcountll(~others));
  }
  for (; at < size; ++at) lines += bytes[at] == '\n' ? 1 : 0;
  return lines;
}

// Continues `crc` (0 at first) over `size` more bytes.
std::uint32_t EXPORT(crc32)(const unsigned char* bytes, std::size_t size, std::uint32_t crc) {
  crc = ~crc;
  while (size >= kSlices) {
    const std::uint64_t low = load(bytes) ^ crc;
    const std::uint64_t high = load(bytes + 8);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) next ^= kTables[15 - i][(low >> (8 * i)) & 0xFF];
    for (std::size_t i = 0; i < 8; ++i) next ^= kTables[7 - i][(high >> (8 * i)) & 0xFF];
    crc = next;
    bytes += kSlices;
    size -= kSlices;
  }
  for (; size > 0; --size) crc = (crc >> 8) ^ kTables[0][(crc ^ *bytes++) & 0xFF];
  return ~crc;
}

}  // extern "C"
