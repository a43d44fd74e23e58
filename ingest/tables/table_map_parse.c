/* table_map_parse.c - parses the lines of a map file into map_line; table_map.c applies them. The
 * form is in table_map.h. */
#include "ingest/tables/table_map_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/tables/work_formula.h"
#include "schema/core/units.h"

/* The next letter of a column's name that counts. */
static int next_letter_skipping_blanks_and_markup(const char **s)
{
    for (;;) {
        if (strncasecmp(*s, "<br>", 4) == 0)
            *s += 4;
        else if (**s && (isspace((unsigned char)**s) || **s == '*' || **s == '`'))
            ++*s;
        else
            return **s ? tolower((unsigned char)*(*s)++) : 0;
    }
}

bool map_column_names_equal(const char *a, const char *b)
{
    for (;;) {
        int x = next_letter_skipping_blanks_and_markup(&a),
            y = next_letter_skipping_blanks_and_markup(&b);

        if (x != y) return false;
        if (!x) return true;
    }
}

/* --- parsing ---------------------------------------------------------------------------------- */

typedef struct {
    table_map *map;
    const char *path;
    long line;
    const char *word[MAP_WORDS_MAX];
    size_t words;
    abdb_error *err;
} parser;

/* "PATH: line N: what word", for all faults of a map. */
static abdb_status fail_with_map_syntax_error(parser *p, const char *what, const char *word)
{
    return ABDB_FAIL(p->err, ABDB_DATA, "%s: line %ld: %s%s%s", p->path, p->line, what,
                     word ? " " : "", word ? word : "");
}

/* Splits a line into words; "..." is one word, # begins a comment. */
static abdb_status split_map_line_into_words(parser *p, const char *s, const char *end)
{
    p->words = 0;
    while (s < end) {
        const char *from;
        bool quoted;

        while (s < end && isspace((unsigned char)*s)) s++;
        if (s == end || *s == '#') break;
        quoted = *s == '"';
        from = s += quoted;
        while (s < end && (quoted ? *s != '"' : !isspace((unsigned char)*s))) s++;
        if (quoted && s == end)
            return fail_with_map_syntax_error(p, "a quote is never closed", NULL);
        if (p->words == MAP_WORDS_MAX) return fail_with_map_syntax_error(p, "too many words", NULL);
        p->word[p->words] = abdb_arena_copy(&p->map->arena, from, (size_t)(s - from));
        if (!p->word[p->words++]) return ABDB_FAIL(p->err, ABDB_NOMEM, "a map");
        s += quoted;
    }
    return ABDB_OK;
}

/* The words from `from` on, copied into the map's arena, since the next line overwrites
 * parser.word. */
static const char **copy_words_from_index(parser *p, size_t from, size_t *count)
{
    size_t n = p->words - from;
    const char **list = abdb_arena_alloc(&p->map->arena, (n + 1) * sizeof *list);

    if (list && n) memcpy(list, p->word + from, n * sizeof *list);
    *count = list ? n : 0;
    return list;
}

/* Parses the words behind a column as pairs of option and value; `map` takes all that follow. */
static abdb_status parse_line_options(parser *p, map_line *line, size_t at)
{
    while (at < p->words) {
        const char *name = p->word[at], *value = at + 1 < p->words ? p->word[at + 1] : NULL;

        if (!value) return fail_with_map_syntax_error(p, "no value behind", name);
        if (strcmp(name, "map") == 0) {
            line->word = copy_words_from_index(p, at + 1, &line->words);
            return line->words % 2
                       ? fail_with_map_syntax_error(p, "map wants pairs: CELL MEANING", NULL)
                       : ABDB_OK;
        }
        if (strcmp(name, "unit") == 0) {
            if (strcmp(value, "cell") != 0 && !abdb_unit_find(value))
                return fail_with_map_syntax_error(p, "unknown unit", value);
            line->unit = value;
        } else if (line->options + 2 <= MAP_OPTIONS_MAX) {
            line->option[line->options++] = name;
            line->option[line->options++] = value;
        }
        at += 2;
    }
    return ABDB_OK;
}

