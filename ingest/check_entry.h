/* check_entry.h - checks a row before it is handed over: contradictions between its own values are
 * marked (data/rules/marks.csv), with a sentence for the import's message. */
#ifndef ABDB_INGEST_CHECK_ENTRY_H
#define ABDB_INGEST_CHECK_ENTRY_H

#include <stdbool.h>

#include "schema/core/record.h"

/* Marks `contradiction` where nodes, devices, devices per node and the system's name ("8x H100")
 * do not fit: then only the user's counts are kept (devices, nodes; or NULL), and the row's counts
 * become the factors stated_devices and stated_nodes. Marks `implausible` where a
 * maximum is below a minimum, a lower percentile above a higher one, a mean beyond both, a first
 * token later than the last, a rate zero, and where the device is called Total or Average. Marks
 * `failed` where that is the entry's status. */
void abdb_entry_mark_contradictions_and_failures(abdb_entry *entry, const char *user_devices,
                                                 const char *user_nodes);

/* Marks `implausible` where a rate times a duration is not the amount, by more than the factor
 * `tolerance`, whatever the rate was before it was rounded to the digits that are printed. Numbers
 * that are missing (NAN, or not above zero) set no mark. */
void abdb_entry_mark_rate_not_matching_amount(abdb_entry *entry, double rate, const char *printed,
                                              double seconds, double amount, double tolerance);
/* Marks `failed` where fewer requests were completed than requested. */
void abdb_entry_mark_failed_if_requests_failed(abdb_entry *entry, double completed,
                                               double requested);
/* Keeps a run of which no request was completed without its results, as failed. Returns whether it
 * is one. */
bool abdb_entry_fail_if_no_request_completed(abdb_entry *entry, double completed);

#endif
