/* headline.c - one sentence about the rows of a figure; see headline.h. */
#include "query/answer/headline.h"

#include <math.h>
#include <stdlib.h>

#include "query/answer/explain.h"
#include "query/answer/sql_rows.h"
#include "schema/core/array.h"
#include "schema/functions/sqlite.h"

enum { NAMES_MAX = 400, TIES_MAX = 5, KEY_SIZE = 64 };

typedef struct {
    const char *name;
    double value;
    size_t row;
} place;

typedef struct {
    abdb_db *db;
    const abdb_report *report;
    const char *const *given, *const *vendor;
    abdb_table *t;
    /* the rank: columns, which rows count, and the names in order */
    size_t value, name, among;
    bool ranked, low, latest, clear;
    const char *text; /* among's, for `of` */
    size_t places;
    place *place;
    size_t ties;      /* names that share the first place */
    size_t rival;     /* its place; 0: there is none */
    const char *rule; /* refuses to compare the first two, or NULL */
    bool refused;
} headline_builder;

void abdb_format_number_with_scale_word(double number, char out[40])
{
    static const struct {
        double least, unit;
        const char *word;
    } scales[] = {{999.5e9, 1e12, "\u00a0trillion"},
                  {999.5e6, 1e9, "\u00a0billion"},
                  {999.5e3, 1e6, "\u00a0million"},
                  {9999.5, 1e3, "\u00a0thousand"}};
    double size = fabs(number);
    size_t i = 0;

    while (i < sizeof scales / sizeof *scales && size < scales[i].least) i++;
    if (i < sizeof scales / sizeof *scales)
        snprintf(out, 40, "%.3g%s", number / scales[i].unit, scales[i].word);
    else if (size >= 99.5)
        snprintf(out, 40, "%.0f", number);
    else
        snprintf(out, 40, "%.*g", size < 1 ? 2 : 3, number);
}

static const char *headline_cell_text(const headline_builder *m, size_t row, size_t column,
                                      char digits[32])
{
    const abdb_value *v = &m->t->value[row * m->t->columns + column];

    return v->kind == ABDB_NULL ? "" : abdb_value_text(v, digits);
}

static bool parse_cell_number(const headline_builder *m, size_t row, size_t column, double *out)
{
    char digits[32];

    return abdb_double_parse(headline_cell_text(m, row, column, digits), ABDB_MARK_POINT, out);
}

/* --- the rank -------------------------------------------------------------------------------- */

/* Finds a column that a figure's head names; an error if its report has none. */
static abdb_status require_ranks_column(const headline_builder *m, const abdb_figure *f,
                                        const char *name, size_t *out, abdb_error *err)
{
    int at = abdb_table_column_index(m->t, name);

    if (at < 0)
        return ABDB_FAIL(err, ABDB_FORMAT, "figure %s: report %s has no column '%s' (# ranks)",
                         f->name, f->report, name);
    *out = (size_t)at;
    return ABDB_OK;
}

/* `VALUE NAME [low] [in COLUMN | of COLUMN=TEXT | unless COLUMN]` */
static abdb_status parse_ranks_header(headline_builder *m, const abdb_figure *f, abdb_error *err)
{
    char *words = f->ranks ? abdb_arena_copy(&m->t->arena, f->ranks, strlen(f->ranks)) : NULL, *one;
    size_t nth = 0;

    m->among = SIZE_MAX;
    while (words && (one = strsep(&words, " "))) {
        abdb_status st = ABDB_OK;

        if (!*one) continue;
        if (nth == 0) {
            st = require_ranks_column(m, f, one, &m->value, err);
        } else if (nth == 1) {
            st = require_ranks_column(m, f, one, &m->name, err);
            m->ranked = true;
        } else if (strcmp(one, "low") == 0) {
            m->low = true;
        } else {
            char *which = strsep(&words, " "), *equals = which ? strchr(which, '=') : NULL;

            m->latest = strcmp(one, "in") == 0;
            m->clear = strcmp(one, "unless") == 0;
            if (equals) *equals = '\0';
            m->text = equals ? equals + 1 : NULL;
            st = require_ranks_column(m, f, which ? which : "", &m->among, err);
        }
        if (st != ABDB_OK) return st;
        nth++;
    }
    return ABDB_OK;
}

