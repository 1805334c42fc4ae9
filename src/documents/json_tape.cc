#include "documents/json_tape.h"

#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "documents/json_breakage.h"
#include "documents/source_text.h"

namespace sluice::documents {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

struct JsonTape::Parser {
  ondemand::parser parser;
  std::string padded;  // the text, and behind it what simdjson may read beyond
  size_t size = 0;

  void keep(std::string_view text) {
    size = text.size();
    if (padded.size() < size + simdjson::SIMDJSON_PADDING) padded.resize(2 * size + simdjson::SIMDJSON_PADDING);
    text.copy(padded.data(), size);
    padded.replace(size, simdjson::SIMDJSON_PADDING, simdjson::SIMDJSON_PADDING, ' ');
  }
};

// simdjson finds out that something is wrong; where and what, find_json_breakage() says.
class TapeBuilder {
 public:
  TapeBuilder(JsonTape& tape, const Bounds& bounds)
      : bounds_(bounds), parser_(*tape.parser_), entries_(tape.entries_), text_(tape.text()) {}

  std::optional<SyntaxFault> build() {
    entries_.clear();
    ondemand::document document;
    const simdjson::padded_string_view padded(text_.data(), text_.size(), parser_.padded.size());
    if (parser_.parser.iterate(padded).get(document) != simdjson::SUCCESS || !read_root(document)) return fault();
    return std::nullopt;
  }

 private:
  uint32_t offset_of(const char* place) const { return static_cast<uint32_t>(place - text_.data()); }

  bool read_root(ondemand::document& document) {
    ondemand::json_type type{};
    if (document.type().get(type) != simdjson::SUCCESS) return false;
    entries_.emplace_back();
    if (type != ondemand::json_type::array && type != ondemand::json_type::object) {
      return read_scalar(document, type, 0) && is_last_token();
    }
    ondemand::value value;
    if (document.get_value().get(value) != simdjson::SUCCESS || !read(value, 0, 1)) return false;
    // There is a current location exactly as long as something is left.
    return document.current_location().error() != simdjson::SUCCESS;
  }

  bool is_last_token() const { return text_.find_last_not_of(kSpace) < last_offset_ + last_length_; }

  bool read(ondemand::value& value, size_t index, size_t depth) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    if (type == ondemand::json_type::array) return read_list(value, index, depth);
    if (type == ondemand::json_type::object) return read_object(value, index, depth);
    return read_scalar(value, type, index);
  }

  template <class Value>
  bool read_scalar(Value& value, ondemand::json_type type, size_t index) {
    std::string_view token;
    if (!take_token(value, token)) return false;
    TapeEntry& entry = begin(index, token);
    entry.end = static_cast<uint32_t>(index + 1);
    entry.text = token.substr(0, token.find_last_not_of(kSpace) + 1);
    switch (type) {
      case ondemand::json_type::null: entry.kind = Kind::kNull; return entry.text == "null" && pass_null(value);
      case ondemand::json_type::boolean:
        entry.kind = Kind::kBool;
        entry.boolean = entry.text == "true";
        return (entry.boolean || entry.text == "false") && pass_bool(value);
      case ondemand::json_type::number:
        entry.kind = Kind::kNumber;
        return value.get_double().get(entry.number) == simdjson::SUCCESS || read_beyond_double(entry);
      default: entry.kind = Kind::kString; return value.get_string().get(entry.text) == simdjson::SUCCESS;
    }
  }

  // simdjson refuses numbers that no double holds. Here they are infinite; what is passed over unread is no error.
  static bool read_beyond_double(TapeEntry& entry) {
    if (find_json_breakage(entry.text)) return false;
    entry.number = std::strtod(std::string(entry.text).c_str(), nullptr);
    return true;
  }

