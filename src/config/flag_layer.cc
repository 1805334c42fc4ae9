#include "config/layers.h"
#include "documents/wording.h"

namespace sluice::config {
namespace {

constexpr std::string_view kListHint = "'sluice serve --help' lists them";

// The arguments one after another, each of them taken once.
class FlagReader {
 public:
  explicit FlagReader(std::span<const std::string> arguments) : arguments_(arguments) {}

  Reading read() {
    while (!arguments_.empty()) read_one(take());
    return std::move(reading_);
  }

 private:
  const std::string& take() {
    const std::string& argument = arguments_.front();
    arguments_ = arguments_.subspan(1);
    return argument;
  }

  void read_one(const std::string& argument) {
    if (argument == "--help" || argument == "-h") {
      reading_.wish = Wish::kHelp;
    } else if (argument == "--print-config") {
      if (reading_.wish != Wish::kHelp) reading_.wish = Wish::kPrintConfig;
    } else if (argument.starts_with("-") && argument.size() > 1) {
      read_flag(argument);
    } else {
      fail("sluice serve", "did not expect " + documents::quote(argument), "values belong behind a flag: --rules FILE");
    }
  }

  void read_flag(const std::string& argument) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const Spelling* spelling = find_spelling(flag_spellings(), name);
    if (spelling == nullptr) {
      return fail("sluice serve", "there is no flag " + documents::quote(name),
                  hint_for_unknown(flag_spellings(), name, std::string(kListHint)));
    }
    const Spec& spec = *spelling->spec;
    if (spec.is_secret() && !spelling->is_secret_file) {
      // Its value must not be taken for something else, nor shown.
      if (equals == name.npos && has_value()) take();
      return fail(name, "a secret must not stand on the command line, where others can read it",
                  "set " + spec.variable() + ", or put it into a file and give " + name + "-file");
    }
    if (equals != name.npos) return add(*spelling, argument.substr(equals + 1));
    if (spec.type() == Type::kBoolean) return add(*spelling, "true");
    if (!has_value()) return fail(name, "needs a value", name + " " + value_name(spec));
    add(*spelling, take());
  }

  bool has_value() const { return !arguments_.empty() && !arguments_.front().starts_with("--"); }

  void add(const Spelling& spelling, std::string text) {
    reading_.entries.emplace_back(Given{spelling.spec, spelling.is_secret_file, std::move(text), spelling.name});
  }

  void fail(std::string_view where, std::string message, std::string hint) {
    reading_.entries.emplace_back(Fault{std::string(where), std::move(message), std::move(hint)});
  }

  std::span<const std::string> arguments_;
  Reading reading_;
};

}  // namespace

Reading read_flags(std::span<const std::string> arguments) { return FlagReader(arguments).read(); }

}  // namespace sluice::config