/* Does the row meet the conditions of `# ranks:`? */
static bool row_is_eligible(const headline_builder *m, size_t row)
{
    char digits[32], last[32];
    const char *text;

    if (m->among == SIZE_MAX) return true;
    text = headline_cell_text(m, row, m->among, digits);
    if (m->clear) return !*text;
    return strcmp(text,
                  m->text ? m->text : headline_cell_text(m, m->t->rows - 1, m->among, last)) == 0;
}

static int compare_ranked_values(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->value != y->value) return x->value < y->value ? 1 : -1; /* of low ones the negative */
    return (x->row > y->row) - (x->row < y->row);
}

/* Ranks the names by the best of their eligible rows. */
static void rank_names_by_best_matching_row(headline_builder *m)
{
    for (size_t r = 0; r < m->t->rows; r++) {
        const abdb_value *v = &m->t->value[r * m->t->columns + m->name];
        size_t i = 0;
        double value;

        if (v->kind != ABDB_STRING || !row_is_eligible(m, r) ||
            !parse_cell_number(m, r, m->value, &value))
            continue;
        if (m->low) value = -value;
        while (i < m->places && strcmp(m->place[i].name, v->text) != 0) i++;
        if (i == m->places && m->places < NAMES_MAX)
            m->place[m->places++] = (place){v->text, value, r};
        else if (i < m->places && value > m->place[i].value)
            m->place[i] = (place){v->text, value, r};
    }
    abdb_array_sort(m->place, m->places, sizeof *m->place, compare_ranked_values);
}

/* The first key of a result behind the number of a row; false: of none. */
static bool copy_first_fact_key_if_of_result(const headline_builder *m, size_t row,
                                             char key[KEY_SIZE])
{
    const char *keys = abdb_fact_keys_of_cell_or_its_row(m->t, row, m->value);
    size_t size = keys ? strcspn(keys, " ") : 0;

    if (size < 3 || size >= KEY_SIZE || strncmp(keys, "r-", 2) != 0) return false;
    snprintf(key, KEY_SIZE, "%.*s", (int)size, keys);
    return true;
}

/* May the numbers of two rows be compared? Rows outside all rules (specifications, which the report
 * has made alike) may; refused pairs may not. */
