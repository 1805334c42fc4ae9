// Conditions and selectors, prepared so that asking them costs little however many values they name. Immutable.
#pragma once

#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "rules/model.h"
#include "rules/network_set.h"
#include "rules/reader.h"

namespace sluice::rules {

using Texts = std::span<const std::string_view>;

// Texts that are needed together, one behind the other. Lives as long as what was made of it.
class TextMemory {
 public:
  std::string_view keep(std::string_view text);
  Texts keep_all(const std::vector<std::string_view>& texts);

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

// Views into the memory.
class PreparedCondition {
 public:
  PreparedCondition(const Condition& condition, SourceId source, TextMemory& texts);

  SourceId source() const { return source_; }

  bool holds(Reader& reader) const {
    if (form_ == Form::kOneNetwork || form_ == Form::kNetworks) return holds_for_address(reader);
    const std::string_view value = reader.value(source_);
    return !value.empty() && (form_ == Form::kOneValue ? value == one_value_ : holds_for(value));
  }

 private:
  enum class Form : uint8_t { kOneValue, kValues, kPrefixes, kOneNetwork, kNetworks };

  bool holds_for(std::string_view value) const;
  bool holds_for_address(Reader& reader) const;

  // Small, for there may be many of them, and each is somewhere else in memory.
  SourceId source_;
  Form form_;
  std::string_view one_value_;
  Texts texts_;  // sorted; of prefixes, none that begins with another
  Network one_network_;
  std::unique_ptr<const NetworkSet> networks_;
};

// Views into the memory.
class PreparedSelector {
 public:
  PreparedSelector(const Selector& selector, TextMemory& texts);

  bool holds(Reader& reader) const;

 private:
  struct Many {
    Texts methods;
    Texts hosts;      // sorted
    Texts wildcards;  // sorted
  };

  bool holds_for_many(Reader& reader) const;

  std::string_view path_;             // empty: any
  std::string_view prefix_;           // likewise
  std::string_view one_host_;         // likewise
  std::unique_ptr<const Many> many_;  // nullptr: any method, and no host but the one
};

// The last `labels` labels of a name of a host; the empty text if there is none but these.
std::string_view last_labels(std::string_view host, size_t labels);

}  // namespace sluice::rules
