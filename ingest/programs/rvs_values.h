/* rvs_values.h - what the modules of RVS print becomes entries: rates, power and verdicts. */
#ifndef ABDB_INGEST_RVS_VALUES_H
#define ABDB_INGEST_RVS_VALUES_H

#include "ingest/programs/rvs_summary.h"

enum { POWERS_MAX = 256 };

typedef struct {
    char action[96], gpu[16], most[32];
    double watts;
    long long readings;
    bool is_damaged; /* a reading is lost, and the largest with it */
} rvs_power;

/* A log as far as it is read. */
typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    abdb_decimal_mark mark;
    rvs_summaries summaries;
    rvs_clock clock;
    rvs_power power[POWERS_MAX];
    size_t powers;
    char action[96], module[16], dtype[8]; /* of lines without them */
    char unit[12];                         /* of babel's table; "": none */
    bool rates, in_actions;
    abdb_settings settings; /* of babel's table */
    abdb_arena arena, run_arena;
} rvs_log;

/* The word at the text, up to a blank. */
const char *rvs_copy_word(rvs_log *s, const char *text);
/* "TRUE", "true", "PASS": 1; their opposites: 0; -1: another word. */
int rvs_verdict_of_word(const char *text);
/* An entry without a value, whose status is the verdict. gpu NULL: of the whole action. */
ABDB_MUST_USE abdb_status rvs_import_verdict(rvs_log *s, const text_line *line, const rvs_line *l,
                                             const char *module, const char *gpu, bool pass,
                                             abdb_error *err);
/* "GFLOPS 1063560 Target GFLOPS: 0 met: TRUE". The rate of an interval is left out. */
ABDB_MUST_USE abdb_status rvs_import_gflops(rvs_log *s, const text_line *line, const rvs_line *l,
                                            const char *gpu, const char *text, abdb_error *err);
/* "Power(W) 1398.000000": a reading, kept for the verdict that follows. */
void rvs_note_power(rvs_log *s, const rvs_line *l, const char *gpu, const char *text);
/* "pass: TRUE": an entry of the largest power that was noted, or of the verdict alone. */
ABDB_MUST_USE abdb_status rvs_import_pass(rvs_log *s, const text_line *line, const rvs_line *l,
                                          const char *module, const char *gpu, const char *word,
                                          abdb_error *err);
/* A copy of pebb or pbqt; moving averages are left out. */
ABDB_MUST_USE abdb_status rvs_import_transfer(rvs_log *s, const text_line *line, const rvs_line *l,
                                              const char *text, abdb_error *err);
/* Is the line the heading of babel's table? Then its units are kept. */
bool rvs_read_heading_of_babel(rvs_log *s, const char *text);
ABDB_MUST_USE abdb_status rvs_import_row_of_babel(rvs_log *s, const text_line *line,
                                                  const rvs_line *l, abdb_error *err);

#endif