static abdb_status decide_rows_comparable_record_rule(headline_builder *m, size_t a, size_t b,
                                                      bool *allowed, abdb_error *err)
{
    static const char sql[] =
        "SELECT standing, sentence FROM abdb_compare('key=' || ?1, 'key=' || ?2)";
    char keys[2][KEY_SIZE];
    bool told[2] = {copy_first_fact_key_if_of_result(m, a, keys[0]),
                    copy_first_fact_key_if_of_result(m, b, keys[1])};
    sqlite3_stmt *s = NULL;
    int code;

    *allowed = !told[0] && !told[1];
    if (!told[0] || !told[1]) return ABDB_OK;
    code = sqlite3_prepare_v2(m->db->sql, sql, -1, &s, NULL);
    for (int i = 0; i < 2 && code == SQLITE_OK; i++)
        code = sqlite3_bind_text(s, i + 1, keys[i], -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        const char *standing = abdb_sql_text_or_null(s, 0), *sentence = abdb_sql_text_or_null(s, 1);

        *allowed = standing && strncmp(standing, "comparable", 10) == 0;
        if (!*allowed && sentence && !m->rule)
            m->rule = abdb_arena_copy(&m->t->arena, sentence, strlen(sentence));
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(m->db, err, "who leads");
}

static void format_nth_best_value(const headline_builder *m, size_t nth, char out[40])
{
    abdb_format_number_with_scale_word(m->low ? -m->place[nth].value : m->place[nth].value, out);
}

/* Who shares the first place, and whether the first may be held against the others. */
static abdb_status find_ties_rival_and_refusal(headline_builder *m, abdb_error *err)
{
    char first[40], other[40];
    bool allowed;
    abdb_status st = ABDB_OK;

    if (m->places < 2) return ABDB_OK;
    format_nth_best_value(m, 0, first);
    for (m->ties = 1; m->ties < m->places; m->ties++) {
        format_nth_best_value(m, m->ties, other);
        if (strcmp(first, other) != 0) break;
    }
    for (size_t i = 1; i < (m->ties > 2 ? m->ties : 2) && i < TIES_MAX && !m->refused; i++) {
        TRY(decide_rows_comparable_record_rule(m, m->place[0].row, m->place[i].row, &allowed, err));
        m->refused = !allowed;
    }
    for (size_t i = 2; m->vendor && !m->refused && i < m->places && !m->rival; i++) {
        const char *mine = m->vendor[m->place[0].row], *others = m->vendor[m->place[i].row];

        if (!*mine || !*others || strcmp(mine, others) == 0 ||
            strcmp(mine, m->vendor[m->place[1].row]) != 0)
            continue;
        TRY(decide_rows_comparable_record_rule(m, m->place[0].row, m->place[i].row, &allowed, err));
        if (allowed) m->rival = i;
    }
done:
    return st;
}

/* --- the words ------------------------------------------------------------------------------- */

/* Appends the name in a place; one whose value is not verified gets that word. */
static void append_ranked_name_marking_unverified(const headline_builder *m, size_t nth,
                                                  abdb_text *out)
{
    int verified = abdb_table_column_index(m->t, "verified");
    int by = abdb_table_column_index(m->t, "verified_by");
    char digits[32];
    const char *said;

    abdb_text_puts(out, m->place[nth].name);
    if (by >= 0) {
        said = headline_cell_text(m, m->place[nth].row, (size_t)by, digits);
        if (strcmp(said, "file") == 0)
            abdb_text_puts(out, " (verified as its file states)");
        else if (strcmp(said, "mlcommons") != 0)
            abdb_text_puts(out, " (unverified)");
    } else if (verified >= 0 &&
               strcmp(headline_cell_text(m, m->place[nth].row, (size_t)verified, digits), "yes") !=
                   0)
        abdb_text_puts(out, " (unverified)");
}

/* Appends how far a place is from the first, in percent. */
static void append_percent_gap_to_first(const headline_builder *m, size_t nth, abdb_text *out)
{
    double percent = 100 * fabs(1 - m->place[nth].value / m->place[0].value);

    if (percent < 1)
        abdb_text_puts(out, "under 1\u00a0%");
    else
        abdb_text_printf(out, "%.0f\u00a0%%", percent);
}

/* "A and B", "A, B and C", "A, B, C and 4 more" */
static bool append_tied_names_if_several(const headline_builder *m, abdb_text *out)
{
    size_t told = m->ties > TIES_MAX - 1 ? TIES_MAX - 2 : m->ties;

    if (m->ties < 2) return false;
    for (size_t i = 0; i < told; i++) {
        if (i) abdb_text_puts(out, i + 1 == m->ties ? " and " : ", ");
        append_ranked_name_marking_unverified(m, i, out);
    }
    if (told < m->ties) abdb_text_printf(out, " and %zu more", m->ties - told);
    return true;
}

/* A word of the rank. */
static bool append_value_of_rank_word_if_known(const headline_builder *m, const char *braced_word,
                                               abdb_text *out)
{
    bool leads = m->places > 1 && m->ties == 1 && !m->refused;
    char number[40];

    if (strcmp(braced_word, "best") == 0 && m->places && !m->refused) {
        format_nth_best_value(m, 0, number);
        abdb_text_puts(out, number);
        return true;
    }
    if (strcmp(braced_word, "count") == 0 && m->places > 1) {
        abdb_text_printf(out, "%zu", m->places);
        return true;
    }
    if (strcmp(braced_word, "tied") == 0)
        return !m->refused && append_tied_names_if_several(m, out);
    if (strcmp(braced_word, "only") == 0 && m->places == 1)
        append_ranked_name_marking_unverified(m, 0, out);
    else if (strcmp(braced_word, "leader") == 0 && leads)
        append_ranked_name_marking_unverified(m, 0, out);
    else if (strcmp(braced_word, "second") == 0 && leads)
        append_ranked_name_marking_unverified(m, 1, out);
    else if (strcmp(braced_word, "gap") == 0 && leads)
        append_percent_gap_to_first(m, 1, out);
    else if (strcmp(braced_word, "rival") == 0 && leads && m->rival)
        append_ranked_name_marking_unverified(m, m->rival, out);
    else if (strcmp(braced_word, "rival_gap") == 0 && leads && m->rival)
        append_percent_gap_to_first(m, m->rival, out);
    else
        return false;
    return true;
}

/* {first COLUMN} */
static bool append_cell_of_sole_leader(const headline_builder *m, const char *column,
                                       abdb_text *out)
{
    int at = abdb_table_column_index(m->t, column);
    char digits[32];

    if (at < 0 || !m->places || m->ties > 1 || m->refused) return false;
    abdb_text_puts(out, headline_cell_text(m, m->place[0].row, (size_t)at, digits));
    return true;
}

/* {min COLUMN}, {max COLUMN} */
static bool append_column_min_or_max(const headline_builder *m, const char *min_or_max_column,
                                     abdb_text *out)
{
    bool least = strncmp(min_or_max_column, "min ", 4) == 0;
    int column = abdb_table_column_index(m->t, min_or_max_column + 4);
    double number, bound = NAN;
    char words[40];

    for (size_t r = 0; column >= 0 && r < m->t->rows; r++)
        if (row_is_eligible(m, r) && parse_cell_number(m, r, (size_t)column, &number) &&
            (isnan(bound) || (least ? number < bound : number > bound)))
            bound = number;
    if (isnan(bound)) return false;
    if (strstr(min_or_max_column, "percent"))
        snprintf(words, sizeof words, "%.0f", bound);
    else
        abdb_format_number_with_scale_word(bound, words);
    abdb_text_puts(out, words);
    return true;
}

/* The plural of a unit for a sentence: "tokens/s" for "token/s". */
static const char *pluralize_rate_unit(const char *unit)
{
    static const char *const said[][2] = {
        {"token/s", "tokens/s"}, {"sample/s", "samples/s"}, {"query/s", "queries/s"}};

    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strcmp(unit, said[i][0]) == 0) return said[i][1];
    return unit;
}

