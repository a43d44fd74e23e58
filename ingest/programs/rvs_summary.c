/* rvs_summary.c - lines of RVS and the summary behind its runs; see rvs_summary.h.
 *
 * The summary stands behind the results that it names the GPUs of, so it is read before them. It
 * belongs to the lines between the last beginning of a run and its own end, and only where it lists
 * the line's action: of runs pasted after each other each has its own GPUs.
 */
#include "ingest/programs/rvs_summary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/core/array.h"

enum { GPUS_MAX = 64, ACTIONS_MAX = 256 };

struct rvs_summary {
    long begin, end; /* lines */
    abdb_settings settings;
    size_t gpus, actions;
    struct {
        const char *id, *name;
    } gpu[GPUS_MAX];
    const char *action[ACTIONS_MAX];
};

/* --- lines ------------------------------------------------------------------------------------ */

void rvs_line_parse(rvs_line *out, const char *text, abdb_arena *arena)
{
    static const char *const levels[] = {"RESULT", "INFO", "ERROR", "DEBUG", "TRACE", NULL};

    *out = (rvs_line){.seconds = -1, .rest = text};
    while (*out->rest == '[') {
        const char *word = out->rest + 1 + strspn(out->rest + 1, " "), *end = strchr(word, ']');
        size_t size = end ? (size_t)(end - word) : 0;

        if (!end) return;
        for (size_t i = 0; levels[i] && !out->has_level; i++)
            if (size >= strlen(levels[i]) && strncmp(word, levels[i], strlen(levels[i])) == 0 &&
                strspn(word + strlen(levels[i]), " ") == size - strlen(levels[i]))
                out->has_level = true, out->is_result = i == 0, size = 0;
        if (size && isdigit((unsigned char)*word) && strspn(word, "0123456789., ") == size) {
            out->seconds = (long)abdb_digits_parse_prefix_up_to_max_or(word, 1LL << 40, -1);
        } else if (size) {
            if (out->action || strncmp(word, "GPU::", 5) == 0 || strncmp(word, "CPU::", 5) == 0)
                return;
            out->action = abdb_arena_copy(arena, word, size);
        }
        out->rest = end + 1 + strspn(end + 1, " ");
    }
}

bool rvs_line_begins_run(rvs_clock *clock, const rvs_line *line, const char *text)
{
    long before = clock->seconds;
    const char *command = strstr(text, "rvs -");

    if (line->seconds >= 0) clock->seconds = line->seconds;
    if (strncmp(text, "```", 3) == 0 ||
        (command && (command == text || strchr(" /", command[-1])) && !line->action)) {
        clock->seconds = 0;
        return true;
    }
    /* lines of threads may stand a second out of order */
    return line->seconds >= 0 && line->seconds + 1 < before;
}

const char *rvs_gpu_id_or_null(const char *text, abdb_arena *arena, const char **end)
{
    const char *at, *id, *stop;
    size_t digits;

    if (strncmp(text, "[GPU::", 6) != 0 || !(stop = strchr(text, ']'))) return NULL;
    id = text + 6 + strspn(text + 6, " ");
    at = strstr(id, " - ");
    if (at && at < stop) id = at + 3 + strspn(at + 3, " ");
    digits = strspn(id, "0123456789");
    if (!digits || (id[digits] != ']' && id[digits] != ' ')) return NULL;
    *end = stop + 1 + strspn(stop + 1, " ");
    return abdb_arena_copy(arena, id, digits);
}

/* --- summaries -------------------------------------------------------------------------------- */

typedef struct {
    rvs_summaries *all;
    rvs_clock clock;
    long begin;
    bool open, in_actions; /* inside a summary, and in its table of actions */
} reader;

static rvs_summary *last_summary(rvs_summaries *all)
{
    return &all->list[all->count - 1];
}

/* The cells of "| a | b | c |", trimmed; returns their number. */
static size_t split_cells(const char *text, char *out[4], abdb_arena *arena)
{
    size_t cells = 0;

    for (const char *at = text + 1, *bar; (bar = strchr(at, '|')) != NULL && cells < 4;
         at = bar + 1)
        out[cells++] = abdb_trim_in_place(abdb_arena_copy(arena, at, (size_t)(bar - at)));
    return cells;
}

