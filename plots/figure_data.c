/* figure_data.c - prepares rows for drawing: text values get numbers (levels), the series follow
 * each other in one datablock, and columns and bounds have names; see figure_data.h.
 */
#include "plots/figure_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/sanitize_text.h"

/* LEVELS_MAX: more names than a page can show. NAME_LETTERS: letters that fit beside a picture of
 * 720 points. */
enum { LEVELS_MAX = 400, NAME_LETTERS = 34, COLUMNS_MAX = 64 };

/* The distinct values of a column, in order of appearance; of numbers in their own order. */
typedef struct {
    size_t column, count;
    const char *name[LEVELS_MAX], *shown[LEVELS_MAX]; /* shown: shortened, or NULL */
} levels;

typedef struct {
    const abdb_figure *figure;
    const abdb_drawing *d;
    size_t *row, kept; /* rows that are drawn */
    bool low;          /* a row was left out for a number that is not above 0 */
    size_t numbered;
    levels number[COLUMNS_MAX], series;
    abdb_text *out;
    abdb_arena arena;
} data_builder;

static const char *cell_text_at(const abdb_drawing *d, size_t row, size_t column)
{
    const char *cell = d->cell[row * d->columns + column];

    return cell ? cell : "";
}

/* *out: the column of that name, of size bytes. ABDB_FORMAT: the report has none. */
static abdb_status find_column_index(const data_builder *m, const char *name, size_t size,
                                     size_t *out, abdb_error *err)
{
    for (size_t c = 0; c < m->d->columns; c++)
        if (strlen(m->d->name[c]) == size && strncmp(m->d->name[c], name, size) == 0) {
            *out = c;
            return ABDB_OK;
        }
    return ABDB_FAIL(err, ABDB_FORMAT, "figure %s: report %s has no column '%.*s'", m->figure->name,
                     m->figure->report, (int)size, name);
}

/* The next word of a list, and the column of that name; above: is `>0` behind it? NULL: it may not
 * be. */
static bool find_next_listed_column(const data_builder *m, const char **list, size_t *column,
                                    bool *above_zero, abdb_status *st, abdb_error *err)
{
    size_t size;

    if (!*list || *st != ABDB_OK) return false;
    *list += strspn(*list, " ,");
    size = strcspn(*list, " ,");
    if (!size) return false;
    if (above_zero) *above_zero = size > 2 && strncmp(*list + size - 2, ">0", 2) == 0;
    *st = find_column_index(m, *list, above_zero && *above_zero ? size - 2 : size, column, err);
    *list += size;
    return *st == ABDB_OK;
}

/* Keeps the rows that have a number, or one above 0, in each column that the figure needs. */
static abdb_status select_rows_with_needed_numbers(data_builder *m, abdb_error *err)
{
    for (size_t r = 0; r < m->d->rows; r++) {
        const char *list = m->figure->needs;
        abdb_status st = ABDB_OK;
        bool whole = true, above;
        size_t c;
        double number;

        while (find_next_listed_column(m, &list, &c, &above, &st, err)) {
            bool is_number = !m->d->text[c] &&
                             abdb_double_parse(cell_text_at(m->d, r, c), ABDB_MARK_POINT, &number);
            bool is_low = is_number && above && !(number > 0);

            whole &= is_number && !is_low;
            m->low |= is_low;
        }
        if (st != ABDB_OK) return st;
        if (whole) m->row[m->kept++] = r;
    }
    return ABDB_OK;
}

static int compare_numeric_text(const void *a, const void *b)
{
    double x = 0, y = 0;

    (void)abdb_double_parse(*(const char *const *)a, ABDB_MARK_POINT, &x);
    (void)abdb_double_parse(*(const char *const *)b, ABDB_MARK_POINT, &y);
    return (x > y) - (x < y);
}

static size_t find_level_index(const levels *l, const char *name)
{
    size_t i = 0;

    while (i < l->count && strcmp(l->name[i], name) != 0) i++;
    return i;
}

static bool is_row_highlighted(const data_builder *m, size_t row)
{
    return !m->d->lit || m->d->lit[row];
}

