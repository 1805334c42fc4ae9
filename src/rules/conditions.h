// Conditions and selectors, prepared so that asking them costs little however many values they name. Immutable.
#pragma once

#include <string_view>
#include <vector>

#include "rules/model.h"
#include "rules/network_set.h"
#include "rules/reader.h"

namespace sluice::rules {

// Views into the condition it was made from.
class PreparedCondition {
 public:
  PreparedCondition(const Condition& condition, SourceTable& sources);

  bool holds(Reader& reader) const {
    if (is_of_addresses_) return holds_for_address(reader);
    const std::string_view value = reader.value(source_);
    return !value.empty() && (is_one_value_ ? value == texts_[0] : holds_for(value));
  }

 private:
  bool holds_for(std::string_view value) const;
  bool holds_for_address(Reader& reader) const;

  SourceId source_;
  bool is_of_addresses_;
  bool is_one_value_;
  bool is_of_prefixes_;
  std::vector<std::string_view> texts_;  // sorted; of prefixes, none that begins with another
  NetworkSet networks_;
};

// Views into the selector it was made from.
class PreparedSelector {
 public:
  explicit PreparedSelector(const Selector& selector);

  bool holds(Reader& reader) const;

 private:
  bool holds_for_host(std::string_view host) const;

  const Selector* selector_;
  std::vector<std::string_view> hosts_;      // sorted
  std::vector<std::string_view> wildcards_;  // sorted
};

// The last `labels` labels of a name of a host; the empty text if there is none but these.
std::string_view last_labels(std::string_view host, size_t labels);

}  // namespace sluice::rules
