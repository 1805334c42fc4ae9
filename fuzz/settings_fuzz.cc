// Any text, as JSON or as YAML by its first byte, is either settings that can be written down and read again, or faults
// that can be shown. Secrets appear in neither.
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <string_view>

#include "config/help.h"
#include "config/load.h"

namespace {

using namespace sluice;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_words(const std::string& text) {
  for (const char c : text) require(static_cast<unsigned char>(c) >= ' ' || c == '\n');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  // No file that the text could name: what a secret is, would be this machine's business.
  if (text.find("_file") != text.npos) return 0;
  const auto format = (data[0] & 1) == 0 ? documents::Format::kJson : documents::Format::kYaml;
  const config::Loaded loaded = config::load_text(text, "fuzz", format);
  require(loaded.settings.has_value() == loaded.faults.empty());
  require(loaded.faults.size() <= 1'100);
  for (const config::Fault& fault : loaded.faults) {
    require(!fault.message.empty() && !fault.where.empty());
    check_words(describe(fault));
  }
  for (const config::Fault& warning : loaded.warnings) check_words(describe(warning));
  if (!loaded.settings) return 0;
  const std::string written = config::annotated_config(loaded);
  const config::Loaded again = config::load_text(written, "again", documents::Format::kYaml);
  // A door that is open to all needs its token, which is not written.
  const bool needs_secret = !loaded.settings->admin.token.empty();
  require(again.settings.has_value() || needs_secret);
  if (!again.settings) return 0;
  require(again.settings->http.listen == loaded.settings->http.listen);
  const config::Source& rules = loaded.settings->rules;
  // An address may hold a password, which is not written.
  if (rules.kind != config::Source::Kind::kPostgres) require(again.settings->rules.kind == rules.kind);
  require(again.settings->rules.path.filename() == rules.path.filename());
  require(again.settings->memory.max_bytes == loaded.settings->memory.max_bytes);
  return 0;
}