/* Appends the value of a column if all matching rows agree. */
static bool append_value_if_same_in_all_matching_rows(const headline_builder *m,
                                                      const char *column_name, abdb_text *out)
{
    int column = abdb_table_column_index(m->t, column_name);
    char digits[32];
    const char *common = NULL;
    double number;

    for (size_t r = 0; column >= 0 && r < m->t->rows; r++) {
        const char *text = headline_cell_text(m, r, (size_t)column, digits);

        if (!row_is_eligible(m, r) || (m->ranked && !parse_cell_number(m, r, m->value, &number)))
            continue;
        if (!*text || (common && strcmp(common, text) != 0)) return false;
        if (!common) common = abdb_arena_copy(&m->t->arena, text, strlen(text));
    }
    if (common && strcmp(column_name, "unit") == 0) common = pluralize_rate_unit(common);
    if (common) abdb_text_puts(out, common);
    return common != NULL;
}

/* Appends the value of a word in braces. False: the table has no value for it. */
static bool append_value_of_braced_word_if_known(const headline_builder *m, const char *braced_word,
                                                 abdb_text *out)
{
    if (strcmp(braced_word, "all") == 0) {
        abdb_text_printf(out, "%zu", m->t->rows);
        return m->t->rows > 0;
    }
    if (m->ranked && append_value_of_rank_word_if_known(m, braced_word, out)) return true;
    if (strncmp(braced_word, "first ", 6) == 0)
        return append_cell_of_sole_leader(m, braced_word + 6, out);
    if (strncmp(braced_word, "min ", 4) == 0 || strncmp(braced_word, "max ", 4) == 0)
        return append_column_min_or_max(m, braced_word, out);
    if (append_value_if_same_in_all_matching_rows(m, braced_word, out)) return true;
    for (size_t p = 0; p < m->report->params; p++) {
        const char *value = m->given[p] ? m->given[p] : m->report->param[p].fallback;

        if (strcmp(m->report->param[p].name, braced_word) != 0 || !value || !*value) continue;
        abdb_text_puts(out, value);
        return true;
    }
    return false;
}