/* Leaves the first `most` of the names in the order of the column's least number. */
static void collect_series_highlighted_then_least_value(const data_builder *m, levels *l,
                                                        size_t by_column, size_t most)
{
    double least[LEVELS_MAX];

    for (size_t i = 0; i < m->kept; i++) {
        size_t n = find_level_index(l, cell_text_at(m->d, m->row[i], l->column));
        double number = INFINITY;

        (void)abdb_double_parse(cell_text_at(m->d, m->row[i], by_column), ABDB_MARK_POINT, &number);
        if (!is_row_highlighted(m, m->row[i]))
            number += 1e9; /* behind the rows that are highlighted */
        if (n == LEVELS_MAX) continue;
        if (n == l->count) {
            l->name[l->count++] = cell_text_at(m->d, m->row[i], l->column);
            least[n] = number;
        } else if (number < least[n])
            least[n] = number;
    }
    /* Few names: by insertion, which keeps equal ones in order. */
    for (size_t i = 1; i < l->count; i++)
        for (size_t k = i; k && least[k] < least[k - 1]; k--) {
            const char *name = l->name[k];
            double number = least[k];

            l->name[k] = l->name[k - 1];
            least[k] = least[k - 1];
            l->name[k - 1] = name;
            least[k - 1] = number;
        }
    if (l->count > most) l->count = most;
}

/* The names of an axis or a key: numbers in their order, text in the order of the report's rows; in
 * a key highlighted names come first, so that a lack of room drops others. */
static void collect_level_names(const data_builder *m, levels *l, size_t most)
{
    for (size_t pass = m->d->lit && l == &m->series ? 0 : 1; pass < 2; pass++)
        for (size_t i = 0; i < m->kept; i++) {
            const char *name = cell_text_at(m->d, m->row[i], l->column);

            if ((pass || m->d->lit[m->row[i]]) && find_level_index(l, name) == l->count &&
                l->count < most)
                l->name[l->count++] = name;
        }
    if (!m->d->text[l->column])
        abdb_array_sort(l->name, l->count, sizeof *l->name, compare_numeric_text);
}

/* The place after so many letters of UTF-8 text. */
static const char *skip_utf8_letters(const char *s, int letters)
{
    while (*s && letters > 0) {
        s++;
        /* Bytes 10xxxxxx continue a letter of UTF-8. */
        letters -= ((unsigned char)*s & 0xc0) != 0x80;
    }
    return s;
}

/* A name, cleaned; of a long one the beginning and the end, where names differ. */
static void append_name_shortened_in_middle(abdb_text *out, const char *name)
{
    abdb_text clean = {0};
    const char *text;
    int letters;

    abdb_figure_append_sanitized_text(&clean, *name ? name : "(not said)");
    text = abdb_text_get(&clean);
    letters = abdb_display_width(text);
    if (letters <= NAME_LETTERS)
        abdb_text_puts(out, text);
    else {
        abdb_text_add(out, text, (size_t)(skip_utf8_letters(text, NAME_LETTERS / 2) - text));
        abdb_text_puts(out, "…");
        abdb_text_puts(out, skip_utf8_letters(text, letters - NAME_LETTERS / 2 + 1));
    }
    abdb_text_free(&clean);
}

/* The length of a name's next piece: up to a separator (within brackets only a blank counts), or to
 * the end. */
static size_t name_piece_size(const char *name, const char *separator)
{
    size_t size = 0, length = strlen(separator);

    for (int deep = 0; name[size]; size++) {
        deep += (name[size] == '(') - (name[size] == ')');
        if ((deep <= 0 || *separator == ' ') && strncmp(name + size, separator, length) == 0) break;
    }
    return size;
}

/* The next piece behind one of that size. */
static const char *skip_to_next_name_piece(const char *name, size_t size, const char *separator)
{
    name += size;
    return *name ? name + strlen(separator) : name;
}

static bool name_has_piece(const char *name, const char *piece, size_t size, const char *separator)
{
    for (size_t own; *name; name = skip_to_next_name_piece(name, own, separator)) {
        own = name_piece_size(name, separator);
        if (own == size && strncmp(name, piece, size) == 0) return true;
    }
    return false;
}

