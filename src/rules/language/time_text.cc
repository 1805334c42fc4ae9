#include "rules/language/time_text.h"

#include <chrono>

namespace sluice::rules::language {
namespace {

// Reads from the front, and fails for good once something does not fit.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool fine() const { return fine_; }
  bool at_end() const { return text_.empty(); }

  int number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = take();
      if (c < '0' || c > '9') fine_ = false;
      value = value * 10 + (c - '0');
    }
    return fine_ ? value : 0;
  }
  char one_of(std::string_view characters) {
    const char c = take();
    if (c == '\0' || characters.find(c) == characters.npos) fine_ = false;
    return c;
  }
  // A point and any digits behind it, if there are any.
  void fraction() {
    if (text_.empty() || text_[0] != '.') return;
    take();
    number(1);
    while (!text_.empty() && text_[0] >= '0' && text_[0] <= '9') take();
  }

 private:
  char take() {
    if (text_.empty()) {
      fine_ = false;
      return '\0';
    }
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }

  std::string_view text_;
  bool fine_ = true;
};

// Seconds east of Greenwich.
int64_t read_offset(Reader& reader) {
  const char sign = reader.one_of("Zz+-");
  if (sign == 'Z' || sign == 'z' || !reader.fine()) return 0;
  const int hours = reader.number(2);
  reader.one_of(":");
  const int minutes = reader.number(2);
  // What is out of range must not be taken for another time.
  if (hours > 23 || minutes > 59) reader.one_of("");
  const int64_t seconds = hours * 3'600 + minutes * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<int64_t> parse_time(std::string_view text) {
  namespace chrono = std::chrono;
  Reader reader(text);
  const int year = reader.number(4);
  reader.one_of("-");
  const auto month = static_cast<unsigned>(reader.number(2));
  reader.one_of("-");
  const auto day = static_cast<unsigned>(reader.number(2));
  reader.one_of("Tt ");
  const int hour = reader.number(2);
  reader.one_of(":");
  const int minute = reader.number(2);
  reader.one_of(":");
  const int second = reader.number(2);
  reader.fraction();
  const int64_t offset = read_offset(reader);
  const chrono::year_month_day date{chrono::year(year), chrono::month(month), chrono::day(day)};
  // A leap second counts as the first of the next minute.
  if (!reader.fine() || !reader.at_end() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto days = chrono::sys_days(date).time_since_epoch().count();
  return int64_t{days} * 86'400 + hour * 3'600 + minute * 60 + second - offset;
}

}  // namespace sluice::rules::language
