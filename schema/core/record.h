/* record.h - records that producers (importers, runners) hand to a store through a sink.
 *
 * Producers do not depend on the store: they fill records and call the functions of a sink. All
 * strings are borrowed for the call. Missing text is NULL, a missing number NAN.
 */
#ifndef ABDB_CORE_RECORD_H
#define ABDB_CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/date.h"
#include "schema/core/error.h"
#include "schema/core/number.h"

typedef enum {
#define FIELD(name, number, meaning) ABDB_FIELD_##name,
#include "schema/core/field.def"
#undef FIELD
    ABDB_FIELD_COUNT
} abdb_field;

typedef struct {
    const char *name, *meaning;
    int is_number;
} abdb_field_info;
extern const abdb_field_info abdb_fields[ABDB_FIELD_COUNT];
/* The field of that name, or -1. */
int abdb_field_index_by_name(const char *name);

typedef struct {
    const char *name, *unit, *better, *metric_class, *meaning;
} abdb_metric_info;
extern const abdb_metric_info abdb_metrics[];
extern const size_t abdb_metric_count;
/* The metric of that name ("accuracy.rouge1" finds "accuracy"), or NULL. */
const abdb_metric_info *abdb_metric_find(const char *name);

typedef enum { ABDB_KNOWN, ABDB_UNKNOWN, ABDB_INAPPLICABLE } abdb_factor_state;
typedef struct {
    const char *name, *text; /* text: canonical words of a known value, else "" */
    double num;              /* NAN when it is no number */
    const char *unit;
    abdb_factor_state state;
} abdb_factor;

/* The first 127 bits of a SHA-256: 63 (never negative) and 64. Printed as 32 hexadecimal digits. */
typedef struct {
    long long high, low;
} abdb_key;

typedef struct {
    double value, t_s; /* t_s: seconds since the first sample, or NAN */
    long rank;         /* MPI rank, or -1 */
    const char *mark;  /* "outlier", "throttled", or NULL */
} abdb_sample;

typedef struct {
    const char *metric, *statistic; /* "value mean median min max p50 ... sd olympic-mean" */
    long rank;                      /* -1: none */
    double x;                       /* place in a series (step, seconds), NAN when there is none */
    double value;                   /* in the metric's base unit */
    const char *raw_value, *raw_unit, *cell;
    long long n; /* samples behind the value, 0 unknown */
    double low, high;
    const char *spread, *formula;
    const char *fact; /* a name by which claims can cite it, or NULL */
    const abdb_sample *sample;
    size_t samples;
} abdb_result;

/* One reading of a sensor while the entry was measured. */
typedef struct {
    const char *sensor, *quantity, *unit; /* "cpu", "clock", "Hz" (base unit) */
    double t_s, value;                    /* t_s: since the first sample */
} abdb_telemetry;

/* A named part of a workload's time. */
typedef struct {
    const char *name, *within, *kernel,
        *provider;             /* within: the span it is a part of; NULL: none */
    long long calls;           /* launches */
    double time_s, ops, bytes; /* of all calls; ops and bytes NAN: unknown */
} abdb_span;

/* Where one rank of a run on several processes ran. */
typedef struct {
    long rank;
    const char *host, *device, *binding; /* device, binding: NULL unknown */
} abdb_rank;

/* One life of the backend that measured an entry: the unit of evidence. campaign NULL: unknown. */
typedef struct {
    const char *campaign, *backend, *started; /* started: UTC, ISO 8601 */
    long repetition, start; /* 1, 2, ...; start: after a crash it is started again */
} abdb_process;

enum { ABDB_FACTOR_MAX = 640, ABDB_RESULT_MAX = 64, ABDB_PIECE_MAX = 1024 };
enum { ABDB_SAMPLE_MAX = 1 << 20 }; /* of one result */
enum { ABDB_ORIGIN_UNSAID = 0, ABDB_ORIGIN_NONE = -1 };

/* One run, score, average or statement as one source gives it; its metrics belong together. */
typedef struct {
    const char *field[ABDB_FIELD_COUNT];
    const char *locator;     /* line, JSON path or cell inside the artifact */
    long line;               /* of the input row, 0 unknown: for rejects */
    const char *environment; /* JSON object, or NULL */
    /* Distinguishes equal measurements: 63 bits of SHA-256 of the file's digest and the row's
     * place in it; ABDB_ORIGIN_UNSAID: the store makes it of the file at hand where the entry is
     * measured; ABDB_ORIGIN_NONE: the content alone is the identity. */
    long long origin;
    abdb_key key[3]; /* of factors, fields and all, if it can be kept; 0: the store makes them */
    abdb_process process;
    const abdb_telemetry *telemetry; /* in any order */
    const abdb_span *span;           /* in the order of the workload */
    const abdb_rank *rank;
    size_t telemetries, spans, ranks;
    size_t pieces;    /* so many of the entries handed over just before are its parts */
    const char *role; /* their role in it: "run" */
    size_t factors, results;
    /* Values of the source that the entry omits: numbers without a meaning (zero, an unknown
     * unit), and values without room. The functions that add values count them. */
    size_t values_left_out, factors_left_out;
    abdb_factor factor[ABDB_FACTOR_MAX];
    abdb_result result[ABDB_RESULT_MAX];
    char dates[2][ABDB_DATE_SIZE]; /* room for abdb_entry_normalize_dates_find_bad */
    char counts[2][24];            /* room for abdb_entry_normalize_count_field */
    /* Why a number of the source cannot be read for certain: the store refuses the entry for it.
     * NULL: all can. */
    const char *doubt;
    char doubt_text[200]; /* room for it */
    char flags[240];      /* room for abdb_entry_add_mark_to_flags_once */
    char problem[320]; /* a line for each mark with a sentence: abdb_entry_find_problem_of_mark */
} abdb_entry;

