#include "topics/values/rfc3339.h"

#include <cstdint>

#include "topics/values/check.h"

namespace penstock {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Consumes the text from its front; once something is not as expected, `ok` stays false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  bool at(char c) const { return !rest.empty() && rest.front() == c; }
  bool at_digit() const { return !rest.empty() && is_ascii_digit(rest.front()); }

  int number(int digits, int least, int most) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      if (!at_digit()) return ok = false, 0;
      value = value * 10 + (rest.front() - '0');
      rest.remove_prefix(1);
    }
    if (value < least || value > most) ok = false;
    return value;
  }
  void expect(char c, char or_c) {
    if (!at(c) && !at(or_c)) {
      ok = false;
    } else {
      rest.remove_prefix(1);
    }
  }
};

Time read_date(Cursor& in) {
  const int year = in.number(4, 0, 9999);
  in.expect('-', '-');
  const int month = in.number(2, 1, 12);
  in.expect('-', '-');
  const int day = in.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  // A day from 1 to 31 need not exist in its month.
  if (!in.ok || !date.ok()) return in.ok = false, Time{};
  return Time{std::chrono::sys_days{date}};
}

// In milliseconds, rounded up.
Duration read_fraction(Cursor& in) {
  if (!in.at('.')) return Duration{0};
  in.rest.remove_prefix(1);
  if (!in.at_digit()) in.ok = false;
  int ms = 0;
  bool finer = false;
  // After the third digit, `place` is 0: further digits only decide whether to round up.
  for (int place = 100; in.at_digit(); place /= 10) {
    const int digit = in.rest.front() - '0';
    ms += digit * place;
    finer = finer || (place == 0 && digit != 0);
    in.rest.remove_prefix(1);
  }
  return Duration{ms + (finer ? 1 : 0)};
}

minutes read_offset(Cursor& in) {
  if (in.at('Z') || in.at('z')) return in.rest.remove_prefix(1), minutes{0};
  const bool west = in.at('-');
  in.expect('+', '-');
  const int whole_hours = in.number(2, 0, 23);
  in.expect(':', ':');
  const minutes offset = hours{whole_hours} + minutes{in.number(2, 0, 59)};
  return west ? -offset : offset;
}

// `minute` is the minute (in UTC) that was given a second 60.
bool can_have_leap_second(Time minute) {
  const auto day = floor<days>(minute);
  const std::chrono::year_month_day tomorrow{day + days{1}};
  return minute - day == hours{23} + minutes{59} && tomorrow.day() == std::chrono::day{1};
}

// Over the zeros that end at `last`.
void put_digits(std::string& text, std::size_t last, std::int64_t number) {
  for (; number > 0; number /= 10) text[last--] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::optional<Time> parse_rfc3339(std::string_view text) {
  Cursor in{text};
  const Time date = read_date(in);
  in.expect('T', 't');
  const int hour = in.number(2, 0, 23);
  in.expect(':', ':');
  const int minute = in.number(2, 0, 59);
  in.expect(':', ':');
  const int second = in.number(2, 0, 60);
  const Duration fraction = read_fraction(in);
  const minutes offset = read_offset(in);
  if (!in.ok || !in.rest.empty()) return std::nullopt;

  const Time start_of_minute = date + hours{hour} + minutes{minute} - offset;
  const bool leap = second == 60;
  if (leap && !can_have_leap_second(start_of_minute)) return std::nullopt;
  const Time time = start_of_minute + seconds{second} + (leap ? Duration{0} : fraction);
  // An offset can move the first or last day into a year that does not exist.
  if (time < kMinTime || time > kMaxTime) return std::nullopt;
  return time;
}

// Each event has a time, and printf takes longer than all the rest of it.
std::string format_rfc3339(Time time) {
  PENSTOCK_CHECK(time >= kMinTime && time <= kMaxTime, "a time that RFC 3339 cannot write");
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text, 3, static_cast<int>(date.year()));
  put_digits(text, 6, static_cast<int>(static_cast<unsigned>(date.month())));
  put_digits(text, 9, static_cast<int>(static_cast<unsigned>(date.day())));
  put_digits(text, 12, clock.hours().count());
  put_digits(text, 15, clock.minutes().count());
  put_digits(text, 18, clock.seconds().count());
  put_digits(text, 22, clock.subseconds().count());
  return text;
}

}  // namespace penstock
