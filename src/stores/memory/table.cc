#include "stores/memory/table.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace sluice::memory {
namespace {

// A sweep is due at 3/4; a table that cannot grow takes no new keys beyond 13/16.
constexpr bool is_dense(uint64_t used, uint64_t slots) { return used >= slots / 4 * 3; }
constexpr bool is_crowded(uint64_t used, uint64_t slots) { return used >= slots / 16 * 13; }

// Small tables double; large ones grow by an eighth, so that at most a third of the memory is ever unused.
constexpr uint64_t kLarge = 1 << 16;
constexpr uint64_t grown(uint64_t slots) { return slots < kLarge ? slots * 2 : slots + slots / 8; }

constexpr uint64_t kPieceSlots = 64;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

Result<std::unique_ptr<Table>> Table::create(const Options& options, Annexes& annexes) {
  if (options.max_slots + kTail > UINT32_MAX) return Error{ErrorCode::kTooLarge, "max_bytes"};
  const size_t bytes = mapped_bytes(options);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return Error{ErrorCode::kOutOfMemory, "max_bytes"};
  // Huge pages spare most of the cost of finding memory; a small table does without, to stay small.
  if (options.huge_pages && bytes > kHugePage)
    madvise(static_cast<char*>(memory) + kHugePage, bytes - kHugePage, MADV_HUGEPAGE);
  auto moving = std::unique_ptr<Moving[]>(new (std::nothrow) Moving[kMaxMoving]);
  Table* table = nullptr;
  if (moving != nullptr) {
    table =
        new (std::nothrow) Table(static_cast<Slot*>(memory) + options.lead_slots, options, annexes, std::move(moving));
  }
  if (table == nullptr) {
    munmap(memory, bytes);
    return Error{ErrorCode::kOutOfMemory, "max_bytes"};
  }
  return std::unique_ptr<Table>(table);
}

Table::Table(Slot* slots, const Options& options, Annexes& annexes, std::unique_ptr<Moving[]> moving)
    : slots_(slots), options_(options), annexes_(annexes), moving_(std::move(moving)) {
  const uint64_t first = std::min(options.first_slots, options.max_slots);
  extent_ = pack_two(first, first);
  plan_ = pack_two(0, first);
}

Table::~Table() {
  const uint64_t end = std::max(slots(), next_slots_) + kTail;
  for (uint64_t i = 0; i < end; ++i) {
    const PackedBucket bucket = slots_[i].bucket.read_locked();
    if (slots_[i].is_used() && Annexes::is_annex(bucket)) annexes_.release(Annexes::of(bucket));
  }
  munmap(static_cast<void*>(lead()), mapped_bytes());
}

Table::Place Table::find(const Fingerprint& fingerprint, std::span<Slot* const> taken) const {
  const Home at = home(fingerprint);
  const Slot* end = slots_ + options_.max_slots + kTail - 1;
  for (Slot* slot = slots_ + at.index; slot < end; ++slot) {
    // One look at each slot: a second one might see a name that was written in between, and pass its own key by.
    const Fingerprint there = slot->fingerprint();
    if (there == fingerprint) return {slot, true, at.era};
    if (there.low == 0 && std::find(taken.begin(), taken.end(), slot) == taken.end()) return {slot, false, at.era};
  }
  return {};
}

bool Table::is_current(const Place& place, const Fingerprint& fingerprint) const {
  if (place.found) return place.slot->holds(fingerprint);
  return !place.slot->is_used() && unpack_high(plan_.load(std::memory_order_acquire)) == place.era;
}

void Table::claim(const Place& place, const Fingerprint& fingerprint) {
  place.slot->name(fingerprint);
  const uint64_t used = used_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (is_dense(used, slots())) is_due_.store(true, std::memory_order_relaxed);
}

bool Table::has_room() const { return !is_crowded(used(), slots()); }

bool Table::make_room(Instant now) {
  // While the table can grow there will be room, if only whoever sweeps right now gets on with it.
  while (!has_room()) {
    // Also where whoever was the last to find it crowded was interrupted before that was known.
    is_due_.store(true, std::memory_order_relaxed);
    maintain(now);
    if (has_room()) return true;
    if (slots() == options_.max_slots) return false;
    sched_yield();
  }
  return true;
}

void Table::maintain(Instant now) {
  if (is_due_.load(std::memory_order_relaxed)) sweep(now, false);
}

void Table::sweep(Instant now, bool is_for_annexes) {
  if (sweeper_.test_and_set(std::memory_order_acquire)) return;
  if (!is_sweeping()) start_sweep(now, is_for_annexes);
  if (is_sweeping()) {
    touch_targets();
    sweep_piece(now);
  }
  sweeper_.clear(std::memory_order_release);
}

void Table::start_sweep(Instant now, bool is_for_annexes) {
  const uint64_t slots = this->slots();
  const bool dense = is_dense(used(), slots);
  if (!dense) is_due_.store(false, std::memory_order_relaxed);
  if (!dense || !choose_next_slots(now)) {
    if (!is_for_annexes) return;
    next_slots_ = slots;
  }
  is_due_.store(true, std::memory_order_relaxed);
  annexes_.begin_sweep();
  // Chains that run past the last home do so without a gap.
  cut_ = slots + 1;
  while (slots_[cut_ - 1].is_used()) ++cut_;
  const uint64_t era = unpack_high(plan_.load(std::memory_order_relaxed));
  plan_.store(pack_two((era + 1) & UINT32_MAX, next_slots_), std::memory_order_release);
}

// How large a dense table is to be after a sweep. False when one would be in vain.
bool Table::choose_next_slots(Instant now) {
  const uint64_t slots = this->slots();
  const bool can_grow = slots < options_.max_slots;
  // A table at its bound is looked through now and then only: when little can be reclaimed, that is all it can do.
  if (!can_grow && tries_when_full_++ % 256 != 0) return false;
  const double full = share_of_full(now);
  if (!can_grow && full < 0.02) return false;
  next_slots_ = can_grow && full < 0.25 ? std::min(grown(slots), options_.max_slots) : slots;
  return true;
}

// The system hands out a page when it is first written, which may take long. That must not happen under locks.
void Table::touch_targets() {
  const uint64_t slots = this->slots();
  const uint64_t lowest = cut_ > 2 * kPieceSlots ? cut_ - 2 * kPieceSlots : 0;
  const uint64_t first = scale(UINT64_MAX / slots * std::min(lowest, slots - 1), next_slots_);
  const uint64_t last = scale(UINT64_MAX / slots * std::min(cut_, slots - 1), next_slots_) + 2 * kPieceSlots;
  for (uint64_t i = first; i <= last; i += kPieceSlots) slots_[i].bucket.touch();
}

bool Table::is_full(const PackedBucket& bucket, Instant now) {
  const BucketState state = bucket.unpack();
  return Annexes::is_annex(bucket) ? now.ns >= state.since_ns : pace::is_full(state, now);
}

double Table::share_of_full(Instant now) const {
  constexpr uint64_t kRuns = 16;
  constexpr uint64_t kRunSlots = 32;
  uint64_t seen = 0;
  uint64_t full = 0;
  const uint64_t slots = this->slots();
  for (uint64_t run = 0; run < kRuns; ++run) {
    const uint64_t start = slots / kRuns * run + reclaimed() % (slots / kRuns);
    for (uint64_t i = start; i < start + kRunSlots; ++i) {
      if (!slots_[i].is_used()) continue;
      ++seen;
      if (is_full(slots_[i].bucket.glance(), now)) ++full;
    }
  }
  return seen == 0 ? 0 : static_cast<double>(full) / static_cast<double>(seen);
}

void Table::sweep_piece(Instant now) {
  Piece piece = lock_piece();
  const uint64_t slots = this->slots();
  const uint64_t nearest_target = scale(UINT64_MAX / slots * std::min(piece.start, slots - 1), next_slots_);
  if (piece.start < slots && nearest_target > piece.last) {
    move_far(piece, now);
  } else {
    rebuild(piece, now);
  }
  cut_ = piece.start;
  const bool is_done = piece.start == 0;
  // The extent first: whoever sees the new era sees the new extent too.
  extent_.store(is_done ? pack_two(next_slots_, next_slots_) : pack_two(slots, std::min(cut_, slots)),
                std::memory_order_release);
  const uint64_t era = unpack_high(plan_.load(std::memory_order_relaxed));
  plan_.store(pack_two((era + 1) & UINT32_MAX, next_slots_), std::memory_order_release);
  for (uint64_t i = piece.first; i <= piece.last; ++i) slots_[i].bucket.unlock();
  if (!is_done) return;
  next_slots_ = 0;
  annexes_.end_sweep();
}

// From an unused slot (or the very first) up to the cut, and on to the end of the last chain.
Table::Piece Table::lock_piece() {
  uint64_t first = cut_ > kPieceSlots ? cut_ - kPieceSlots : 0;
  for (;; --first) {
    while (first > 0 && slots_[first].is_used()) --first;
    slots_[first].bucket.lock();
    if (first == 0 || !slots_[first].is_used()) break;
    slots_[first].bucket.unlock();
  }
  Piece piece{first, first, first == 0 ? 0 : first + 1};
  while (piece.last + 1 < cut_ || slots_[piece.last].is_used()) slots_[++piece.last].bucket.lock();
  return piece;
}

void Table::extend_piece(Piece& piece) {
  do {
    slots_[++piece.last].bucket.lock();
  } while (slots_[piece.last].is_used());
}

bool Table::drop_if_full(const PackedBucket& bucket, Instant now) {
  const bool is_annex = Annexes::is_annex(bucket);
  if (!is_full(bucket, now)) {
    if (is_annex) annexes_.expect_full_at(Instant(bucket.unpack().since_ns));
    return false;
  }
  if (is_annex) annexes_.release(Annexes::of(bucket));
  used_.fetch_sub(1, std::memory_order_relaxed);
  reclaimed_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// All targets lie behind the piece. Copies first: until the extent is changed nobody looks for them there.
void Table::move_far(const Piece& piece, Instant now) {
  for (uint64_t i = piece.start; i < piece.last; ++i) {
    Slot& slot = slots_[i];
    if (!slot.is_used()) continue;
    const Fingerprint fingerprint = slot.fingerprint();
    const PackedBucket bucket = slot.bucket.read_locked();
    if (!drop_if_full(bucket, now)) put({fingerprint, bucket, scale(fingerprint.high, next_slots_)});
    slot.clear_name();
    slot.bucket.write_locked({});
  }
}

void Table::put(const Moving& moving) {
  for (uint64_t i = moving.home;; ++i) {
    if (slots_[i].is_used()) continue;
    slots_[i].bucket.lock();
    if (!slots_[i].is_used()) {
      slots_[i].name(moving.fingerprint);
      slots_[i].bucket.unlock(moving.bucket);
      return;
    }
    slots_[i].bucket.unlock();
  }
}

// Targets lie within or close to the piece: takes everything out, and lays it out anew in the order of homes. The last
// slot stays unused throughout, so that whoever walks a chain meanwhile ends up waiting for its lock.
void Table::rebuild(Piece& piece, Instant now) {
  const std::span<Moving> moving(moving_.get(), kMaxMoving);
  moving_count_ = 0;
  uint64_t collected = piece.start;
  for (;;) {
    for (; collected < piece.last; ++collected) {
      Slot& slot = slots_[collected];
      if (!slot.is_used()) continue;
      const Fingerprint fingerprint = slot.fingerprint();
      const PackedBucket bucket = slot.bucket.read_locked();
      slot.clear_name();
      slot.bucket.write_locked({});
      if (drop_if_full(bucket, now)) continue;
      if (moving_count_ == kMaxMoving) std::abort();  // No chain is that long.
      moving_[moving_count_++] = {fingerprint, bucket, scale(fingerprint.high, next_slots_)};
    }
    std::sort(moving.begin(), moving.begin() + moving_count_,
              [](const Moving& a, const Moving& b) { return a.home < b.home; });
    uint64_t end = piece.start;
    for (const Moving& one : moving.first(moving_count_)) end = std::max(end, one.home) + 1;
    if (end <= piece.last) break;
    extend_piece(piece);
  }
  uint64_t next = piece.start;
  for (const Moving& one : moving.first(moving_count_)) {
    next = std::max(next, one.home);
    slots_[next].bucket.write_locked(one.bucket);
    slots_[next].name(one.fingerprint);
    ++next;
  }
}

}  // namespace sluice::memory
