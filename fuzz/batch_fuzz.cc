// Bytes of a spill, as a disk may have left them: a batch that is written down the same way again, or none.
#include <stddef.h>
#include <stdint.h>

#include <string_view>

#include "audit/batch_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sluice::audit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tally = decode_tally(bytes);
  const auto batch = decode(bytes);
  if (!batch) return 0;
  if (!tally || !(*tally == Tally::of(*batch))) __builtin_trap();
  const auto again = decode(encode(*batch));
  if (!again || again->number != batch->number || again->violations.size() != batch->violations.size())
    __builtin_trap();
  return 0;
}
