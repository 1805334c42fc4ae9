#include "documents/utc_time.h"

#include <chrono>
#include <cstdio>

namespace sluice::documents {
namespace {

namespace chrono = std::chrono;

// Reads from the front, and fails for good once something does not fit.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool fine() const { return fine_; }
  bool at_end() const { return text_.empty(); }

  int number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) value = value * 10 + digit();
    return fine_ ? value : 0;
  }
  char one_of(std::string_view characters) {
    const char c = take();
    if (c == '\0' || characters.find(c) == characters.npos) fine_ = false;
    return c;
  }
  // A point and any digits behind it, if there are any: as millionths.
  int fraction() {
    if (text_.empty() || text_[0] != '.') return 0;
    take();
    int micros = 100'000 * digit();
    for (int unit = 10'000; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; unit /= 10) micros += unit * digit();
    return fine_ ? micros : 0;
  }

 private:
  int digit() {
    const char c = take();
    if (c < '0' || c > '9') fine_ = false;
    return fine_ ? c - '0' : 0;
  }
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

// East of Greenwich.
chrono::minutes read_offset(Reader& reader) {
  const char sign = reader.one_of("Zz+-");
  if (sign == 'Z' || sign == 'z' || !reader.fine()) return {};
  const int hours = reader.number(2);
  reader.one_of(":");
  const int minutes = reader.number(2);
  // What is out of range must not be taken for another time.
  if (hours > 23 || minutes > 59) reader.one_of("");
  const chrono::minutes offset(hours * 60 + minutes);
  return sign == '-' ? -offset : offset;
}

}  // namespace

std::string utc_text(int64_t unix_us) {
  const chrono::sys_time<chrono::microseconds> time{chrono::microseconds(unix_us)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  char text[64];
  const int size =
      std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02ld:%02ld:%02ld.%06ldZ", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                    clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
  return {text, static_cast<size_t>(size)};
}

std::optional<int64_t> parse_time_us(std::string_view text) {
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
  const chrono::microseconds fraction(reader.fraction());
  const chrono::minutes offset = read_offset(reader);
  const chrono::year_month_day date{chrono::year(year), chrono::month(month), chrono::day(day)};
  // A leap second counts as the first of the next minute.
  if (!reader.fine() || !reader.at_end() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto time = chrono::sys_days(date) + chrono::hours(hour) + chrono::minutes(minute) + chrono::seconds(second) -
                    offset + fraction;
  return time.time_since_epoch().count();
}

}  // namespace sluice::documents
