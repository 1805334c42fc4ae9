#include "scenario/discover.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sluice::scenario {

namespace fs = std::filesystem;

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(SLUICE_SCENARIOS_DIR, ignored)) {
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

}  // namespace sluice::scenario
