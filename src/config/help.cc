#include "config/help.h"

#include "config/assign.h"
#include "config/table.h"

namespace sluice::config {
namespace {

constexpr size_t kLeft = 40;
constexpr size_t kWidth = 110;

// Words behind a margin that is already filled, in lines of kWidth.
std::string wrapped(std::string_view text) {
  std::string out;
  size_t column = kLeft;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column + 1 + end > kWidth) {
      out += "\n" + std::string(kLeft, ' ');
      column = kLeft;
    } else if (column > kLeft) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string left_side(const Spec& spec) {
  std::string left = "  ";
  if (!spec.short_flag.empty()) left += std::string(spec.short_flag) + ", ";
  left += spec.flag();
  if (spec.is_secret()) left += "-file";
  const std::string value = spec.is_secret() ? "PATH" : value_name(spec);
  return value.empty() ? left : left + " " + value;
}

std::string line_of(const std::string& left, const std::string& right) {
  const std::string gap =
      left.size() + 2 > kLeft ? "\n" + std::string(kLeft, ' ') : std::string(kLeft - left.size(), ' ');
  return left + gap + wrapped(right) + "\n";
}

std::string describe_setting(const Spec& spec) {
  std::string text(spec.help);
  if (spec.is_secret()) return text + "; or set " + spec.variable();
  if (spec.type() == Type::kBoolean) {
    return spec.fallback == "true" ? text + "; on unless turned off: " + spec.flag() + "=false" : text;
  }
  if (!spec.fallback.empty()) text += " (default: " + std::string(spec.fallback) + ")";
  return text;
}

}  // namespace

std::string help_text() {
  std::string text =
      "Serve decisions over HTTP and the Redis protocol.\n"
      "\n"
      "Usage: sluice serve [FLAGS]\n";
  std::string_view section = "none";
  for (const Spec& spec : table()) {
    if (spec.section() != section) {
      section = spec.section();
      text += "\n" + std::string(section_help(section)) + ":\n";
    }
    text += line_of(left_side(spec), describe_setting(spec));
  }
  text += "\nTo look at:\n";
  text += line_of("  --print-config", "Print all settings as a config file, with where each value came from, and exit");
  text += line_of("  -h, --help", "Show this help");
  text +=
      "\n"
      "Every flag is also a variable (--http-listen: SLUICE_HTTP_LISTEN) and a line of the config file (http.listen:\n"
      "listen within http). A flag wins over a variable, a variable over the file, the file over the default.\n"
      "\n"
      "Examples:\n"
      "  sluice serve --demo                         something to try at once\n"
      "  sluice serve --rules rules.yaml             your rules, on this machine alone\n"
      "  sluice serve --http :8080 --resp off        HTTP for everybody who can reach this machine\n"
      "  sluice serve --print-config > sluice.yaml   a config file to start from\n"
      "\n"
      "docs/settings.md says more of each.\n";
  return text;
}

}  // namespace sluice::config
