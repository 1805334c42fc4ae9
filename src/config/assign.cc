#include "config/assign.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "documents/wording.h"

namespace sluice::config {
namespace {

using documents::quote;
using std::chrono::milliseconds;

std::string shown(std::string_view text) { return text.empty() ? "empty" : quote(text); }

std::string bound_text(Type type, int64_t bound) {
  if (type == Type::kBytes) return text_of(Bytes{static_cast<uint64_t>(bound)});
  if (type == Type::kDuration) return text_of(milliseconds(bound));
  return std::to_string(bound);
}

// Of one `name:token`; the text is what is wrong, and shows no token.
std::variant<NamedSecret, std::string> parse_token(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return "must be name:token";
  const std::string_view name = text.substr(0, colon);
  const std::string_view token = text.substr(colon + 1);
  const bool is_name = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' || c == '@';
  });
  // The text before the colon may be a part of a token that was given without a name.
  if (!is_name) return "must begin with a name of 1 to 64 of A-Z a-z 0-9 . _ - @";
  if (name == "admin") return "must have a name other than admin, which is that of admin.token";
  const bool is_visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (token.empty() || !is_visible) return "must have a token of visible ASCII without spaces behind its name";
  return NamedSecret{std::string(name), Secret(std::string(token))};
}

// With commas between them, or each on a line of its own.
std::variant<NamedSecrets, Problem> parse_tokens(std::string_view text) {
  NamedSecrets tokens;
  const std::string hint = "write ann:TOKEN,ci:TOKEN, or one on each line of a file";
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",\n"), text.size());
    std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!item.empty() && (item.front() == ' ' || item.front() == '\r')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || item.back() == '\r')) item.remove_suffix(1);
    if (item.empty()) continue;
    ++number;
    auto token = parse_token(item);
    if (auto* wrong = std::get_if<std::string>(&token))
      return Problem{"number " + std::to_string(number) + " " + *wrong, hint};
    auto& named = std::get<NamedSecret>(token);
    const bool is_twice = std::any_of(tokens.begin(), tokens.end(), [&](const NamedSecret& other) {
      return other.name == named.name || other.secret.reveal() == named.secret.reveal();
    });
    if (is_twice) return Problem{"number " + std::to_string(number) + " has the name or the token of another", hint};
    tokens.push_back(std::move(named));
  }
  if (tokens.empty()) return Problem{"must not be empty", "leave it out where no tokens are wanted"};
  return tokens;
}

// Puts what was written into its member. One call for each type of Target.
class Assignment {
 public:
  Assignment(const Spec& spec, std::string_view text, Settings& settings)
      : spec_(spec), text_(text), settings_(settings) {}

  std::optional<Problem> operator()(MemberOf<Addresses> member) {
    return store(parse_addresses(text_), *member(settings_));
  }

  std::optional<Problem> operator()(MemberOf<std::filesystem::path> member) {
    if (text_.find('\0') != text_.npos) return Problem{"must be a path, but has a zero byte", ""};
    *member(settings_) = std::filesystem::path(text_);
    return std::nullopt;
  }

  std::optional<Problem> operator()(MemberOf<Bytes> member) {
    Bytes bytes;
    if (auto problem = store(parse_bytes(text_), bytes)) return problem;
    *member(settings_) = bytes;
    return within_range(static_cast<int64_t>(bytes.count));
  }

  std::optional<Problem> operator()(MemberOf<milliseconds> member) {
    milliseconds duration{};
    if (auto problem = store(parse_duration(text_), duration)) return problem;
    *member(settings_) = duration;
    return within_range(duration.count());
  }

  std::optional<Problem> operator()(MemberOf<int64_t> member) {
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, *member(settings_));
    if (error != std::errc() || stop != end || text_.empty()) {
      return Problem{"must be a whole number " + range_text(spec_) + ", but is " + shown(text_), ""};
    }
    return within_range(*member(settings_));
  }

  std::optional<Problem> operator()(MemberOf<bool> member) {
    if (text_ != "true" && text_ != "false") return Problem{"must be true or false, but is " + shown(text_), ""};
    *member(settings_) = text_ == "true";
    return std::nullopt;
  }

  std::optional<Problem> operator()(MemberOf<std::string> member) {
    *member(settings_) = text_;
    return std::nullopt;
  }

  std::optional<Problem> operator()(MemberOf<Secret> member) {
    const bool is_visible = std::all_of(text_.begin(), text_.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (text_.empty()) return Problem{"must not be empty", "leave it out where no token is wanted"};
    if (!is_visible) return Problem{"must be visible ASCII without spaces, but has other bytes", ""};
    *member(settings_) = Secret(std::string(text_));
    return std::nullopt;
  }

  std::optional<Problem> operator()(MemberOf<NamedSecrets> member) {
    return store(parse_tokens(text_), *member(settings_));
  }

  std::optional<Problem> operator()(MemberOf<Source> member) { return store(parse_source(text_), *member(settings_)); }

  std::optional<Problem> operator()(const Choice& choice) {
    const auto word = std::find(choice.words.begin(), choice.words.end(), text_);
    if (word != choice.words.end()) {
      choice.choose(settings_, static_cast<size_t>(word - choice.words.begin()));
      return std::nullopt;
    }
    const std::vector<std::string> words(choice.words.begin(), choice.words.end());
    const auto meant = documents::nearest(text_, choice.words);
    return Problem{"must be " + documents::listing(words) + ", but is " + shown(text_),
                   meant ? "did you mean " + quote(*meant) + "?" : ""};
  }

 private:
  template <class Value>
  static std::optional<Problem> store(std::variant<Value, Problem> parsed, Value& target) {
    if (auto* problem = std::get_if<Problem>(&parsed)) return std::move(*problem);
    target = std::get<Value>(std::move(parsed));
    return std::nullopt;
  }

  std::optional<Problem> within_range(int64_t value) const {
    if (value >= spec_.range.lowest && value <= spec_.range.highest) return std::nullopt;
    return Problem{"must be " + range_text(spec_) + ", but is " + std::string(text_), ""};
  }

  const Spec& spec_;
  std::string_view text_;
  Settings& settings_;
};

}  // namespace

std::optional<Problem> assign(const Spec& spec, std::string_view text, Settings& settings) {
  return std::visit(Assignment(spec, text, settings), spec.target);
}

std::string range_text(const Spec& spec) {
  const Type type = spec.type();
  if (type != Type::kBytes && type != Type::kDuration && type != Type::kInteger) return "";
  return "from " + bound_text(type, spec.range.lowest) + " to " + bound_text(type, spec.range.highest);
}

}  // namespace sluice::config
