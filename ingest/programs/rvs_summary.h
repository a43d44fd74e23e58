/* rvs_summary.h - the summary that RVS prints behind a run: names of its GPUs, versions, actions.
 */
#ifndef ABDB_INGEST_RVS_SUMMARY_H
#define ABDB_INGEST_RVS_SUMMARY_H

#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

/* A line of RVS without its level and time: "[RESULT] [ 12.5] [action] rest". */
typedef struct {
    bool has_level, is_result; /* false: the level is another, or none is printed */
    long seconds;              /* since the machine started; -1: not printed */
    const char *action;        /* NULL: not printed; in arena */
    const char *rest;
} rvs_line;
void rvs_line_parse(rvs_line *out, const char *text, abdb_arena *arena);

/* Whether a line begins another run: a block of a post, a command, or a time before the last one.
 * Zeroed is the beginning of a file. */
typedef struct {
    long seconds;
} rvs_clock;
bool rvs_line_begins_run(rvs_clock *clock, const rvs_line *line, const char *text);

/* "[GPU:: 2 - 42583 - 0000:05:00.0]" or "[GPU:: 42583]" at the text: its GPU ID, in arena, and
 * *end behind it. NULL: the text is another. */
const char *rvs_gpu_id_or_null(const char *text, abdb_arena *arena, const char **end);

/* All summaries of a file. Zeroed is empty. */
typedef struct rvs_summary rvs_summary;
typedef struct {
    rvs_summary *list;
    size_t count, room;
    abdb_arena arena;
} rvs_summaries;
ABDB_MUST_USE abdb_status rvs_summaries_read_file(rvs_summaries *out, const abdb_input *in,
                                                  abdb_error *err);
/* The device of the GPU in the run of that line, whose summary lists the action; NULL: unknown. */
const char *rvs_summaries_find_device_or_null(const rvs_summaries *all, long line,
                                              const char *action, const char *gpu);
/* Versions of that run, or NULL. */
const abdb_settings *rvs_summaries_find_settings_or_null(const rvs_summaries *all, long line,
                                                         const char *action);
void rvs_summaries_free(rvs_summaries *all);

#endif
