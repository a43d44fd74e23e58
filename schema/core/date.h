/* date.h - dates as ISO 8601, as precise as they were printed.
 *
 * A date is kept as 2024, 2024-05, 2024-05-03, 2024-05-03T10:11, 2024-05-03T10:11:12 (with a
 * fraction where one was printed); after a time Z means UTC. A time without a zone stays without
 * one. A day that is known to lie between two others is a range of both, the first day
 * before the last: 2025-06-05/2026-11-21.
 */
#ifndef ABDB_CORE_DATE_H
#define ABDB_CORE_DATE_H

#include <stdbool.h>
#include <stddef.h>

enum { ABDB_DATE_SIZE = 40 };

/* The date that text prints, in the form above; out may not be text. Read are these forms,
 * 2024/05/03, 20240503, 20240503-101112, May 2024, May 3, 2024 and 3 May 2024 (also shortened,
 * with th, a weekday, a time), a zone as Z, UTC, GMT or +02:00, which becomes UTC. False: none of
 * them, or a day or time that does not exist; 03/05/2024 is none, because it may mean two days. */
bool abdb_date_parse_any_spelling_to_iso(const char *text, char out[ABDB_DATE_SIZE]);
/* Is it a date in the form above already? */
bool abdb_date_is_stored_iso_or_day_range(const char *text);
/* Is it one day in that form, 2024-05-03? A range is none. */
bool abdb_date_is_single_day(const char *text);
/* Does a column of that name hold a date? (date, published, retrieved, valid_from) */
bool abdb_is_date_column_name(const char *name);
/* Writes the mistake in a text that is no date, and the right form. reason has room bytes. */
void abdb_date_error_text(const char *name, const char *text, char *reason, size_t room);
/* A span of whole or part days, "90" or "90d", 0 or more. False, and *out as it was: none. */
bool abdb_days_parse_nonnegative(const char *text, double *out);
/* This moment in UTC, to the second. */
void abdb_date_now_utc(char out[ABDB_DATE_SIZE]);

#endif
