#include "rules/path.h"

#include <array>
#include <cstdint>

namespace sluice::rules {
namespace {

enum class Kind : uint8_t {
  kUnreserved,  // the same whether encoded or not
  kReserved,    // plain and encoded are two different things
  kEncoded,     // only ever encoded
};

constexpr Kind kind_of(unsigned char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return Kind::kUnreserved;
  if (c == '-' || c == '.' || c == '_' || c == '~') return Kind::kUnreserved;
  return c <= ' ' || c >= 0x7f || c == '%' ? Kind::kEncoded : Kind::kReserved;
}

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = kind_of(static_cast<unsigned char>(i));
  return kinds;
}();

// What may make a path another than normal.
constexpr std::array<bool, 256> kNeedsALook = [] {
  std::array<bool, 256> needs{};
  for (size_t i = 0; i < needs.size(); ++i) needs[i] = kKinds[i] == Kind::kEncoded;
  for (const char c : {'/', '?', '#'}) needs[static_cast<size_t>(c)] = true;
  return needs;
}();

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that is encoded here, or -1.
int encoded_at(std::string_view text, size_t i) {
  if (text[i] != '%' || text.size() - i < 3) return -1;
  const int high = hex_digit(text[i + 1]);
  const int low = hex_digit(text[i + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool is_lower_hex(char c) { return c >= 'a' && c <= 'f'; }

// REQUIRES: path[i] is a slash. Whether a segment begins behind it that is neither empty nor `.` nor `..`.
bool is_normal_slash(std::string_view path, size_t i) {
  const std::string_view rest = path.substr(i + 1);
  if (rest.empty()) return i == 0;
  if (rest[0] == '/') return false;
  if (rest[0] != '.') return true;
  const size_t dots = rest.substr(0, 2) == ".." ? 2 : 1;
  return rest.size() > dots && rest[dots] != '/';
}

// Whether a byte is encoded here that has to be, in upper case.
bool is_normal_encoding(std::string_view path, size_t i) {
  const int byte = encoded_at(path, i);
  return byte >= 0 && kKinds[static_cast<size_t>(byte)] != Kind::kUnreserved && !is_lower_hex(path[i + 1]) &&
         !is_lower_hex(path[i + 2]);
}

void append_encoded(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const char encoded[] = {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  out.append(encoded, sizeof(encoded));
}

void append_segment(std::string& out, std::string_view segment) {
  for (size_t i = 0; i < segment.size(); ++i) {
    const int encoded = encoded_at(segment, i);
    if (encoded >= 0) i += 2;
    const auto byte = static_cast<unsigned char>(encoded >= 0 ? encoded : segment[i]);
    const bool is_plain = kKinds[byte] == Kind::kUnreserved || (kKinds[byte] == Kind::kReserved && encoded < 0);
    if (is_plain) {
      out += static_cast<char>(byte);
    } else {
      append_encoded(out, byte);
    }
  }
}

// Adds a segment, or takes back what `.` and `..` take back. REQUIRES: `out` is normal but for the slash of the root.
void step_into(std::string& out, std::string_view segment) {
  const size_t parent = out.size();
  out += '/';
  append_segment(out, segment);
  const std::string_view added = std::string_view(out).substr(parent);
  if (added != "/" && added != "/." && added != "/..") return;
  const size_t above = added == "/.." && parent > 0 ? out.rfind('/', parent - 1) : parent;
  out.resize(above);
}

// What stands before the path of a target in absolute form.
size_t origin_length(std::string_view target) {
  if (target.empty() || target[0] == '/') return 0;
  const size_t scheme = target.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  if (scheme == 0 || scheme == target.npos || target.substr(scheme, 3) != "://") return 0;
  const size_t path = target.find('/', scheme + 3);
  return path == target.npos ? target.size() : path;
}

}  // namespace

bool is_normal_path(std::string_view path) {
  if (path.empty() || path[0] != '/') return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (!kNeedsALook[static_cast<unsigned char>(path[i])]) continue;
    if (path[i] == '/' ? !is_normal_slash(path, i) : !is_normal_encoding(path, i)) return false;
  }
  return true;
}

std::string_view normalize_path(std::string_view path, std::string& memory) {
  if (is_normal_path(path)) return path;
  path = path.substr(0, path.find_first_of("?#"));
  path.remove_prefix(origin_length(path));
  memory.clear();
  while (!path.empty()) {
    const size_t slash = path.find('/');
    step_into(memory, path.substr(0, slash));
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
  }
  return memory.empty() ? std::string_view("/") : std::string_view(memory);
}

bool covers_path(std::string_view prefix, std::string_view path) {
  if (prefix.size() <= 1) return true;
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace sluice::rules
