// From the tree of `jwt` to JwtSettings.
#pragma once

#include <filesystem>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// Key files are read relative to `folder`. REQUIRES: `node` is an object.
JwtSettings build_jwt(const documents::Node& node, const std::filesystem::path& folder, const Path& path,
                      Faults& faults);

}  // namespace sluice::rules::language
