// Address space for tests: like a WebAssembly memory it reads as zero and costs memory only where
// it is touched. The system can be asked which of it was touched, and told to trap any access.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "slabring/page_heap.hpp"
#include "slabring/region.hpp"

namespace slabring::test {

class Mapping {
 public:
  // `pages` pages of 64 KiB; their address is `skew` pages past a multiple of `alignment` pages.
  explicit Mapping(std::uint32_t pages, std::uint32_t alignment = 1, std::uint32_t skew = 0)
      : size_(std::size_t{pages} * kPageSize) {
    const std::size_t multiple = std::size_t{alignment} * kPageSize;
    reserved_size_ = size_ + (2 * multiple);
    reserved_ = mmap(nullptr, reserved_size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved_ == MAP_FAILED) std::abort();
    // A huge page would make a whole 2 MiB resident by one touch.
    madvise(reserved_, reserved_size_, MADV_NOHUGEPAGE);
    const auto address = reinterpret_cast<std::uintptr_t>(reserved_);
    const std::uintptr_t aligned = (address + multiple - 1) / multiple * multiple;
    data_ = static_cast<std::byte*>(reserved_) + (aligned - address) +
            (std::size_t{skew % alignment} * kPageSize);
  }

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(reserved_, reserved_size_); }

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::byte* end() const { return data_ + size_; }

  // Untouched, and zero, as at first.
  void discard() const {
    if (madvise(data_, size_, MADV_DONTNEED) != 0) std::abort();
  }

 private:
  std::size_t size_;
  std::size_t reserved_size_ = 0;
  void* reserved_ = nullptr;
  std::byte* data_ = nullptr;
};

// Bytes in [from, from + size) that have memory behind them, because they were read or written.
inline std::size_t resident_bytes(const void* from, std::size_t size) {
  const auto system_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + system_page - 1) / system_page);
  if (mincore(const_cast<void*>(from), size, pages.data()) != 0) std::abort();
  std::size_t resident = 0;
  for (const unsigned char page : pages) resident += (page & 1) * system_page;
  return resident;
}

// While it lives, an access to [from, from + size) ends the program.
class Forbidden {
 public:
  Forbidden(void* from, std::size_t size) : from_(from), size_(size) { protect(PROT_NONE); }
  Forbidden(const Forbidden&) = delete;
  Forbidden& operator=(const Forbidden&) = delete;
  ~Forbidden() { protect(PROT_READ | PROT_WRITE); }

 private:
  void protect(int access) const {
    if (mprotect(from_, size_, access) != 0) std::abort();
  }

  void* from_;
  std::size_t size_;
};

// A region in a mapping of its own.
class MappedRegion {
 public:
  explicit MappedRegion(std::uint32_t pages, std::uint32_t alignment = 1, std::uint32_t skew = 0)
      : mapping_(pages, alignment, skew), region_(Region::create(mapping_.data(), pages)) {
    if (region_ == nullptr) std::abort();
  }

  // A new region in the same memory, zero again. Blocks of the old one are gone.
  void renew() {
    mapping_.discard();
    region_ =
        Region::create(mapping_.data(), static_cast<std::uint32_t>(mapping_.size() / kPageSize));
  }

  Region* operator->() const { return region_; }
  Region& operator*() const { return *region_; }
  [[nodiscard]] const Mapping& mapping() const { return mapping_; }
  [[nodiscard]] std::uint32_t page_count() const { return region_->stats().page_count; }

  // Where page `index` begins; the metadata lies before page 0.
  [[nodiscard]] std::byte* page(std::uint32_t index) const {
    return mapping_.end() - (std::size_t{page_count() - index} * kPageSize);
  }

  // The bytes before page 0 in which something is written down.
  [[nodiscard]] std::size_t metadata_size() const {
    const std::uint32_t pages = page_count();
    return sizeof(Region) + PageHeap::metadata_size(pages) + SlabPool::metadata_size(pages);
  }

  // All that is known of blocks, to compare: a refused call changes none of it.
  [[nodiscard]] std::vector<std::byte> metadata() const {
    static_cast<void>(region_->stats());  // refreshes counters that lie in there too
    return {mapping_.data(), mapping_.data() + metadata_size()};
  }

 private:
  Mapping mapping_;
  Region* region_;
};

// Whether all of [bytes, bytes + size) equals `value`. The comparison of a block with itself one
// byte on is far quicker under a sanitizer than a loop.
inline bool all_equal(const std::byte* bytes, std::size_t size, std::byte value) {
  return size == 0 || (bytes[0] == value && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

}  // namespace slabring::test