/* field, factor, metric, spec, price: NAME column C ..., or NAME "constant" ... */
static abdb_status parse_named_column_or_constant_line(parser *p, map_verb verb)
{
    map_line *line;

    if (p->words < 3)
        return fail_with_map_syntax_error(p, "wants a name and a column or value", NULL);
    if (p->map->count == MAP_LINES_MAX)
        return fail_with_map_syntax_error(p, "too many lines", NULL);
    line = &p->map->line[p->map->count++];
    line->verb = verb;
    line->name = p->word[1];
    if (verb == MAP_METRIC && !abdb_metric_find(line->name))
        return fail_with_map_syntax_error(p, "unknown metric", line->name);
    if (strcmp(p->word[2], "column") != 0) {
        line->constant = p->word[2];
        return parse_line_options(p, line, 3);
    }
    if (p->words < 4) return fail_with_map_syntax_error(p, "column wants a name", NULL);
    line->column = p->word[3];
    return parse_line_options(p, line, 4);
}

/* decide FIELD CELL MEANING COLUMN PATTERN ... */
static abdb_status parse_decide_line(parser *p)
{
    map_line *line;

    if (p->words < 6 || p->words % 2)
        return fail_with_map_syntax_error(p, "decide wants FIELD CELL MEANING COLUMN PATTERN ...",
                                          NULL);
    if (p->map->count == MAP_LINES_MAX)
        return fail_with_map_syntax_error(p, "too many lines", NULL);
    line = &p->map->line[p->map->count++];
    line->verb = MAP_DECIDE;
    line->name = p->word[1];
    line->constant = p->word[2];
    line->column = p->word[3];
    line->word = copy_words_from_index(p, 4, &line->words);
    return ABDB_OK;
}

/* derive METRIC FORMULA */
static abdb_status parse_derive_line(parser *p)
{
    map_line *line;

    if (p->words != 3) return fail_with_map_syntax_error(p, "derive wants METRIC FORMULA", NULL);
    if (!abdb_work_formula_exists(p->word[2], p->word[1]))
        return fail_with_map_syntax_error(p, "no formula of that metric:", p->word[2]);
    if (p->map->count == MAP_LINES_MAX)
        return fail_with_map_syntax_error(p, "too many lines", NULL);
    line = &p->map->line[p->map->count++];
    line->verb = MAP_DERIVE;
    line->name = p->word[1];
    line->constant = p->word[2];
    return ABDB_OK;
}

static abdb_status parse_version_line(parser *p)
{
    long long version;

    if (!abdb_integer_parse_in_range(p->word[1], ABDB_MARK_UNKNOWN, 1, 1000000, &version))
        return fail_with_map_syntax_error(p, "version wants a number from 1 on, not", p->word[1]);
    p->map->version = (int)version;
    return ABDB_OK;
}

/* "name ?", "set evidence ?": does the line hold a draft's question, which only its user can
 * answer? */
static bool line_has_unanswered_question(const parser *p)
{
    size_t at = strcmp(p->word[0], "name") == 0 ? 1 : strcmp(p->word[0], "set") == 0 ? 2 : 0;

    return at && p->words > at && strcmp(p->word[at], "?") == 0;
}