/* "AMD Instinct MI355X - 42583" */
static void add_gpu(rvs_summary *s, const char *cell, abdb_arena *arena)
{
    const char *dash = NULL;

    for (const char *at = cell; (at = strstr(at, " - ")) != NULL; at += 3) dash = at;
    if (!dash || s->gpus == GPUS_MAX || strspn(dash + 3, "0123456789") != strlen(dash + 3) ||
        !dash[3] || isdigit((unsigned char)*cell))
        return;
    s->gpu[s->gpus].id = dash + 3;
    s->gpu[s->gpus++].name = abdb_arena_copy(arena, cell, (size_t)(dash - cell));
}

static void read_row_of_summary(reader *r, const char *text)
{
    rvs_summary *s = last_summary(r->all);
    abdb_arena *a = &r->all->arena;
    char *cell[4];
    size_t cells = split_cells(text, cell, a);

    if (cells == 3 && strcmp(cell[0], "Action Name") == 0) {
        r->in_actions = true;
    } else if (cells == 3 && r->in_actions) {
        if (s->actions < ACTIONS_MAX) s->action[s->actions++] = cell[0];
    } else if (cells == 2 && (strstr(cell[0], " - ") || strstr(cell[1], " - "))) {
        add_gpu(s, cell[0], a); /* of one GPU the name stands beside a title */
        add_gpu(s, cell[1], a);
    } else if (cells == 2 && *cell[0] && *cell[1] && strcmp(cell[1], "N/A") != 0) {
        abdb_settings_set_or_count_lost(&s->settings, a, cell[0], (int)strlen(cell[0]), cell[1],
                                        (int)strlen(cell[1]));
    }
}

static abdb_status read_line(void *self, const text_line *line, abdb_error *err)
{
    reader *r = self;
    const char *text = line->text + strspn(line->text, " \t");
    rvs_line parsed;
    abdb_arena a = {0};
    void *more;

    rvs_line_parse(&parsed, text, &a);
    if (rvs_line_begins_run(&r->clock, &parsed, text)) r->begin = line->number, r->open = false;
    abdb_arena_free(&a);
    if (strstr(text, "ROCm Validation Suite (RVS) Summary")) {
        more = abdb_array_reserve_one(r->all->list, r->all->count, &r->all->room,
                                      sizeof *r->all->list);
        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "summaries");
        r->all->list = more;
        r->all->list[r->all->count++] = (rvs_summary){.begin = r->begin};
        r->open = true;
        r->in_actions = false;
    } else if (r->open && *text == '|') {
        read_row_of_summary(r, text);
    } else if (r->open && *text != '+') {
        r->open = false;
        r->begin = line->number;
    }
    if (r->open) last_summary(r->all)->end = line->number;
    return ABDB_OK;
}

abdb_status rvs_summaries_read_file(rvs_summaries *out, const abdb_input *in, abdb_error *err)
{
    reader r = {.all = out};

    return lines_deliver_each_without_mark(in, read_line, &r, err);
}

static const rvs_summary *find_summary_or_null(const rvs_summaries *all, long line,
                                               const char *action)
{
    for (size_t i = 0; i < all->count && action; i++) {
        const rvs_summary *s = &all->list[i];

        if (line < s->begin || line > s->end) continue;
        for (size_t k = 0; k < s->actions; k++)
            if (strcmp(s->action[k], action) == 0) return s;
    }
    return NULL;
}

const char *rvs_summaries_find_device_or_null(const rvs_summaries *all, long line,
                                              const char *action, const char *gpu)
{
    const rvs_summary *s = find_summary_or_null(all, line, action);

    for (size_t i = 0; s && gpu && i < s->gpus; i++)
        if (strcmp(s->gpu[i].id, gpu) == 0) return s->gpu[i].name;
    return NULL;
}

const abdb_settings *rvs_summaries_find_settings_or_null(const rvs_summaries *all, long line,
                                                         const char *action)
{
    const rvs_summary *s = find_summary_or_null(all, line, action);

    return s ? &s->settings : NULL;
}

void rvs_summaries_free(rvs_summaries *all)
{
    free(all->list);
    abdb_arena_free(&all->arena);
    *all = (rvs_summaries){0};
}