  // At the root simdjson 3.0 takes "truey" for true and "null " for no null: there the token alone decides.
  static bool pass_null(ondemand::value& value) {
    return simdjson::simdjson_result<bool>(value.is_null()).value_unsafe();
  }
  static bool pass_bool(ondemand::value& value) { return value.get_bool().error() == simdjson::SUCCESS; }
  static bool pass_null(ondemand::document&) { return true; }
  static bool pass_bool(ondemand::document&) { return true; }

  template <class Value>
  static bool take_token(Value& value, std::string_view& token) {
    return simdjson::simdjson_result<std::string_view>(value.raw_json_token()).get(token) == simdjson::SUCCESS;
  }

  bool read_list(ondemand::value& value, size_t index, size_t depth) {
    ondemand::array list;
    if (!enter(value, index, depth) || value.get_array().get(list) != simdjson::SUCCESS) return false;
    entries_[index].kind = Kind::kList;
    for (auto item : list) {
      ondemand::value element;
      if (item.get(element) != simdjson::SUCCESS || !count()) return false;
      const size_t at = entries_.size();
      entries_.emplace_back();
      if (!read(element, at, depth + 1)) return false;
    }
    entries_[index].end = static_cast<uint32_t>(entries_.size());
    return true;
  }

  bool read_object(ondemand::value& value, size_t index, size_t depth) {
    ondemand::object object;
    if (!enter(value, index, depth) || value.get_object().get(object) != simdjson::SUCCESS) return false;
    entries_[index].kind = Kind::kObject;
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field) != simdjson::SUCCESS || !count()) return false;
      const size_t at = entries_.size();
      TapeEntry& member = entries_.emplace_back();
      // The key's own text begins behind its quotation mark.
      member.name_offset = offset_of(field.key().raw()) - 1;
      if (field.unescaped_key().get(member.name) != simdjson::SUCCESS) return false;
      if (!read(field.value(), at, depth + 1)) return false;
    }
    entries_[index].end = static_cast<uint32_t>(entries_.size());
    return true;
  }

  bool enter(ondemand::value& value, size_t index, size_t depth) {
    std::string_view token;
    if (!take_token(value, token)) return false;
    begin(index, token);
    if (depth <= bounds_.depth) return true;
    return refuse("lists and objects must be nested at most " + std::to_string(bounds_.depth) + " deep");
  }

  TapeEntry& begin(size_t index, std::string_view token) {
    last_offset_ = offset_of(token.data());
    last_length_ = token.size();
    entries_[index].offset = static_cast<uint32_t>(last_offset_);
    return entries_[index];
  }

  bool count() {
    if (++nodes_ <= bounds_.nodes) return true;
    return refuse("the text must hold at most " + std::to_string(bounds_.nodes) + " values");
  }

  bool refuse(std::string message) {
    refusal_ = SyntaxFault{Positions(text_).at(last_offset_), std::move(message)};
    return false;
  }

  SyntaxFault fault() {
    if (refusal_) return *refusal_;
    if (const auto breakage = find_json_breakage(text_)) {
      return {Positions(text_).at(breakage->offset), breakage->message};
    }
    return {Positions(text_).at(last_offset_), "what follows here is no JSON"};
  }

  const Bounds& bounds_;
  JsonTape::Parser& parser_;
  std::vector<TapeEntry>& entries_;
  const std::string_view text_;
  size_t nodes_ = 1;
  size_t last_offset_ = 0;
  size_t last_length_ = 0;
  std::optional<SyntaxFault> refusal_;
};

JsonTape::JsonTape() : parser_(std::make_unique<Parser>()) {}
JsonTape::~JsonTape() = default;

std::string_view JsonTape::text() const { return {parser_->padded.data(), parser_->size}; }

std::optional<SyntaxFault> JsonTape::read(std::string_view text, const Bounds& bounds) {
  if (auto refused = refuse_bytes(text, bounds)) return refused;
  parser_->keep(without_mark(text));
  return TapeBuilder(*this, bounds).build();
}

}  // namespace sluice::documents
