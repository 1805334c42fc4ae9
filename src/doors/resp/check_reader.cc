#include "doors/resp/check_reader.h"

#include <charconv>

#include "documents/json_reader.h"
#include "rules/letter_case.h"

namespace sluice::doors::resp {
namespace {

constexpr const char* kWordList = "METHOD, PATH, HOST, IP, HEADER, QUERY, ATTR, COST, TTL, KEY, RATE or BURST";

// Long arguments are cut: an error is one line.
std::string shown(std::string_view argument) {
  constexpr size_t kShown = 64;
  return "'" + std::string(argument.substr(0, kShown)) + (argument.size() > kShown ? "...'" : "'");
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

// A word says what follows it: one value, or a name and a value.
struct CheckReader::Word {
  std::string_view name;
  size_t values;
  bool is_of_rules;  // else of a bucket beside them; COST is of both
  bool is_of_limits;
  bool (*read)(CheckReader& reader, const std::string_view* values);
};

const CheckReader::Word CheckReader::kWords[] = {
    {"METHOD", 1, true, false,
     [](CheckReader& r, const std::string_view* v) { return r.request_.method = v[0], true; }},
    {"PATH", 1, true, false, [](CheckReader& r, const std::string_view* v) { return r.request_.path = v[0], true; }},
    {"HOST", 1, true, false, [](CheckReader& r, const std::string_view* v) { return r.request_.host = v[0], true; }},
    {"IP", 1, true, false, [](CheckReader& r, const std::string_view* v) { return r.request_.ip = v[0], true; }},
    {"HEADER", 2, true, false,
     [](CheckReader& r, const std::string_view* v) {
       return r.headers_.push_back({v[0], v[1]}), true;
     }},
    {"QUERY", 2, true, false,
     [](CheckReader& r, const std::string_view* v) {
       return r.query_.push_back({v[0], v[1]}), true;
     }},
    {"ATTR", 2, true, false,
     [](CheckReader& r, const std::string_view* v) {
       return r.attributes_.push_back({v[0], v[1]}), true;
     }},
    {"COST", 1, false, false, [](CheckReader& r, const std::string_view* v) { return r.read_cost(v[0]); }},
    {"TTL", 1, false, false, [](CheckReader& r, const std::string_view* v) { return r.read_time(v[0]); }},
    {"KEY", 1, false, true, [](CheckReader& r, const std::string_view* v) { return r.key_ = v[0], true; }},
    {"RATE", 1, false, true, [](CheckReader& r, const std::string_view* v) { return r.rate_ = v[0], true; }},
    {"BURST", 1, false, true, [](CheckReader& r, const std::string_view* v) { return r.burst_ = v[0], true; }},
};

bool CheckReader::read(std::span<const std::string_view> arguments, Needs needs) {
  clear();
  if (arguments.size() == 2 && arguments[1].starts_with('{')) return read_json(arguments[1]);
  if (!read_pairs(arguments)) return false;
  if (!limit_word_.empty()) {
    if (!rule_word_.empty()) {
      return fail(std::string(limit_word_) + " is of a bucket beside the rules, and cannot stand with " +
                  std::string(rule_word_));
    }
    return make_limit(needs);
  }
  if (query_.empty()) read_query_of_path();
  request_.headers = headers_;
  request_.query = query_;
  request_.attributes = attributes_;
  return true;
}

void CheckReader::clear() {
  request_ = {};
  headers_.clear();
  query_.clear();
  attributes_.clear();
  query_of_path_.clear();
  described_.reset();
  key_.reset();
  time_.reset();
  rate_ = burst_ = rule_word_ = limit_word_ = {};
}

bool CheckReader::read_pairs(std::span<const std::string_view> arguments) {
  uint32_t seen = 0;
  for (size_t i = 1; i < arguments.size();) {
    const Word* word = std::begin(kWords);
    while (word != std::end(kWords) && !rules::equal_ignoring_case(arguments[i], word->name)) ++word;
    if (word == std::end(kWords)) return fail(shown(arguments[i]) + " is none of " + kWordList);
    if (i + word->values >= arguments.size()) {
      return fail(std::string(word->name) + (word->values == 1 ? " needs a value" : " needs a name and a value"));
    }
    const uint32_t bit = uint32_t{1} << (word - kWords);
    if (word->values == 1 && (seen & bit) != 0) return fail(std::string(word->name) + " stands twice");
    seen |= bit;
    if (word->is_of_rules) rule_word_ = word->name;
    if (word->is_of_limits) limit_word_ = word->name;
    if (!word->read(*this, &arguments[i + 1])) return false;
    i += 1 + word->values;
  }
  return true;
}

bool CheckReader::read_json(std::string_view text) {
  auto parsed = documents::read_json(text);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return fail("JSON, character " + std::to_string(fault->position.column) + ": " + fault->message);
  }
  auto described = describe_request(std::move(std::get<documents::Node>(parsed)));
  if (auto* fault = std::get_if<RequestFault>(&described)) return fail(std::move(fault->message));
  described_ = std::move(std::get<DescribedRequest>(described));
  return true;
}

bool CheckReader::read_cost(std::string_view text) {
  const auto number = number_of(text);
  const auto cost = cost_of(number.value_or(-1));
  if (!cost) return fail("COST must be a number above 0 and at most 1e12, but is " + shown(text));
  request_.cost = *cost;
  return true;
}

bool CheckReader::read_time(std::string_view text) {
  constexpr double kMost = 3'600'000;
  const double number = number_of(text).value_or(-1);
  if (!(number >= 1 && number <= kMost))
    return fail("TTL must be from 1 to 3600000 milliseconds, but is " + shown(text));
  time_ = Duration::millis(static_cast<int64_t>(number));
  return true;
}

bool CheckReader::make_limit(Needs needs) {
  if (!key_) return fail("KEY is missing: RATE and BURST are of a bucket, which has one");
  limit_ = Limit();
  if (needs == Needs::kKey && rate_.empty() && burst_.empty()) return true;
  const auto rate = Rate::per_second(number_of(rate_).value_or(-1));
  if (!rate) return fail("RATE must be a number of tokens per second from 1e-9 to 1e9, but is " + shown(rate_));
  const auto capacity = capacity_of(number_of(burst_).value_or(-1));
  if (!capacity) return fail("BURST must be a number of tokens from 0.000001 to 1e9, but is " + shown(burst_));
  auto limit = Limit::token_bucket(*rate, *capacity);
  if (!limit) return fail("BURST is out of range");
  limit_ = *limit;
  return true;
}

void CheckReader::read_query_of_path() {
  const size_t mark = request_.path.find('?');
  if (mark == std::string_view::npos) return;
  query_of_path_ = parse_query(request_.path.substr(mark + 1, request_.path.find('#', mark) - mark - 1));
  for (const auto& [name, value] : query_of_path_) query_.push_back({name, value});
}

bool CheckReader::fail(std::string what) {
  fault_ = "ERR " + std::move(what);
  return false;
}

}  // namespace sluice::doors::resp
