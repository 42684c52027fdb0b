#include "slabring/page_heap.hpp"

#include <bit>

namespace slabring {

std::size_t PageHeap::metadata_size(std::uint32_t page_count) {
  const std::size_t words = Bitmap::words_for(page_count);
  return (sizeof(Record) * page_count) + (3 * words * sizeof(Bitmap::Word));
}

PageHeap::PageHeap(void* metadata, std::uint32_t page_count, std::uint32_t first_page)
    : page_count_(page_count), first_page_(first_page) {
  SR_ASSERT(page_count <= kMaxPages && first_page < kMaxPages);
  auto* words = static_cast<Bitmap::Word*>(metadata);
  const std::uint32_t each = Bitmap::words_for(page_count);
  live_ = Bitmap(words, page_count);
  free_ = Bitmap(words + each, page_count);
  dirty_ = Bitmap(words + (2 * each), page_count);
  records_ = reinterpret_cast<Record*>(words + (3 * each));
  for (std::uint32_t& bin : bins_) bin = kNoPage;
}

// 1..7 exactly, then by the leading bit and the three bits after it:
//   8 -> 8, 9 -> 9, ... 15 -> 15, 16..17 -> 16, 18..19 -> 17, ... 32..35 -> 24, ...
std::uint32_t PageHeap::bin_of(std::uint32_t pages) {
  if (pages < 8) return pages;
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(pages)) - 1;
  return ((exponent - 2) * 8) + ((pages >> (exponent - 3)) & 7);
}

void PageHeap::link(std::uint32_t head, std::uint32_t pages) {
  const std::uint32_t bin = bin_of(pages);
  Record& record = records_[head];
  record.pages = pages;
  record.previous = kNoPage;
  record.next = bins_[bin];
  records_[head + pages - 1].head = head;
  if (record.next != kNoPage) records_[record.next].previous = head;
  bins_[bin] = head;
  Bitmap(bin_words_, kBins).set(bin);
  free_.set(head);
}

void PageHeap::unlink(std::uint32_t head) {
  const Record& record = records_[head];
  const std::uint32_t bin = bin_of(record.pages);
  if (record.next != kNoPage) records_[record.next].previous = record.previous;
  if (record.previous != kNoPage) {
    records_[record.previous].next = record.next;
  } else {
    bins_[bin] = record.next;
    if (record.next == kNoPage) Bitmap(bin_words_, kBins).clear(bin);
  }
  free_.clear(head);
}

// Whether the free run at `run` holds an aligned run of `pages` pages.
bool PageHeap::fits(std::uint32_t run, std::uint32_t pages, std::uint32_t alignment) const {
  return align_up(run, alignment) - run + pages <= records_[run].pages;
}

// A free run that holds an aligned run of `pages` pages, or kNoPage. Wherever it lies, one of
// `surely` pages is long enough, and so is every run in a higher bin than that. The runs in that
// bin, and down to the bin of `pages`, may do: the first is tried at once, all of them only where
// there is nothing else, so that memory is never refused while it is there.
std::uint32_t PageHeap::find_run(std::uint32_t pages, std::uint32_t alignment) const {
  if (pages > high_water_) return kNoPage;
  const std::uint32_t surely = pages + alignment - 1;
  const std::uint32_t last = bin_of(surely);
  if (bins_[last] != kNoPage && fits(bins_[last], pages, alignment)) return bins_[last];
  const Bitmap bins(const_cast<Bitmap::Word*>(bin_words_), kBins);
  const std::uint32_t higher = bins.find_set(last + 1, kBins);
  if (higher != Bitmap::kNone) return bins_[higher];
  if (surely <= page_count_ - high_water_) return kNoPage;  // better to extend
  for (std::uint32_t bin = bin_of(pages); bin <= last; ++bin) {
    for (std::uint32_t run = bins_[bin]; run != kNoPage; run = records_[run].next) {
      if (fits(run, pages, alignment)) return run;
    }
  }
  return kNoPage;
}

// The free run whose last page is `end - 1`, or kNoPage. What that page's record says counts only
// if the run it names is free and reaches exactly to `end`: it may be left over.
std::uint32_t PageHeap::free_run_ending_at(std::uint32_t end) const {
  if (end == 0) return kNoPage;
  const std::uint32_t head = records_[end - 1].head;
  SR_ASSERT_INTERNAL(head < end);  // left over or not, it was a head at or before that page
  if (!free_.test(head) || records_[head].pages != end - head) return kNoPage;
  return head;
}

