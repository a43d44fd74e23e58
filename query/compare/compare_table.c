/* compare_table.c - a comparison for people: a block for each contender; see compare_table.h. */
#include "query/compare/compare_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/deadline.h"
#include "query/answer/output.h"
#include "query/answer/render.h"
#include "query/compare/compare_text.h"
#include "query/compare/pair_label.h"
#include "query/compare/like_for_like.h"
#include "schema/core/array.h"

enum { BLOCK_COLUMNS = 7 };

/* --- numbers ---------------------------------------------------------------------------------- */

abdb_unit_prefix abdb_pick_unit_prefix(double value, const char *unit)
{
    static const abdb_unit_prefix large[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"},
                                             {1e9, "G"},  {1e6, "M"},  {1e3, "k"}};
    static const abdb_unit_prefix small[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    /* Operations and bytes take large prefixes, times small ones; fractions become per cent. */
    bool counts =
        strncmp(unit, "FLOP", 4) == 0 || strncmp(unit, "OP", 2) == 0 || strncmp(unit, "B", 1) == 0;

    if (strcmp(unit, "1") == 0) return (abdb_unit_prefix){0.01, "%"};
    for (size_t i = 0; counts && i < sizeof large / sizeof large[0]; i++)
        if (fabs(value) >= large[i].factor) return large[i];
    for (size_t i = 0; strcmp(unit, "s") == 0 && i < sizeof small / sizeof small[0]; i++)
        if (fabs(value) >= small[i].factor || i == 3) return small[i];
    return (abdb_unit_prefix){1, ""};
}

void abdb_format_value_divided_by_prefix(double value, abdb_unit_prefix scale, char out[32])
{
    double x = value / scale.factor, size = fabs(x);
    /* Four significant digits, at least one decimal. */
    int decimals = size >= 1000 ? 1 : size > 0 ? 3 - (int)floor(log10(size)) : 0;

    if (size > 0 && (size >= 1e9 || size < 1e-3))
        snprintf(out, 32, "%.4g", x);
    else
        snprintf(out, 32, "%.*f", decimals < 1 ? 1 : decimals, x);
}

static void format_unit_label(const char *unit, abdb_unit_prefix scale, bool derived, char out[64])
{
    if (strcmp(unit, "1") == 0)
        snprintf(out, 64, "%%%s", derived ? "†" : "");
    else
        snprintf(out, 64, "%s%.50s%s", scale.prefix, unit, derived ? "†" : "");
}

/* --- rows ------------------------------------------------------------------------------------- */

/* "4414.6 (4318.5, 8)": best, worst and n; or "- no price". */
static void format_side_value(const abdb_side_summary *s, abdb_unit_prefix scale, char out[96])
{
    char value[32], low[32];

    if (!s->n) {
        snprintf(out, 96, "- %.80s", s->why ? s->why : "no value");
        return;
    }
    abdb_format_value_divided_by_prefix(s->value, scale, value);
    abdb_format_value_divided_by_prefix(s->low, scale, low);
    if (s->n == 1)
        snprintf(out, 96, "%s", value);
    else if (s->sampled)
        snprintf(out, 96, "%s (%zu)", value, s->n);
    else
        snprintf(out, 96, "%s (%s, %zu)", value, low, s->n);
}

/* The ratio as printed, in round brackets where unlike things were divided; and its verdict. */
static void format_ratio_and_verdict(const abdb_comparison *c, const abdb_pair *pair, char out[48],
                                     char verdict[120])
{
    const abdb_difference *d = &pair->difference;
    const char *vague =
        d->verdict == ABDB_VERDICT_UNCLEAR || d->verdict == ABDB_VERDICT_TOO_FEW ? "~" : "";
    size_t size;

    snprintf(out, 48, "-");
    snprintf(verdict, 120, "%s", abdb_pair_verdict_or_why_no_ratio(pair));
    if (pair->has_ratio && d->has_interval)
        snprintf(out, 48, "%s%.3fx (%.3f to %.3f)", vague, d->ratio, d->low, d->high);
    else if (pair->has_ratio)
        snprintf(out, 48, pair->left.sampled ? "%s%.3fx" : "%s%.2fx", vague, d->ratio);
    if (pair->has_ratio && *pair->unlike) {
        size = strlen(out);
        memmove(out + 1, out, size + 1 < 46 ? size + 1 : 46);
        out[0] = '(';
        snprintf(out + strlen(out), 48 - strlen(out), ")");
        snprintf(verdict, 120, "%.110s", pair->unlike);
    }
    if (pair->comparability == ABDB_REFUSED && c->options->exploratory)
        snprintf(verdict, 120, "EXPLORATORY");
}

/* "3.1 %": the smallest change that a pair could have shown. */
static void format_detectable_change(const abdb_pair *pair, char out[32])
{
    double x = 100 * pair->difference.detectable_change;

    *out = '\0';
    if (x >= 1000)
        snprintf(out, 32, "none");
    else if (isfinite(x))
        snprintf(out, 32, x < 10 ? "%.1f %%" : "%.0f %%", x);
}

/* The value that decides the prefix of a contender's block. */
static double largest_baseline_value(const abdb_comparison *c, size_t contender)
{
    double most = 0;

    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && c->pair[i].left.n &&
            fabs(c->pair[i].left.value) > most)
            most = fabs(c->pair[i].left.value);
    return most;
}

