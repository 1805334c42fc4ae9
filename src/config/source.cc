#include "config/source.h"

#include "documents/wording.h"

namespace sluice::config {
namespace {

constexpr std::string_view kSqlite = "sqlite:";
constexpr const char* kHint = "a rules file, a folder of them, sqlite:FILE, or postgres://user@host/database";

Source at(Source::Kind kind, std::string_view path) { return {kind, std::filesystem::path(path), {}}; }

}  // namespace

std::string without_password(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == url.npos) return std::string(url);
  const size_t begin = scheme + 3;
  const std::string_view authority = url.substr(begin, url.find_first_of("/?", begin) - begin);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  std::string text(url);
  if (at != authority.npos && colon < at) text.replace(begin + colon + 1, at - colon - 1, "...");
  constexpr std::string_view kParameter = "password=";
  for (size_t found = text.find(kParameter); found != text.npos; found = text.find(kParameter, found)) {
    found += kParameter.size();
    text.replace(found, text.find('&', found) == text.npos ? text.npos : text.find('&', found) - found, "...");
  }
  return text;
}

std::string Source::text() const {
  switch (kind) {
    case Kind::kNone: return "";
    case Kind::kFile: return path.string();
    case Kind::kSqlite: return std::string(kSqlite) + path.string();
    case Kind::kPostgres: break;
  }
  return without_password(url.reveal());
}

Source Source::from(const std::filesystem::path& folder) const {
  Source source = *this;
  if (!path.empty() && path.is_relative()) source.path = folder / path;
  return source;
}

Source database_in(const std::filesystem::path& data_dir) {
  return {Source::Kind::kSqlite, data_dir / "sluice.db", {}};
}

std::variant<Source, Problem> parse_source(std::string_view text) {
  if (text.empty()) return Problem{"must not be empty", std::string("leave it out, or name ") + kHint};
  if (text.find('\0') != text.npos) return Problem{"must be a path or a database, but has a zero byte", ""};
  if (text.starts_with("postgres://") || text.starts_with("postgresql://")) {
    return Source{Source::Kind::kPostgres, {}, Secret(std::string(text))};
  }
  if (text.starts_with(kSqlite)) {
    const std::string_view path = text.substr(kSqlite.size());
    if (path.empty()) return Problem{"must name the file of the database, but is " + documents::quote(text), kHint};
    if (path.starts_with("//")) {
      return Problem{"must be sqlite: and a path, but is " + documents::quote(text),
                     "without the slashes: sqlite:FILE"};
    }
    return at(Source::Kind::kSqlite, path);
  }
  if (text.find("://") != text.npos) {
    return Problem{"must be a file, sqlite: or postgres://, but is " + documents::quote(without_password(text)), kHint};
  }
  return at(Source::Kind::kFile, text);
}

}  // namespace sluice::config