static bool is_piece_in_all_names(const levels *l, const char *piece, size_t size,
                                  const char *separator)
{
    size_t i = 0;

    while (i < l->count && name_has_piece(l->name[i], piece, size, separator)) i++;
    return i == l->count;
}

/* The pieces of a name that are (or are not) in all names of the column. */
static void append_common_or_own_name_pieces(abdb_text *out, const levels *l, const char *name,
                                             bool common, const char *separator)
{
    for (size_t size; *name; name = skip_to_next_name_piece(name, size, separator)) {
        size = name_piece_size(name, separator);
        if (!size || is_piece_in_all_names(l, name, size, separator) != common) continue;
        if (out->size) abdb_text_puts(out, separator);
        abdb_text_add(out, name, size);
    }
}

/* Moves clauses, or else words, common to all names to the caption, where names are long.
 */
static void move_common_pieces_to_caption(data_builder *m, levels *l, abdb_text *shared)
{
    const char *separator = ", ";
    bool is_long = false;
    abdb_text common = {0};

    for (size_t i = 0; i < l->count; i++) is_long |= abdb_display_width(l->name[i]) > NAME_LETTERS;
    if (!is_long) return;
    append_common_or_own_name_pieces(&common, l, l->name[0], true, separator);
    if (!common.size)
        append_common_or_own_name_pieces(&common, l, l->name[0], true, separator = " ");
    for (size_t i = 0; i < l->count && common.size; i++) { /* nothing is left of the only one */
        abdb_text rest = {0};

        append_common_or_own_name_pieces(&rest, l, l->name[i], false, separator);
        l->shown[i] = rest.size ? abdb_arena_copy(&m->arena, rest.data, rest.size) : NULL;
        abdb_text_free(&rest);
    }
    if (common.size) {
        abdb_text_puts(shared, shared->size ? "; " : "");
        abdb_text_append_sanitized(shared, abdb_text_get(&common));
    }
    abdb_text_free(&common);
}

/* An array of gnuplot with these names, and how many letters the widest has, for the margin. */
static void write_name_array_and_widest(abdb_text *out, const char *array, const levels *l)
{
    size_t widest = 0;

    abdb_text_printf(out, "array %s[%zu]\n", array, l->count ? l->count : 1);
    for (size_t i = 0; i < l->count; i++) {
        abdb_text one = {0};

        append_name_shortened_in_middle(&one, l->shown[i] ? l->shown[i] : l->name[i]);
        if ((size_t)abdb_display_width(abdb_text_get(&one)) > widest)
            widest = (size_t)abdb_display_width(abdb_text_get(&one));
        abdb_text_printf(out, "%s[%zu] = \"%s\"\n", array, i + 1, abdb_text_get(&one));
        abdb_text_free(&one);
    }
    abdb_text_printf(out, "%s_widest = %zu\n", array, widest);
}

/* Drops the rows of all other names, and lists these in a note. */
static void drop_rows_of_other_names(data_builder *m, const levels *kept_names, abdb_text *notes)
{
    levels rest = {.column = kept_names->column};
    size_t kept = 0;

    for (size_t i = 0; i < m->kept; i++) {
        const char *name = cell_text_at(m->d, m->row[i], kept_names->column);

        if (find_level_index(kept_names, name) < kept_names->count)
            m->row[kept++] = m->row[i];
        else if (find_level_index(&rest, name) == rest.count && rest.count < LEVELS_MAX)
            rest.name[rest.count++] = name;
    }
    m->kept = kept;
    if (!rest.count) return;
    abdb_text_printf(notes, "not drawn, %zu more:", rest.count);
    for (size_t i = 0; i < rest.count && i < 6; i++) {
        abdb_text_puts(notes, i ? ", " : " ");
        abdb_text_append_sanitized(notes, rest.name[i]);
    }
    abdb_text_puts(notes, rest.count > 6 ? ", ...\n" : "\n");
}