/* An origin as text in exchange formats: "none", or 16 hexadecimal digits. _print fills 17 bytes;
 * _parse returns false where the text is none. */
void abdb_origin_to_text(long long origin, char out[17]);
bool abdb_origin_parse(const char *text, long long *origin);
/* Adds a known factor (text, and the number that it is, if any). Skips NULL and "". */
void abdb_entry_add_factor_parsing_number(abdb_entry *entry, const char *name, const char *text);
void abdb_entry_add_factor_with_text_and_number(abdb_entry *entry, const char *name, double value,
                                                const char *text);
/* Adds a factor that the source leaves unknown, or that cannot apply. */
void abdb_entry_add_valueless_factor(abdb_entry *entry, const char *name, abdb_factor_state state);
/* The factor of that name, known or not; NULL: the entry has none. */
const abdb_factor *abdb_entry_find_factor(const abdb_entry *entry, const char *name);
/* Adds a result with statistic "value" and nothing else known; NULL when there is no room. */
abdb_result *abdb_entry_add_result_or_count_left_out(abdb_entry *entry, const char *metric,
                                                     double value);

/* Adds a judgement on the row to its flags, once: the name of a row of data/rules/marks.csv, whose
 * effect sets the treatment of the row in rankings and comparisons. */
void abdb_entry_add_mark_to_flags_once(abdb_entry *entry, const char *mark);
/* The same, with a sentence about the fault ("47 of 100 requests failed"): the import prints the
 * first of each mark. A second sentence for one mark is dropped. */
ABDB_PRINTF(3, 4)
void abdb_entry_add_mark_and_problem(abdb_entry *entry, const char *mark, const char *format, ...);
/* Has the entry that mark? */
bool abdb_entry_has_mark(const abdb_entry *entry, const char *mark);
/* The sentence given with the mark, of *size bytes; NULL: none. */
const char *abdb_entry_find_problem_of_mark(const abdb_entry *entry, const char *mark,
                                            size_t *size);

/* Counts a value that the source has and the entry does not. */
void abdb_entry_count_left_out_value(abdb_entry *entry);
/* The results of an entry that is kept without them (a run that is not valid) are left out. */
void abdb_entry_drop_results_as_left_out(abdb_entry *entry);
/* Takes back results that stand for no value of the source. */
void abdb_entry_drop_results_uncounting_values(abdb_entry *entry);
/* Empties an entry that was handed over, or refused, for the next row; unused array elements need
 * not be cleared. */
void abdb_entry_reset(abdb_entry *entry);

/* Values that this thread took out of its sources so far. abdb_entry_add_result_or_count_left_out
 * counts each; code that reads one and makes no result of it (no number, a refused row) adds it by
 * abdb_add_thread_values_read, so that the store can check that all values were accounted
 * for. */
void abdb_add_thread_values_read(long values);
long abdb_values_read_by_thread(void);

/* Puts the fields that are dates into the form that is kept (schema/core/date.h). NULL, or the name
 * of the first that is no date and stays as it was: *text. */
const char *abdb_entry_normalize_dates_find_bad(abdb_entry *entry, const char **text);

/* The number of a field that is one, as the store checks, keeps and keys it. False: the field has
 * no text, or text that is no count. */
bool abdb_entry_parse_positive_count(const abdb_entry *entry, int field, long long *out);
/* Rewrites a field that is a count as it is kept, "1024" for "1,024" and "1e3", by the decimal mark
 * of its column. Text that is no count stays: the store refuses it with its reason. */
void abdb_entry_normalize_count_field(abdb_entry *entry, int field, abdb_decimal_mark mark);

/* A row of a dictionary or of published facts: device, spec, alias, price, source, model, claim. */
enum { ABDB_FACT_MAX = 32 };
typedef struct {
    const char *table, *locator;
    long line;        /* as in an entry */
    const char *fact; /* as in a result */
    size_t columns;
    struct {
        const char *name, *text; /* text NULL: num; both missing: NULL */
        double num;
    } column[ABDB_FACT_MAX];
    char dates[2][ABDB_DATE_SIZE]; /* room for abdb_fact_normalize_dates_find_bad */
} abdb_fact;
/* A column of a fact that is a number, by the name of the column: a whole one of a count, any other
 * of a quantity, with that decimal mark. False, with reason: the text is none. */
bool abdb_fact_parse_number(const char *column, const char *text, abdb_decimal_mark mark,
                            double *out, char *reason, size_t room);
/* Is the column a number in the table of the fact? */
bool abdb_fact_column_is_number(const char *table, const char *column);
/* The same as abdb_entry_normalize_dates_find_bad for the columns of a fact. */
const char *abdb_fact_normalize_dates_find_bad(abdb_fact *fact, const char **text);

typedef struct {
    long line; /* 0 unknown */
    const char *field, *reason, *raw;
} abdb_reject;

/* Where records go. row_end closes an input row, so that each row is counted once: accepted when
 * anything in it was new, else duplicate, else rejected, else ignored. */
typedef struct {
    void *self;
    abdb_status (*entry)(void *self, const abdb_entry *entry, abdb_error *err);
    abdb_status (*fact)(void *self, const abdb_fact *fact, abdb_error *err);
    abdb_status (*reject)(void *self, const abdb_reject *reject, abdb_error *err);
    abdb_status (*row_end)(void *self, abdb_error *err);
} abdb_sink;

/* For a sink that takes no notice of rejects, or of the ends of rows. */
abdb_status abdb_sink_ignore_reject(void *self, const abdb_reject *reject, abdb_error *err);
abdb_status abdb_sink_ignore_row_end(void *self, abdb_error *err);

#endif