/* Of "{min COLUMN} to {max COLUMN}" the length behind the first, if both have the same format. */
static size_t size_to_skip_if_min_equals_max(const headline_builder *m, const char *word,
                                             const char *rest)
{
    abdb_text least = {0}, most = {0};
    char range[80], greatest[64];
    bool same;

    snprintf(greatest, sizeof greatest, "max %s", strlen(word) > 4 ? word + 4 : "");
    snprintf(range, sizeof range, " to {%s}", greatest);
    if (strncmp(word, "min ", 4) != 0 || strncmp(rest, range, strlen(range)) != 0) return 0;
    same = append_column_min_or_max(m, word, &least) &&
           append_column_min_or_max(m, greatest, &most) &&
           strcmp(abdb_text_get(&least), abdb_text_get(&most)) == 0;
    abdb_text_free(&least);
    abdb_text_free(&most);
    return same ? strlen(range) : 0;
}

/* The sentence with its words; NULL: one of them has no value. */
static const char *fill_sentence_template(const headline_builder *m, const char *sentence)
{
    abdb_text out = {0};
    bool whole = true;
    const char *kept = NULL;

    while (*sentence && whole) {
        size_t plain = strcspn(sentence, "{");
        char word[64];

        abdb_text_add(&out, sentence, plain);
        sentence += plain;
        if (!*sentence) break;
        plain = strcspn(sentence, "}");
        snprintf(word, sizeof word, "%.*s", (int)(plain - 1), sentence + 1);
        whole = sentence[plain] == '}' && append_value_of_braced_word_if_known(m, word, &out);
        sentence += plain + (sentence[plain] == '}');
        sentence += size_to_skip_if_min_equals_max(m, word, sentence);
    }
    if (whole && !out.failed) kept = abdb_arena_copy(&m->t->arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return kept;
}

/* A text that begins with a capital letter: the first word may be a unit. */
static const char *copy_with_first_letter_capitalised(const headline_builder *m, const char *text)
{
    char *copy;

    if (!text || *text < 'a' || *text > 'z') return text;
    copy = abdb_arena_copy(&m->t->arena, text, strlen(text));
    if (copy) *copy = (char)(*copy - 'a' + 'A');
    return copy;
}

abdb_status abdb_headline_from_table(abdb_headline *out, abdb_db *db, const abdb_figure *f,
                                     const abdb_report *report, const char *const *value,
                                     const char *const *vendor, abdb_table *table, abdb_error *err)
{
    headline_builder m = {.db = db, .report = report, .given = value, .vendor = vendor, .t = table};
    abdb_status st = ABDB_OK;

    *out = (abdb_headline){0};
    TRY(parse_ranks_header(&m, f, err));
    if (m.ranked && table->rows) {
        m.place = calloc(NAMES_MAX, sizeof *m.place);
        if (!m.place) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", f->name));
        rank_names_by_best_matching_row(&m);
        TRY(find_ties_rival_and_refusal(&m, err));
    }
    for (size_t i = 0; i < f->findings && !out->sentence; i++)
        out->sentence = fill_sentence_template(&m, f->finding[i]);
    if (f->subtitle)
        out->subtitle =
            copy_with_first_letter_capitalised(&m, fill_sentence_template(&m, f->subtitle));
    if (m.refused && m.rule)
        out->note = abdb_arena_printf(&table->arena, "no order is claimed: %s", m.rule);
done:
    free(m.place);
    return st;
}