/* Keeps the first `most` rows, or levels, by which the figure grows. */
static abdb_status drop_rows_beyond_fixed_height_and_note(data_builder *m, size_t most,
                                                          abdb_text *notes, abdb_error *err)
{
    const abdb_figure *f = m->figure;
    levels these = {0};

    if (!f->fixed || !f->grown) return ABDB_OK;
    if (strcmp(f->grown, "rows") != 0) {
        abdb_status st = find_column_index(m, f->grown, strlen(f->grown), &these.column, err);

        if (st != ABDB_OK) return st;
        collect_level_names(m, &these, most);
        drop_rows_of_other_names(m, &these, notes);
    } else if (m->kept > most) {
        abdb_text_printf(notes, "not drawn: %zu more rows\n", m->kept - most);
        m->kept = most;
    }
    return ABDB_OK;
}

/* Of each series whose it is, and whether it is highlighted. */
static void write_series_vendor_and_highlight(const data_builder *m)
{
    abdb_text_printf(m->out, "array series_vendor[%zu]\narray series_lit[%zu]\n",
                     m->series.count + 1, m->series.count + 1);
    for (size_t s = 0; s < m->series.count; s++)
        for (size_t i = 0; i < m->kept; i++) {
            if (find_level_index(&m->series, cell_text_at(m->d, m->row[i], m->series.column)) != s)
                continue;
            abdb_text_printf(m->out, "series_lit[%zu] = %d\nseries_vendor[%zu] = \"", s + 1,
                             is_row_highlighted(m, m->row[i]), s + 1);
            if (m->d->vendor) abdb_figure_append_sanitized_text(m->out, m->d->vendor[m->row[i]]);
            abdb_text_puts(m->out, "\"\n");
            break;
        }
}

/* Writes for each column its number c_NAME; of texts the widest, of numbers min_NAME and
 * max_NAME. */
static void write_column_indices_and_ranges_or_widths(const data_builder *m)
{
    for (size_t c = 0; c < m->d->columns; c++) {
        double low = 0, high = 0, number;
        char digits[2][32];
        size_t found = 0, widest = 0;

        abdb_text_printf(m->out, "c_%s = %zu\n", m->d->name[c], c + 1);
        for (size_t i = 0; i < m->kept; i++) {
            const char *cell = cell_text_at(m->d, m->row[i], c);

            if ((size_t)abdb_display_width(cell) > widest)
                widest = (size_t)abdb_display_width(cell);
            if (m->d->text[c] || !abdb_double_parse(cell, ABDB_MARK_POINT, &number)) continue;
            if (!found || number < low) low = number;
            if (!found++ || number > high) high = number;
        }
        /* A column without a value may be of words as well as of numbers. */
        if (m->d->text[c] || !widest)
            abdb_text_printf(m->out, "widest_%s = %zu\n", m->d->name[c], widest);
        if (m->d->text[c]) continue;
        abdb_format_shortest_double(low, digits[0]);
        abdb_format_shortest_double(high, digits[1]);
        /* 1.0 *: gnuplot divides whole numbers as C does. */
        abdb_text_printf(m->out, "min_%s = 1.0 * %s\nmax_%s = 1.0 * %s\n", m->d->name[c], digits[0],
                         m->d->name[c], digits[1]);
    }
}

/* Writes a row of the report as gnuplot reads it: cells, the number of its level in each column
 * of levels, whether it is highlighted, and its vendor. */
static void write_data_row(const data_builder *m, size_t r)
{
    for (size_t c = 0; c < m->d->columns; c++) {
        const char *cell = cell_text_at(m->d, r, c);

        if (c) abdb_text_puts(m->out, "\t");
        if (m->d->text[c]) {
            abdb_text_puts(m->out, "\"");
            abdb_figure_append_sanitized_text(
                m->out, *cell ? cell : " "); /* gnuplot takes "" for what follows */
            abdb_text_puts(m->out, "\"");
        } else
            abdb_text_puts(m->out, *cell ? cell : "NaN");
    }
    for (size_t i = 0; i < m->numbered; i++)
        abdb_text_printf(
            m->out, "\t%zu",
            find_level_index(&m->number[i], cell_text_at(m->d, r, m->number[i].column)) + 1);
    abdb_text_printf(m->out, "\t%d\t\"", is_row_highlighted(m, r));
    abdb_figure_append_sanitized_text(m->out,
                                      m->d->vendor && *m->d->vendor[r] ? m->d->vendor[r] : " ");
    abdb_text_puts(m->out, "\"\n");
}

