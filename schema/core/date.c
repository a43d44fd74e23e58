/* date.c - dates as ISO 8601; see date.h. */
#include "schema/core/date.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "schema/core/number.h"

enum { YEAR_MIN = 1900, YEAR_MAX = 2199, FRACTION_MAX = 12, TEXT_MAX = 80 };

/* A date as it was printed. Missing numbers are 0; a time has at least hour and
 * minute. */
typedef struct {
    int year, month, day;
    bool timed, seconds, zoned;
    int hour, minute, second, offset_min; /* of the zone, east of UTC */
    char fraction[FRACTION_MAX + 1];
} date_parts;

/* Exactly `count` digits, and no more of them. */
static bool parse_exact_digits(const char **at, int count, int *out)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)(*at)[i])) return false;
        value = 10 * value + (*at)[i] - '0';
    }
    if (isdigit((unsigned char)(*at)[count])) return false;
    *at += count;
    *out = value;
    return true;
}

/* Does that day, and that time on it, exist? A leap second (60) does. */
static bool date_and_time_exist(const date_parts *p)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (p->year % 4 == 0 && p->year % 100 != 0) || p->year % 400 == 0;

    if (p->year < YEAR_MIN || p->year > YEAR_MAX || p->month < 0 || p->month > 12) return false;
    if (p->day < 0 || (p->day && !p->month)) return false;
    if (p->day > (p->month ? days[p->month - 1] + (leap && p->month == 2) : 0)) return false;
    return !p->timed || (p->day && p->hour < 24 && p->minute < 60 && p->second <= 60);
}

/* 10:11, 10:11:12, 10:11:12.25, 101112 */
static bool parse_time_of_day(const char **at, date_parts *p)
{
    int all;

    p->timed = true;
    if (parse_exact_digits(at, 6, &all)) {
        p->hour = all / 10000;
        p->minute = all / 100 % 100;
        p->second = all % 100;
        p->seconds = true;
        return true;
    }
    if (!parse_exact_digits(at, 2, &p->hour) || *(*at)++ != ':' ||
        !parse_exact_digits(at, 2, &p->minute))
        return false;
    if (**at != ':') return true;
    ++*at;
    p->seconds = true;
    if (!parse_exact_digits(at, 2, &p->second)) return false;
    if (**at != '.') return true;
    for (size_t i = 0; isdigit((unsigned char)*++*at); i++) {
        if (i == FRACTION_MAX) return false;
        p->fraction[i] = **at;
        p->fraction[i + 1] = '\0';
    }
    return *p->fraction != '\0';
}

/* Z, UTC, GMT, +02:00, -0530, +02 */
static bool parse_zone_offset(const char **at, date_parts *p)
{
    int hour, minute = 0, sign = **at == '-' ? -1 : 1;

    p->zoned = true;
    if (**at == 'Z' || **at == 'z' || strncmp(*at, "UTC", 3) == 0 || strncmp(*at, "GMT", 3) == 0) {
        *at += **at == 'Z' || **at == 'z' ? 1 : 3;
        return true;
    }
    if (**at != '+' && **at != '-') return false;
    ++*at;
    if (parse_exact_digits(at, 4, &minute)) {
        hour = minute / 100;
        minute %= 100;
    } else {
        if (!parse_exact_digits(at, 2, &hour)) return false;
        if (**at == ':' && (++*at, !parse_exact_digits(at, 2, &minute))) return false;
    }
    p->offset_min = sign * (60 * hour + minute);
    return hour < 24 && minute < 60;
}

/* 2024, 2024-05, 2024-05-03, 2024/05/03, 20240503, and a time behind a day. */
static bool parse_numeric_date_and_optional_time(const char *at, date_parts *p)
{
    bool compact = false;
    char mark;

    if (parse_exact_digits(&at, 8, &p->year)) {
        compact = true;
        p->day = p->year % 100;
        p->month = p->year / 100 % 100;
        p->year /= 10000;
        if (!p->day || !p->month) return false;
    } else {
        if (!parse_exact_digits(&at, 4, &p->year)) return false;
        mark = *at;
        if (mark == '-' || mark == '/') {
            ++at;
            if (!parse_exact_digits(&at, 2, &p->month) || !p->month) return false;
            if (*at == mark && (++at, !parse_exact_digits(&at, 2, &p->day) || !p->day))
                return false;
        }
    }
    if (!*at) return true;
    if (!p->day || (*at != 'T' && *at != ' ' && (*at != '-' || !compact))) return false;
    ++at;
    if (!parse_time_of_day(&at, p)) return false;
    at += *at == ' ';
    return !*at || (parse_zone_offset(&at, p) && !*at);
}

