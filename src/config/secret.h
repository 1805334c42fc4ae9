// A token that must not be shown. It is never written by anything here: only reveal() gives it.
#pragma once

#include <string>
#include <utility>

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

}  // namespace sluice::config