// Moves the high-water mark up by what is missing for an aligned run that ends there, using the
// free run just below the mark first; it may even be long enough. Returns where the pages taken
// begin, or kNoPage.
std::uint32_t PageHeap::extend(std::uint32_t pages, std::uint32_t alignment) {
  const std::uint32_t below = free_run_ending_at(high_water_);
  const std::uint32_t first = below == kNoPage ? high_water_ : below;
  const std::uint32_t head = align_up(first, alignment);
  if (head > page_count_ || pages > page_count_ - head) return kNoPage;
  if (below != kNoPage) unlink(below);
  if (head + pages > high_water_) high_water_ = head + pages;
  records_[first].pages = high_water_ - first;
  return first;
}

std::uint32_t PageHeap::allocate(std::uint32_t pages, std::uint32_t alignment) {
  SR_ASSERT(pages > 0 && std::has_single_bit(alignment));
  if (pages > page_count_ || alignment > kMaxPages) return kNoPage;
  // What is left before and after goes back as free runs.
  std::uint32_t first = find_run(pages, alignment);
  if (first != kNoPage) {
    unlink(first);
  } else {
    first = extend(pages, alignment);
    if (first == kNoPage) return kNoPage;
  }
  const std::uint32_t end = first + records_[first].pages;
  const std::uint32_t head = align_up(first, alignment);
  if (head > first) link(first, head - first);
  if (end > head + pages) link(head + pages, end - head - pages);
  records_[head].pages = pages;
  live_.set(head);
  pages_in_use_ += pages;
  SR_ASSERT_EXPENSIVE(is_valid());
  return head;
}

void PageHeap::free(std::uint32_t head) {
  SR_ASSERT(is_live(head));
  std::uint32_t pages = records_[head].pages;
  live_.clear(head);
  dirty_.set_range(head, pages);
  pages_in_use_ -= pages;
  const std::uint32_t after = head + pages;
  if (after < high_water_ && free_.test(after)) {
    pages += records_[after].pages;
    unlink(after);
  }
  const std::uint32_t before = free_run_ending_at(head);
  if (before != kNoPage) {
    pages += head - before;
    unlink(before);
    head = before;
  }
  link(head, pages);
  SR_ASSERT_EXPENSIVE(is_valid());
}

const char* PageHeap::find_problem() const {
  if (high_water_ > page_count_) return SR_PROBLEM("the high-water mark is past the end");
  std::uint32_t in_use = 0;
  std::uint32_t free_runs = 0;
  bool after_free = false;
  for (std::uint32_t page = 0; page < high_water_;) {
    const bool live = live_.test(page);
    const bool free = free_.test(page);
    if (live == free) return SR_PROBLEM("a run starts that is neither live nor free, or both");
    const std::uint32_t pages = records_[page].pages;
    if (pages == 0 || pages > high_water_ - page) return SR_PROBLEM("a run's length is impossible");
    if (live_.count_range(page, pages) + free_.count_range(page, pages) != 1) {
      return SR_PROBLEM("a run starts inside another");
    }
    if (free) {
      if (after_free) return SR_PROBLEM("two free runs touch");
      if (records_[page + pages - 1].head != page)
        return SR_PROBLEM("a free run's last page names another");
      ++free_runs;
    } else {
      in_use += pages;
    }
    after_free = free;
    page += pages;
  }
  if (in_use != pages_in_use_) return SR_PROBLEM("pages in use are miscounted");
  const std::uint32_t above = page_count_ - high_water_;
  if (live_.count_range(high_water_, above) + free_.count_range(high_water_, above) != 0) {
    return SR_PROBLEM("a run starts past the high-water mark");
  }
  if (dirty_.count_range(high_water_, above) != 0)
    return SR_PROBLEM("an untouched page is marked dirty");
  const Bitmap filled(const_cast<Bitmap::Word*>(bin_words_), kBins);
  for (std::uint32_t bin = 0; bin < kBins; ++bin) {
    if (filled.test(bin) != (bins_[bin] != kNoPage))
      return SR_PROBLEM("the bitmap of bins is wrong");
    std::uint32_t previous = kNoPage;
    for (std::uint32_t run = bins_[bin]; run != kNoPage; run = records_[run].next) {
      if (run >= high_water_ || !free_.test(run))
        return SR_PROBLEM("a bin holds a run that is not free");
      if (bin_of(records_[run].pages) != bin)
        return SR_PROBLEM("a free run hangs in the wrong bin");
      if (records_[run].previous != previous) return SR_PROBLEM("a bin's list is broken");
      if (free_runs-- == 0) return SR_PROBLEM("a bin's list is circular");
      previous = run;
    }
  }
  if (free_runs != 0) return SR_PROBLEM("a free run hangs in no bin");
  return nullptr;
}

}  // namespace slabring