/* 1..12 for the name of a month, whole or its first three letters or more; 0: none. */
static int month_from_name(const char *word, size_t size)
{
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};

    if (size && word[size - 1] == '.') size--;
    for (int i = 0; i < 12 && size >= 3; i++)
        if (size <= strlen(names[i]) && strncasecmp(word, names[i], size) == 0) return i + 1;
    return 0;
}

/* True for a weekday in English, whole or cut to three letters or more, with or without a point. */
static bool is_weekday_name(const char *word, size_t size)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday"};

    if (size && word[size - 1] == '.') size--;
    for (size_t i = 0; i < 7; i++)
        if (size >= 3 && size <= strlen(names[i]) && strncasecmp(word, names[i], size) == 0)
            return true;
    return false;
}

/* The 3 of "3", "3rd" and "03"; 0: none. */
static int day_of_month_from_word_or_0(const char *word, size_t size)
{
    size_t count = strspn(word, "0123456789");
    const char *rest = word + count;

    if (!count || count > 2) return 0;
    if (size == count) return (int)abdb_digits_parse_prefix_up_to_max_or(word, 99, 0);
    if (size != count + 2) return 0;
    return strncmp(rest, "st", 2) == 0 || strncmp(rest, "nd", 2) == 0 ||
                   strncmp(rest, "rd", 2) == 0 || strncmp(rest, "th", 2) == 0
               ? (int)abdb_digits_parse_prefix_up_to_max_or(word, 99, 0)
               : 0;
}

/* One word of a date in words; each kind at most once. */
static bool parse_word_as_month_day_year_time_or_zone(const char *word, size_t size, date_parts *p)
{
    const char *at = word;
    int month = month_from_name(word, size), day = day_of_month_from_word_or_0(word, size);

    if ((month && p->month) || (day && p->day)) return false;
    p->month += month;
    p->day += day;
    if (month || day || is_weekday_name(word, size)) return true;
    if (size == 4 && !p->year && parse_exact_digits(&at, 4, &p->year)) return true;
    if (!p->timed && memchr(word, ':', size) && *word != '+' && *word != '-')
        return parse_time_of_day(&at, p) && at == word + size;
    return p->timed && !p->zoned && parse_zone_offset(&at, p) && at == word + size;
}

/* May 2024, May 3, 2024, 3 May 2024, Wed Nov 12 10:11:12 UTC 2025 */
static bool parse_date_in_words(const char *text, date_parts *p)
{
    while (*(text += strspn(text, " ,"))) {
        size_t size = strcspn(text, " ,");

        if (!parse_word_as_month_day_year_time_or_zone(text, size, p)) return false;
        text += size;
    }
    return p->month && p->year;
}

/* A time of another zone in UTC. */
static void convert_to_utc(date_parts *p)
{
    struct tm tm = {.tm_year = p->year - 1900,
                    .tm_mon = p->month - 1,
                    .tm_mday = p->day,
                    .tm_hour = p->hour,
                    .tm_min = p->minute - p->offset_min};
    time_t moment = timegm(&tm);

    gmtime_r(&moment, &tm);
    p->year = tm.tm_year + 1900;
    p->month = tm.tm_mon + 1;
    p->day = tm.tm_mday;
    p->hour = tm.tm_hour;
    p->minute = tm.tm_min;
}