static void set_cell_text(abdb_table *t, abdb_value *row, size_t column, const char *text)
{
    row[column] = (abdb_value){.kind = ABDB_STRING, .text = abdb_table_copy_text(t, text)};
}

/* "8", or "8|88" where the sides differ. */
static void format_device_counts(const abdb_pair *pair, char out[96])
{
    char text[2][24];

    for (int right = 0; right < 2; right++) {
        const abdb_side_summary *s = right ? &pair->right : &pair->left;
        const abdb_set *set = right ? pair->b.set : pair->a.set;
        double n = s->picked == SIZE_MAX ? NAN : abdb_member_number(set, s->picked, ABDB_M_devices);

        snprintf(text[right], sizeof text[right], "?");
        if (n > 0) snprintf(text[right], sizeof text[right], "%.0f", n);
    }
    snprintf(out, 96, "%s%s%s", text[0], strcmp(text[0], text[1]) == 0 ? "" : "|",
             strcmp(text[0], text[1]) == 0 ? "" : text[1]);
    if (strcmp(out, "?") == 0) *out = '\0';
}

/* Are the pairs of a contender of several numbers of devices? */
static bool device_counts_vary(const abdb_comparison *c, size_t contender)
{
    char first[96] = "", text[96];

    for (size_t i = 0; i < c->pairs; i++) {
        if (c->pair[i].contender != contender || !abdb_pair_may_be_shown(c, &c->pair[i])) continue;
        format_device_counts(&c->pair[i], text);
        if (strchr(text, '|') || (*first && *text && strcmp(first, text) != 0)) return true;
        if (!*first) snprintf(first, sizeof first, "%s", text);
    }
    return false;
}

/* The columns of a block; the unit stands above the names of the rows. Are there several units? */
static bool set_headings_check_mixed_units(const abdb_comparison *c, size_t contender,
                                           abdb_table *t, abdb_unit_prefix *scale)
{
    const char *unit = "";
    const char *how =
        c->options->pick == ABDB_PICK_MEDIAN ? "median (worst, n)" : "best (worst, n)";
    char label[64], a[24], b[24], ratio[8];
    bool mlperf = false, sampled = true, tested = false, mixed = false;

    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && abdb_pair_may_be_shown(c, &c->pair[i])) {
            if (!*unit) unit = c->pair[i].unit;
            mixed |= strcmp(unit, c->pair[i].unit) != 0;
            sampled &= c->pair[i].left.sampled;
            tested |= isfinite(c->pair[i].difference.detectable_change);
            mlperf |= strcmp(abdb_member_text(c->pair[i].a.set, 0, ABDB_M_evidence), "mlperf") == 0;
        }
    *scale = mixed ? (abdb_unit_prefix){1, ""}
                   : abdb_pick_unit_prefix(largest_baseline_value(c, contender), unit);
    format_unit_label(unit, *scale, mlperf && strcmp(c->per, "none") != 0, label);
    if (mixed) snprintf(label, sizeof label, "each in its unit");
    if (sampled) how = "(processes)";
    snprintf(a, sizeof a, "A %s", how);
    snprintf(b, sizeof b, "%c %s", (char)('A' + contender), how);
    snprintf(ratio, sizeof ratio, "%c/A", (char)('A' + contender));
    t->columns = BLOCK_COLUMNS;
    t->column[0].name = abdb_table_copy_text(t, label);
    t->column[1].name = device_counts_vary(c, contender) ? "devices" : "_devices";
    t->column[2].name = abdb_table_copy_text(t, a);
    t->column[3].name = abdb_table_copy_text(t, b);
    t->column[4].name = abdb_table_copy_text(t, ratio);
    t->column[5].name = tested ? "shows" : "_shows";
    t->column[6].name = "verdict";
    return mixed;
}

