// The words of the table of settings (table.h). Flags, environment, file, help and pages are all made from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/settings.h"

namespace sluice::config {

// One of `words`; `choose` is told its number.
struct Choice {
  std::span<const std::string_view> words;
  void (*choose)(Settings& settings, size_t index);
};

template <class Member>
using MemberOf = Member* (*)(Settings&);

// Where a value goes. What it is made of says what may be written.
using Target = std::variant<MemberOf<Addresses>, MemberOf<std::filesystem::path>, MemberOf<Bytes>,
                            MemberOf<std::chrono::milliseconds>, MemberOf<int64_t>, MemberOf<bool>,
                            MemberOf<std::string>, MemberOf<Secret>, MemberOf<NamedSecrets>, MemberOf<Source>, Choice>;

// In the order of Target.
enum class Type : uint8_t {
  kAddresses,
  kPath,
  kBytes,
  kDuration,
  kInteger,
  kBoolean,
  kText,
  kSecret,
  kSecrets,
  kSource,
  kChoice
};

// Of integers; of bytes; of milliseconds.
struct Range {
  int64_t lowest = 0;
  int64_t highest = INT64_MAX;
};

struct Spec {
  std::string_view name;  // "http.listen"
  Target target;
  std::string_view fallback;   // as it would be written; empty for what is empty or not there
  std::string_view help;       // one line, no full stop
  std::string_view note = {};  // whole sentences, for the page and the example
  Range range = {};
  std::string_view short_flag = {};  // "--http", beside "--http-listen"
  bool in_file = true;

  Type type() const { return static_cast<Type>(target.index()); }
  // Shown nowhere, not on the command line, and may stand in a file of its own.
  bool is_secret() const { return type() == Type::kSecret || type() == Type::kSecrets; }
  // "http" of "http.listen"; empty for what stands alone.
  std::string_view section() const;
  std::string flag() const;      // "--http-listen"
  std::string variable() const;  // "SLUICE_HTTP_LISTEN"
};

// "host:port, ...": what may be written, for columns of help.
std::string value_name(const Spec& spec);

}  // namespace sluice::config