/* Writes a date in ISO 8601, as precise as its parts are known. */
static void format_iso_date(const date_parts *p, char out[ABDB_DATE_SIZE])
{
    int at = snprintf(out, ABDB_DATE_SIZE, "%04d", p->year);
    const int number[] = {p->month, p->day, p->hour, p->minute, p->second};
    const int count = p->seconds ? 5 : p->timed ? 4 : p->day ? 2 : p->month ? 1 : 0;

    for (int i = 0; i < count; i++)
        at += snprintf(out + at, (size_t)(ABDB_DATE_SIZE - at), "%c%02d", "--T::"[i], number[i]);
    snprintf(out + at, (size_t)(ABDB_DATE_SIZE - at), "%s%s%s", *p->fraction ? "." : "",
             p->fraction, p->zoned ? "Z" : "");
}

/* 2025-06-05/2026-11-21: two days, the first before the last. */
static bool is_ascending_range_of_two_days(const char *text)
{
    enum { DAY = 10 };
    char first[DAY + 1];

    if (strlen(text) != 2 * DAY + 1 || text[DAY] != '/') return false;
    memcpy(first, text, DAY);
    first[DAY] = '\0';
    return abdb_date_is_single_day(first) && abdb_date_is_single_day(text + DAY + 1) &&
           strcmp(first, text + DAY + 1) < 0;
}

bool abdb_date_parse_any_spelling_to_iso(const char *text, char out[ABDB_DATE_SIZE])
{
    char copy[TEXT_MAX];
    size_t size;
    date_parts p = {0};

    text += strspn(text, " \t");
    size = strlen(text);
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    if (!size || size >= sizeof copy) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (is_ascending_range_of_two_days(copy)) {
        memcpy(out, copy, size + 1);
        return true;
    }
    if (!parse_numeric_date_and_optional_time(copy, &p)) {
        p = (date_parts){0};
        if (!parse_date_in_words(copy, &p)) return false;
    }
    if (!date_and_time_exist(&p)) return false;
    if (p.offset_min) convert_to_utc(&p);
    format_iso_date(&p, out);
    return true;
}

/* True for a date or range of days in the form in which dates are stored. */
static bool is_stored_iso_date_or_day_range(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";
    const char *at = text;
    size_t i = 0;
    date_parts p = {0};

    if (is_ascending_range_of_two_days(text)) return true;
    while (form[i] && (form[i] == '0' ? isdigit((unsigned char)text[i]) : text[i] == form[i])) i++;
    if (i != 4 && i != 7 && i != 10 && i != 16 && i != 19) return false;
    if (!parse_numeric_date_and_optional_time(at, &p) || !date_and_time_exist(&p)) return false;
    at += i;
    if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
    at += *at == 'Z';
    return !*at;
}

bool abdb_date_is_stored_iso_or_day_range(const char *text)
{
    static _Thread_local char last[ABDB_DATE_SIZE]; /* rows of a file repeat it */
    size_t size;

    if (*last && strcmp(text, last) == 0) return true;
    if (!is_stored_iso_date_or_day_range(text)) return false;
    size = strlen(text) + 1;
    if (size <= sizeof last) memcpy(last, text, size);
    return true;
}

bool abdb_date_is_single_day(const char *text)
{
    return strlen(text) == strlen("2024-05-03") && abdb_date_is_stored_iso_or_day_range(text);
}

bool abdb_is_date_column_name(const char *name)
{
    return strcmp(name, "date") == 0 || strcmp(name, "published") == 0 ||
           strcmp(name, "retrieved") == 0 || strcmp(name, "valid_from") == 0;
}

void abdb_date_error_text(const char *name, const char *text, char *reason, size_t room)
{
    snprintf(reason, room,
             "%s is '%.40s', not a date: write 2024, 2024-05, 2024-05-03, 2024-05-03T10:11:12Z or"
             " FIRST-DAY/LAST-DAY",
             name, text);
}

bool abdb_days_parse_nonnegative(const char *text, double *out)
{
    double days;
    size_t size = abdb_double_parse_prefix(text, &days);

    if (!size || isspace((unsigned char)*text) || strcmp(text + size + (text[size] == 'd'), "") ||
        !(days >= 0))
        return false;
    *out = days;
    return true;
}

void abdb_date_now_utc(char out[ABDB_DATE_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(out, ABDB_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