/* One pair as a row. */
static void write_pair_cells(const abdb_comparison *c, const abdb_pair *pair,
                             abdb_unit_prefix scale, const char *label, abdb_table *t,
                             abdb_value *row)
{
    char text[96], ratio[48], verdict[120], shows[32];

    set_cell_text(t, row, 0, label);
    format_device_counts(pair, text);
    set_cell_text(t, row, 1, text);
    format_side_value(&pair->left, scale, text);
    set_cell_text(t, row, 2, text);
    format_side_value(&pair->right, scale, text);
    set_cell_text(t, row, 3, text);
    format_ratio_and_verdict(c, pair, ratio, verdict);
    set_cell_text(t, row, 4, ratio);
    format_detectable_change(pair, shows);
    set_cell_text(t, row, 5, shows);
    set_cell_text(t, row, 6, verdict);
}

/* Rows of one contender: its pairs that are shown, then their geometric mean. */
static abdb_status append_contender_rows(const abdb_comparison *c, size_t contender, abdb_table *t,
                                         abdb_error *err)
{
    const char *name[ABDB_DIFFER_MAX];
    size_t n, left_out, twins,
        names = abdb_pick_names_distinguishing_pairs(c, contender, &t->arena, name);
    abdb_text label = {0};
    abdb_unit_prefix scale;
    bool mixed;
    double mean;
    abdb_status st = ABDB_OK;

    mixed = set_headings_check_mixed_units(c, contender, t, &scale);
    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];
        abdb_value *row;

        if (pair->contender != contender || !abdb_pair_may_be_shown(c, pair)) continue;
        if (!(row = abdb_table_append_row(t))) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a comparison"));
        abdb_format_pair_label(pair, name, names, &label);
        if (mixed) abdb_text_printf(&label, ", %s", pair->unit);
        if (pair->choice == ABDB_OF_ANY_SIZE) abdb_text_puts(&label, ", any size");
        write_pair_cells(c, pair, scale, abdb_text_get(&label), t, row);
    }
    mean = abdb_geomean_of_like_ratios(c, contender, &n, &left_out, &twins);
    if (n > 1) {
        abdb_value *row = abdb_table_append_row(t);
        char text[64];

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a comparison"));
        for (size_t k = 1; k < 6; k++) set_cell_text(t, row, k, "");
        snprintf(text, sizeof text, "geomean %zu of %zu", n, n + left_out);
        set_cell_text(t, row, 0, text);
        snprintf(text, sizeof text, "%.2fx", mean);
        set_cell_text(t, row, 4, text);
        set_cell_text(t, row, 6,
                      strcmp(abdb_member_text(&c->set[0], 0, ABDB_M_evidence), "mlperf") == 0
                          ? "composite, not endorsed by MLCommons"
                      : abdb_pairs_mix_higher_and_lower_is_better(c, contender)
                          ? "composite, above 1 is better: times turned over"
                          : "composite");
    }
done:
    abdb_text_free(&label);
    return st;
}

static void print_unknown_factors(const char *factors, FILE *out)
{
    abdb_text line = {0};

    abdb_text_printf(&line, "     unknown on a side: %s", factors);
    abdb_print_wrapped(out, 9, abdb_text_get(&line));
    abdb_text_free(&line);
}