/* Rows of one series after another, two empty lines between them: an index of gnuplot each. */
static void write_data_block(const data_builder *m)
{
    size_t blocks = m->figure->series ? m->series.count : 1;

    abdb_text_puts(m->out, "$data << ABDB_END_OF_DATA\n");
    for (size_t s = 0; s < blocks; s++) {
        if (s) abdb_text_puts(m->out, "\n\n");
        for (size_t i = 0; i < m->kept; i++)
            if (!m->figure->series ||
                find_level_index(&m->series, cell_text_at(m->d, m->row[i], m->series.column)) == s)
                write_data_row(m, m->row[i]);
    }
    abdb_text_puts(m->out, "ABDB_END_OF_DATA\n");
}

/* Writes for each column of levels their number and names; words common to all names go to the
 * caption. *grown: levels of the column by which the figure grows. */
static abdb_status write_level_arrays(data_builder *m, abdb_text *shared, size_t *grown,
                                      abdb_error *err)
{
    const char *list = m->figure->levels;
    abdb_status st = ABDB_OK;
    size_t c;

    while (m->numbered < COLUMNS_MAX && find_next_listed_column(m, &list, &c, NULL, &st, err)) {
        levels *l = &m->number[m->numbered++];
        char array[96];

        l->column = c;
        collect_level_names(m, l, LEVELS_MAX);
        move_common_pieces_to_caption(m, l, shared);
        snprintf(array, sizeof array, "level_%s", m->d->name[c]);
        abdb_text_printf(m->out, "levels_%s = %zu\nc_%s_level = %zu\n", m->d->name[c], l->count,
                         m->d->name[c], m->d->columns + m->numbered);
        write_name_array_and_widest(m->out, array, l);
        if (m->figure->grown && strcmp(m->figure->grown, m->d->name[c]) == 0) *grown = l->count;
    }
    return st;
}

abdb_status abdb_figure_select_rows_and_append_data(const abdb_figure *figure,
                                                    const abdb_drawing *drawing, size_t most_rows,
                                                    abdb_text *script, abdb_text *notes,
                                                    abdb_text *shared, size_t *kept, size_t *grown,
                                                    abdb_error *err)
{
    data_builder *m = calloc(1, sizeof *m);
    abdb_status st = ABDB_OK;

    if (!m) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", figure->name);
    m->figure = figure;
    m->d = drawing;
    m->out = script;
    m->row = calloc(drawing->rows + 1, sizeof *m->row);
    if (!m->row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", figure->name));
    TRY(select_rows_with_needed_numbers(m, err));
    if (m->kept < drawing->rows && m->kept >= figure->least)
        abdb_text_printf(notes, "not drawn: %zu of %zu rows without a value%s\n",
                         drawing->rows - m->kept, drawing->rows, m->low ? " above 0" : "");
    if (figure->series) {
        TRY(find_column_index(m, figure->series, strlen(figure->series), &m->series.column, err));
        if (figure->series_by) {
            size_t by = 0;

            TRY(find_column_index(m, figure->series_by, strlen(figure->series_by), &by, err));
            collect_series_highlighted_then_least_value(m, &m->series, by, figure->series_most);
        } else
            collect_level_names(m, &m->series, figure->series_most);
        drop_rows_of_other_names(m, &m->series, notes);
        move_common_pieces_to_caption(m, &m->series, shared);
        abdb_text_printf(script, "series = %zu\n", m->series.count);
        write_name_array_and_widest(script, "series_name", &m->series);
        write_series_vendor_and_highlight(m);
    }
    TRY(drop_rows_beyond_fixed_height_and_note(m, most_rows, notes, err));
    write_column_indices_and_ranges_or_widths(m);
    TRY(write_level_arrays(m, shared, grown, err));
    abdb_text_printf(script, "c_lit = %zu\nc_vendor = %zu\n", drawing->columns + m->numbered + 1,
                     drawing->columns + m->numbered + 2);
    write_data_block(m);
    *kept = m->kept;
    if (figure->grown && strcmp(figure->grown, "rows") == 0) *grown = m->kept;
done:
    abdb_arena_free(&m->arena);
    free(m->row);
    free(m);
    return st;
}
