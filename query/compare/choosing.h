/* choosing.h - what the files of a choice share: which results will do, and what is left out. */
#ifndef ABDB_COMPARE_CHOOSING_H
#define ABDB_COMPARE_CHOOSING_H

#include "query/compare/choose.h"
#include "query/compare/offers.h"

typedef struct {
    const abdb_choose_options *o;
    sqlite3 *db;
    abdb_table offers;
    double days; /* the oldest price that counts; NAN: any */
} abdb_shop;

/* The rate of one system, or the time that a training takes on it. */
double abdb_choosing_value(const abdb_choosing *c, size_t member);
/* Can the result be multiplied, and is it of the device and in time? device NULL: of any. */
bool abdb_choosing_meets(const abdb_choosing *c, const abdb_choose_options *o, size_t member,
                         const char *device);
bool abdb_choosing_counts(const abdb_choosing *c, size_t member);
void abdb_choosing_leave_out(abdb_choosing *c, const char *what, const char *why, size_t n);

#endif