abdb_status abdb_print_comparison(const abdb_comparison *c, abdb_db *db, bool brief, FILE *out,
                                  abdb_error *err)
{
    abdb_text line = {0};
    abdb_table end = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_add_comparison_notes(c, db, &end, err));
    abdb_deadline_cancel(); /* only printing is left */
    abdb_append_exploratory_stamp_if_refused(c, &line);
    abdb_append_set_headings(c, &line);
    abdb_print_wrapped(out, 4, abdb_text_get(&line));
    abdb_text_clear(&line);
    abdb_append_factors_shared_by_shown_pairs(c, &line);
    if (line.size && !brief) abdb_print_wrapped(out, 4, abdb_text_get(&line));
    abdb_text_clear(&line);
    abdb_append_why_per_device_and_equal_sizes(c, &line);
    if (line.size) abdb_print_wrapped(out, 4, abdb_text_get(&line));
    for (size_t s = 1; s < c->sets; s++) {
        abdb_table rows = {0};

        if (!abdb_count_shown_pairs(c, s)) continue;
        abdb_text_clear(&line);
        abdb_append_comparability_line(c, s, &line);
        fputc('\n', out);
        abdb_print_wrapped(out, 4, abdb_text_get(&line));
        abdb_text_clear(&line);
        abdb_append_contender_differing_factors(c, s, true, &line);
        if (line.size && !brief) print_unknown_factors(abdb_text_get(&line), out);
        st = append_contender_rows(c, s, &rows, err);
        if (st == ABDB_OK) abdb_render_text_table(&rows, out);
        abdb_table_free(&rows);
        if (st != ABDB_OK) goto done;
    }
    if (brief) abdb_table_replace_notes_by_count_keeping_cut(&end);
    if (end.notes) fputc('\n', out);
    for (size_t i = 0; i < end.notes; i++) abdb_print_wrapped(out, 4, end.note[i]);
done:
    abdb_table_free(&end);
    abdb_text_free(&line);
    return st;
}

/* One table for all contenders: the columns of a block after one that names the contender. */
static abdb_status append_contender_to_table(const abdb_comparison *c, size_t contender,
                                             abdb_table *out, abdb_error *err)
{
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    TRY(append_contender_rows(c, contender, &rows, err));
    if (!out->columns) {
        static const char *const names[] = {"contender",   "row",   "unit",   "devices", "A",
                                            "contender's", "ratio", "_shows", "verdict"};

        out->columns = sizeof names / sizeof names[0];
        for (size_t k = 0; k < out->columns; k++) out->column[k].name = names[k];
    }
    if (strcmp(rows.column[5].name, "shows") == 0) out->column[7].name = "shows";
    for (size_t r = 0; r < rows.rows; r++) {
        abdb_value *row = abdb_table_append_row(out);
        char who[160];

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a comparison"));
        snprintf(who, sizeof who, "%c %.140s", (char)('A' + contender),
                 abdb_set_device_or_selection(&c->set[contender]));
        set_cell_text(out, row, 0, who);
        set_cell_text(out, row, 1, rows.value[r * BLOCK_COLUMNS].text);
        set_cell_text(out, row, 2, rows.column[0].name);
        for (size_t k = 1; k < BLOCK_COLUMNS; k++)
            set_cell_text(out, row, k + 2, rows.value[r * BLOCK_COLUMNS + k].text);
    }
done:
    abdb_table_free(&rows);
    return st;
}

abdb_status abdb_comparison_to_display_table(const abdb_comparison *c, abdb_db *db, abdb_table *out,
                                             abdb_error *err)
{
    abdb_text line = {0};
    abdb_status st = ABDB_OK;

    abdb_append_exploratory_stamp_if_refused(c, &line);
    abdb_append_set_headings(c, &line);
    out->title = abdb_table_copy_text(out, abdb_text_get(&line));
    out->hoist = "contender unit devices";
    abdb_text_clear(&line);
    abdb_append_factors_shared_by_shown_pairs(c, &line);
    if (line.size) abdb_table_add_note(out, abdb_text_get(&line));
    abdb_text_clear(&line);
    abdb_append_why_per_device_and_equal_sizes(c, &line);
    if (line.size) abdb_table_add_note(out, abdb_text_get(&line));
    for (size_t s = 1; s < c->sets; s++) {
        if (!abdb_count_shown_pairs(c, s)) continue;
        TRY(append_contender_to_table(c, s, out, err));
        abdb_text_clear(&line);
        abdb_append_comparability_line(c, s, &line);
        abdb_table_add_note(out, abdb_text_get(&line));
        abdb_text_clear(&line);
        abdb_append_contender_differing_factors(c, s, true, &line);
        if (line.size)
            abdb_table_add_note_format(out, "unknown on a side: %s", abdb_text_get(&line));
    }
    TRY(abdb_add_comparison_notes(c, db, out, err));
done:
    abdb_text_free(&line);
    return st;
}
