// Batches as bytes, for a disk of this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/tally.h"
#include "audit/violation.h"

namespace sluice::audit {

std::string encode(const Batch& batch);
// Nothing for bytes that encode() did not make.
std::optional<Batch> decode(std::string_view bytes);
// Only how much is in it.
std::optional<Tally> decode_tally(std::string_view bytes);

}  // namespace sluice::audit
