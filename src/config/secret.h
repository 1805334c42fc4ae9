// Tokens that must not be shown. They are never written by anything here: only reveal() gives them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sluice::config {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  bool empty() const { return text_.empty(); }
  const std::string& reveal() const { return text_; }

 private:
  std::string text_;
};

// Whose token it is.
struct NamedSecret {
  std::string name;
  Secret secret;
};

using NamedSecrets = std::vector<NamedSecret>;

}  // namespace sluice::config
