#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sluice::cli {
namespace {

using Cells = std::vector<std::string>;
using Widths = std::vector<size_t>;

constexpr size_t kGap = 2;

std::pair<std::string, std::string> two_lines(const std::string& heading) {
  const size_t split = heading.find('\n');
  if (split == std::string::npos) return {"", heading};
  return {heading.substr(0, split), heading.substr(split + 1)};
}

Widths widths_of(const std::vector<Cells>& lines) {
  Widths widths(lines.front().size(), 0);
  for (const Cells& cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  return widths;
}

std::string render_line(const Cells& cells, const Widths& widths, bool is_narrow) {
  std::string line = is_narrow && !cells[0].empty() ? cells[0] + "\n" : "";
  line += is_narrow ? "" : fmt::format("{:<{}}", cells[0], widths[0]);
  for (size_t i = 1; i < cells.size(); ++i) line += fmt::format("{:>{}}", cells[i], widths[i] + kGap);
  line.erase(line.find_last_not_of(" \n") + 1);
  return line + "\n";
}

}  // namespace

std::string render_table(const Table& table, const Style& style) {
  std::vector<Cells> lines(2);
  for (const std::string& heading : table.headings) {
    auto [upper, lower] = two_lines(heading);
    lines[0].push_back(std::move(upper));
    lines[1].push_back(std::move(lower));
  }
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  const Widths widths = widths_of(lines);
  const size_t width = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  const bool is_narrow = width > static_cast<size_t>(style.width);
  if (is_narrow) std::swap(lines[0][0], lines[1][0]);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string line = render_line(lines[i], widths, is_narrow);
    if (i < 2) {
      line.pop_back();
      line = painted(style, Ink::kDim, line) + "\n";
    }
    if (line != "\n") text += line;
  }
  return text;
}

}  // namespace sluice::cli
