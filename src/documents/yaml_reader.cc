#include "documents/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "documents/source_text.h"
#include "documents/yaml_scalar.h"

namespace sluice::documents {
namespace {

// Thrown through the parser, which cannot be stopped otherwise, and caught in read_yaml().
struct Refused {
  size_t offset;
  std::string message;
};

size_t offset_of(const YAML::Mark& mark) { return mark.pos < 0 ? 0 : static_cast<size_t>(mark.pos); }

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const Bounds& bounds) : positions_(text), bounds_(bounds) {}

  Node take_root() { return std::move(root_); }
  // Where the last scalar that is not plain begins.
  std::optional<size_t> last_quoted() const { return last_quoted_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "expected one document, but a second begins here");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, anchor, "?", ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not supported: write the value here again");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, anchor, tag, value);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor, tag, Kind::kList);
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor, tag, Kind::kObject);
  }
  void OnMapEnd() override { leave(); }

 private:
  // A list or object that is not closed yet, and the name whose value comes next.
  struct Open {
    Node node;
    std::optional<Member> member;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string message) {
    throw Refused{offset_of(mark), std::move(message)};
  }
  [[noreturn]] static void refuse_anchor(const YAML::Mark& mark) {
    refuse(mark, "anchors (&name) are not supported: write the value where it is used");
  }

  Node begin(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    if (anchor != YAML::NullAnchor) refuse_anchor(mark);
    if (tag != "?" && tag != "!" && !tag.empty()) refuse(mark, "tags (!name) are not supported: leave it out");
    if (++nodes_ > bounds_.nodes) {
      refuse(mark, "the text must hold at most " + std::to_string(bounds_.nodes) + " values");
    }
    Node node;
    node.position = positions_.at(offset_of(mark));
    return node;
  }

  // The parser hands over what is plain with the tag `?` and what is quoted with `!`.
  void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, const std::string& value) {
    Node node = begin(mark, anchor, tag);
    node.text = value;
    node.kind = Kind::kString;
    if (tag == "?") {
      type_plain_scalar(node);
    } else {
      last_quoted_ = offset_of(mark);
    }
    if (is_name_next()) {
      name(mark, std::move(node), tag == "?");
    } else {
      add(std::move(node));
    }
  }

  bool is_name_next() const {
    return !open_.empty() && open_.back().node.kind == Kind::kObject && !open_.back().member;
  }

  void name(const YAML::Mark& mark, Node node, bool is_plain) {
    if (node.kind == Kind::kNull) refuse(mark, "expected a name before ':', but found none");
    if (is_plain && node.text == "<<") refuse(mark, "merge keys (<<) are not supported: write the fields here");
    open_.back().member = Member{std::move(node.text), node.position, Node()};
  }

  void enter(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag, Kind kind) {
    if (is_name_next()) refuse(mark, std::string("expected a name, but found ") + name_of(kind));
    if (open_.size() == bounds_.depth) {
      refuse(mark, "lists and objects must be nested at most " + std::to_string(bounds_.depth) + " deep");
    }
    Node node = begin(mark, anchor, tag);
    node.kind = kind;
    open_.push_back(Open{std::move(node), std::nullopt});
  }

  void leave() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.member) {
      // What is not written stands, to the parser, where the object begins.
      const bool is_written = node.kind != Kind::kNull || !node.text.empty();
      if (!is_written) node.position = parent.member->position;
      parent.member->value = std::move(node);
      parent.node.members.push_back(*std::move(parent.member));
      parent.member.reset();
    }
  }

  Positions positions_;
  const Bounds& bounds_;
  Node root_;
  std::vector<Open> open_;
  std::optional<size_t> last_quoted_;
  size_t nodes_ = 0;
  int documents_ = 0;
};

// The parser takes some control characters for the end of the text: what follows them would be lost in silence.
std::optional<size_t> find_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) return i;
  }
  return std::nullopt;
}

// The parser looks far ahead and remembers what it sees, some hundred bytes for each of these: so they are counted
// first.
std::optional<size_t> find_too_many_marks(std::string_view text, size_t most) {
  constexpr std::string_view kMarks = "[{,\"'!";
  size_t marks = 0;
  for (size_t i = text.find_first_of(kMarks); i != text.npos; i = text.find_first_of(kMarks, i + 1)) {
    if (++marks > most) return i;
  }
  return std::nullopt;
}

// Whether the quoted string at `offset` has its end; true for block scalars, which need none.
bool is_closed(std::string_view text, size_t offset) {
  const char quote = text[offset];
  if (quote != '"' && quote != '\'') return true;
  for (size_t i = offset + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      // A doubled ' is one within the string.
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return true;
      ++i;
    }
  }
  return false;
}

Parsed parse(std::string_view text, const Bounds& bounds) {
  TreeBuilder builder(text, bounds);
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(builder)) {
  }
  // The parser lets a string that is never closed end with the last line; only the last one can be such.
  if (const auto quoted = builder.last_quoted(); quoted && !is_closed(text, *quoted)) {
    throw Refused{*quoted, "expected a closing quotation mark for this string, but found none"};
  }
  return builder.take_root();
}

}  // namespace

Parsed read_yaml(std::string_view text, const Bounds& bounds) {
  if (auto refused = refuse_bytes(text, bounds)) return *std::move(refused);
  text = without_mark(text);
  if (const auto control = find_control(text)) {
    return SyntaxFault{Positions(text).at(*control), "expected text, but found a control character"};
  }
  const size_t most_marks = 2 * bounds.nodes;
  if (const auto mark = find_too_many_marks(text, most_marks)) {
    return SyntaxFault{Positions(text).at(*mark), "the text must hold at most " + std::to_string(most_marks) +
                                                      " brackets, commas and quotation marks"};
  }
  try {
    return parse(text, bounds);
  } catch (const Refused& refused) {
    return SyntaxFault{Positions(text).at(refused.offset), refused.message};
  } catch (const YAML::Exception& error) {
    return SyntaxFault{Positions(text).at(offset_of(error.mark)), "this is no YAML here: " + error.msg};
  }
}

}  // namespace sluice::documents
