#include "documents/json_reader.h"

#include <simdjson.h>

#include <optional>
#include <string>
#include <utility>

#include "documents/json_breakage.h"
#include "documents/source_text.h"

namespace sluice::documents {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kSpace = " \t\r\n";

// simdjson finds out that something is wrong; where and what, find_json_breakage() says.
class Builder {
 public:
  Builder(std::string_view text, const Bounds& bounds) : bounds_(bounds), padded_(text), positions_(this->text()) {}

  Parsed build() {
    ondemand::parser parser;
    ondemand::document document;
    Node root;
    if (parser.iterate(padded_).get(document) != simdjson::SUCCESS || !read_root(document, root)) return fault();
    return root;
  }

 private:
  std::string_view text() const { return {padded_.data(), padded_.size()}; }

  size_t offset_of(std::string_view token) const { return static_cast<size_t>(token.data() - padded_.data()); }

  bool read_root(ondemand::document& document, Node& root) {
    ondemand::json_type type{};
    if (document.type().get(type) != simdjson::SUCCESS) return false;
    if (type != ondemand::json_type::array && type != ondemand::json_type::object) {
      return read_scalar(document, type, root) && is_last_token();
    }
    ondemand::value value;
    if (document.get_value().get(value) != simdjson::SUCCESS || !read(value, root, 1)) return false;
    // There is a current location exactly as long as something is left.
    return document.current_location().error() != simdjson::SUCCESS;
  }

  bool is_last_token() const { return text().find_last_not_of(kSpace) < last_offset_ + last_length_; }

  bool read(ondemand::value& value, Node& node, size_t depth) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    if (type == ondemand::json_type::array) return read_list(value, node, depth);
    if (type == ondemand::json_type::object) return read_object(value, node, depth);
    return read_scalar(value, type, node);
  }

  template <class Value>
  bool read_scalar(Value& value, ondemand::json_type type, Node& node) {
    std::string_view token;
    if (!take_token(value, token)) return false;
    begin(node, token);
    node.text = token.substr(0, token.find_last_not_of(kSpace) + 1);
    switch (type) {
      case ondemand::json_type::null: node.kind = Kind::kNull; return node.text == "null" && pass_null(value);
      case ondemand::json_type::boolean:
        node.kind = Kind::kBool;
        node.boolean = node.text == "true";
        return (node.boolean || node.text == "false") && pass_bool(value);
      case ondemand::json_type::number:
        node.kind = Kind::kNumber;
        return value.get_double().get(node.number) == simdjson::SUCCESS;
      default: return read_string(value, node);
    }
  }

  template <class Value>
  static bool read_string(Value& value, Node& node) {
    std::string_view string;
    if (value.get_string().get(string) != simdjson::SUCCESS) return false;
    node.kind = Kind::kString;
    node.text = string;
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

  bool read_list(ondemand::value& value, Node& node, size_t depth) {
    node.kind = Kind::kList;
    ondemand::array list;
    if (!enter(value, node, depth) || value.get_array().get(list) != simdjson::SUCCESS) return false;
    for (auto item : list) {
      ondemand::value element;
      if (item.get(element) != simdjson::SUCCESS || !count()) return false;
      if (!read(element, node.items.emplace_back(), depth + 1)) return false;
    }
    return true;
  }

  bool read_object(ondemand::value& value, Node& node, size_t depth) {
    node.kind = Kind::kObject;
    ondemand::object object;
    if (!enter(value, node, depth) || value.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field) != simdjson::SUCCESS || !count()) return false;
      Member& member = node.members.emplace_back();
      // The key's own text begins behind its quotation mark.
      member.position = positions_.at(offset_of({field.key().raw(), 1}) - 1);
      std::string_view name;
      if (field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
      member.name = name;
      if (!read(field.value(), member.value, depth + 1)) return false;
    }
    return true;
  }

  bool enter(ondemand::value& value, Node& node, size_t depth) {
    std::string_view token;
    if (!take_token(value, token)) return false;
    begin(node, token);
    if (depth <= bounds_.depth) return true;
    return refuse(node.position, "lists and objects must be nested at most " + std::to_string(bounds_.depth) + " deep");
  }

  void begin(Node& node, std::string_view token) {
    last_offset_ = offset_of(token);
    last_length_ = token.size();
    node.position = positions_.at(last_offset_);
  }

  bool count() {
    if (++nodes_ <= bounds_.nodes) return true;
    return refuse(positions_.at(last_offset_),
                  "the text must hold at most " + std::to_string(bounds_.nodes) + " values");
  }

  bool refuse(Position position, std::string message) {
    refusal_ = SyntaxFault{position, std::move(message)};
    return false;
  }

  SyntaxFault fault() {
    if (refusal_) return *refusal_;
    if (const auto breakage = find_json_breakage(text())) {
      return {Positions(text()).at(breakage->offset), breakage->message};
    }
    return {Positions(text()).at(last_offset_), "what follows here is no JSON"};
  }

  const Bounds& bounds_;
  const simdjson::padded_string padded_;
  Positions positions_;
  size_t nodes_ = 1;
  size_t last_offset_ = 0;
  size_t last_length_ = 0;
  std::optional<SyntaxFault> refusal_;
};

}  // namespace

Parsed read_json(std::string_view text, const Bounds& bounds) {
  if (auto refused = refuse_bytes(text, bounds)) return *std::move(refused);
  return Builder(without_mark(text), bounds).build();
}

}  // namespace sluice::documents