/* Parses a line of a map by its first word. */
static abdb_status parse_map_line(parser *p)
{
    static const struct {
        const char *word;
        map_verb verb;
    } verbs[] = {{"field", MAP_FIELD},   {"set", MAP_FIELD}, {"factor", MAP_FACTOR},
                 {"metric", MAP_METRIC}, {"spec", MAP_SPEC}, {"price", MAP_PRICE}};
    const char *verb = p->word[0];

    if (line_has_unanswered_question(p))
        return fail_with_map_syntax_error(
            p, "a question of the draft: write the answer in place of ? behind",
            strcmp(verb, "name") == 0 ? verb : p->word[1]);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verb, verbs[i].word) == 0)
            return parse_named_column_or_constant_line(p, verbs[i].verb);
    if (strcmp(verb, "decide") == 0) return parse_decide_line(p);
    if (strcmp(verb, "derive") == 0) return parse_derive_line(p);
    if (p->words < 2) return fail_with_map_syntax_error(p, "no value behind", verb);
    if (strcmp(verb, "name") == 0)
        p->map->name = p->word[1];
    else if (strcmp(verb, "summary") == 0)
        p->map->summary = p->word[1];
    else if (strcmp(verb, "version") == 0)
        return parse_version_line(p);
    else if (strcmp(verb, "member") == 0)
        p->map->member = p->word[1];
    else if (strcmp(verb, "claims") == 0 && strcmp(p->word[1], "json") == 0)
        p->map->claims_json = true;
    else if (strcmp(verb, "match") == 0)
        p->map->match = copy_words_from_index(p, 1, &p->map->match_count);
    else if (strcmp(verb, "missing") == 0)
        p->map->missing = copy_words_from_index(p, 1, &p->map->missing_count);
    else if (strcmp(verb, "ignore") == 0)
        p->map->ignore = copy_words_from_index(p, 1, &p->map->ignore_count);
    else
        return fail_with_map_syntax_error(p, "no such word:", verb);
    return ABDB_OK;
}

abdb_status table_map_parse_text(table_map **out, const char *path, const char *text,
                                 abdb_error *err)
{
    parser p = {.map = calloc(1, sizeof *p.map), .path = path, .err = err};
    abdb_status st = ABDB_OK;

    *out = NULL;
    if (!p.map) return ABDB_FAIL(err, ABDB_NOMEM, "a map");
    p.map->version = 1;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3; /* an editor's byte order mark */
    while (*text) {
        size_t size = strcspn(text, "\r\n");

        p.line++;
        TRY(split_map_line_into_words(&p, text, text + size));
        if (p.words) TRY(parse_map_line(&p));
        /* \n, \r\n and \r all end a line, and each counts once. */
        text += size + (text[size] == '\r' && text[size + 1] == '\n');
        text += *text == '\n' || *text == '\r';
    }
    if (!p.map->name) TRY(ABDB_FAIL(err, ABDB_DATA, "%s: no line 'name NAME'", path));
    *out = p.map;
done:
    if (st != ABDB_OK) table_map_free(p.map);
    return st;
}

void table_map_free(table_map *map)
{
    if (!map) return;
    abdb_arena_free(&map->arena);
    free(map);
}

const char *table_map_name(const table_map *map)
{
    return map->name;
}

int table_map_version(const table_map *map)
{
    return map->version;
}

const char *table_map_summary(const table_map *map)
{
    return map->summary ? map->summary : "";
}

bool table_map_column_is_unmentioned(const table_map *map, const char *column)
{
    for (size_t i = 0; i < map->ignore_count; i++)
        if (map_column_names_equal(map->ignore[i], column)) return false;
    for (size_t i = 0; i < map->count; i++) {
        const map_line *line = &map->line[i];

        if (line->verb != MAP_DECIDE && line->column &&
            map_column_names_equal(line->column, column))
            return false;
        for (size_t k = 0; line->verb == MAP_DECIDE && k + 1 < line->words; k += 2)
            if (map_column_names_equal(line->word[k], column)) return false;
    }
    return true;
}

bool table_map_matches_columns(const table_map *map, const abdb_flat_record *record)
{
    for (size_t i = 0; i < map->match_count; i++) {
        bool found = false;

        for (size_t k = 0; k < record->items && !found; k++)
            found = map_column_names_equal(record->item[k].name, map->match[i]);
        if (!found) return false;
    }
    return map->match_count > 0;
}

bool table_map_accepts_record(const table_map *map, const abdb_flat_record *record)
{
    return map->match_count == 0 || table_map_matches_columns(map, record);
}
