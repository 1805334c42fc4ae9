// A store of the least memory there may be, for what happens at its bound.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stores/memory/memory_store.h"

namespace sluice::memory {

inline constexpr Instant kStart{1'000'000'000};
inline constexpr uint64_t kSmallest = uint64_t{1} << 20;

inline std::unique_ptr<MemoryStore> small_store() { return std::move(*MemoryStore::create({kSmallest, false})); }

inline std::string key_of(const char* name, uint64_t i) { return name + std::to_string(i); }

}  // namespace sluice::memory
