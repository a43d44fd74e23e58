/* render_table.c - a table as text, which fits the terminal that it is printed on; see render.h. */
#include <string.h>

#include "query/answer/render.h"
#include "query/answer/output.h"

/* Prints a text padded to its width on the terminal; the last column gets no blanks behind it. */
static void print_padded(FILE *out, const char *text, int width, bool align_right,
                         bool omit_trailing_blanks)
{
    int left = width - abdb_display_width(text);

    if (align_right)
        abdb_print_sanitized(out, "%*s%s", left > 0 ? left : 0, "", text);
    else
        abdb_print_sanitized(out, "%s%*s", text, left > 0 && !omit_trailing_blanks ? left : 0, "");
}

/* The width of a table: of the columns that are shown, and two blanks between them. */
static int table_width_with_gaps(const abdb_table *t, const int *width)
{
    int all = -2;

    for (size_t c = 0; c < t->columns; c++)
        if (width[c]) all += width[c] + 2;
    return all;
}

/* Hides columns beyond a screen: at most nine stay; where the table has a list for screens, the
 * columns of the list. */
static void hide_columns_not_for_screen_or_beyond_nine(const abdb_table *t, int *width)
{
    enum { NINE = 9 };
    size_t shown = 0;

    for (size_t c = 0; c < t->columns && !t->every_column; c++) {
        const char *name = t->column[c].name;

        if (!width[c]) continue;
        if ((t->screen && !abdb_list_has_word(t->screen, ' ', name, strlen(name))) ||
            ++shown > NINE)
            width[c] = 0;
    }
}

/* Makes columns of text narrower, the widest first, until the table fits into so many columns;
 * where that is not enough, leaves the last ones out (width 0). */
static void shrink_or_hide_columns_to_fit(const abdb_table *t, const bool *right, int *width,
                                          int room)
{
    enum { NARROW = 16 };
    int whole[ABDB_COLUMN_MAX];
    size_t left = t->columns;

    memcpy(whole, width, t->columns * sizeof *width);
    while (table_width_with_gaps(t, width) > room) {
        size_t widest = t->columns;

        for (size_t c = 0; c < left; c++)
            if (!right[c] && width[c] > NARROW &&
                (widest == t->columns || width[c] > width[widest]))
                widest = c;
        if (widest < t->columns) {
            width[widest]--;
            continue;
        }
        while (left > 1 && !width[left - 1]) left--;
        if (left < 2) break;
        width[--left] = 0;
        memcpy(width, whole, left * sizeof *width); /* there is room again */
    }
}

/* Cuts a cell to so many columns of the screen. */
static void truncate_to_display_width_with_ellipsis(char *cell, int width)
{
    if (abdb_display_width(cell) <= width) return;
    for (size_t end = strlen(cell); end > 0 && abdb_display_width(cell) >= width;) {
        do end--;
        while (end > 0 && ((unsigned char)cell[end] & 0xc0) == 0x80); /* the whole character */
        cell[end] = '\0';
    }
    memcpy(cell + strlen(cell), "…", 4);
}

/* Names of the columns that did not fit. */
static void print_names_of_columns_without_room(const abdb_table *t, const int *width, FILE *out)
{
    abdb_text line = {0};

    for (size_t c = 0; c < t->columns; c++)
        if (abdb_column_is_printed_for_people(t, c) && !width[c])
            abdb_text_printf(&line, "%s%s", line.size ? ", " : "", abdb_column_label_or_name(t, c));
    if (line.size) {
        abdb_text_puts(&line, t->every_column
                                  ? ": no room on this screen; -o csv has all columns"
                                  : ": no room on this screen; --wide has as many as fit, -o csv"
                                    " all columns");
        abdb_print_wrapped(out, 2, abdb_text_get(&line));
    }
    abdb_text_free(&line);
}

/* Prints the headings, except for many columns without a row, where they would be useless. */
static void print_headings_unless_many_without_rows(const abdb_table *t, const int *width,
                                                    const bool *right, size_t last, FILE *out)
{
    enum { MANY = 10 };
    char cell[ABDB_CELL_SIZE + 4];
    size_t shown = 0;

    for (size_t c = 0; c < t->columns; c++) shown += width[c] != 0;
    if (!t->rows && shown >= MANY) return;
    shown = 0;
    for (size_t c = 0; c < t->columns; c++) {
        if (!width[c]) continue;
        if (shown++) fputs("  ", out);
        snprintf(cell, sizeof cell, "%s", abdb_column_label_or_name(t, c));
        truncate_to_display_width_with_ellipsis(cell, width[c]);
        abdb_print_colour_code_if_colours_allowed(out, "2");
        print_padded(out, cell, width[c], right[c], c == last);
        abdb_print_colour_code_if_colours_allowed(out, "0");
    }
    fputc('\n', out);
}

void abdb_render_text_table(const abdb_table *t, FILE *out)
{
    int width[ABDB_COLUMN_MAX] = {0}, room = abdb_terminal_width_or_zero(out);
    bool right[ABDB_COLUMN_MAX]; /* computed once a column, as it reads each row */
    char cell[ABDB_CELL_SIZE + 4], line[2048];
    size_t last = 0;

    for (size_t c = 0; c < t->columns; c++) {
        right[c] = abdb_column_holds_numbers_and_no_text(t, c);
        if (!abdb_column_is_printed_for_people(t, c)) continue;
        width[c] = abdb_display_width(abdb_column_label_or_name(t, c));
        for (size_t r = 0; r < t->rows; r++) {
            abdb_format_cell_rounded_with_mark(t, r, c, cell);
            if (abdb_display_width(cell) > width[c]) width[c] = abdb_display_width(cell);
        }
    }
    if (room) hide_columns_not_for_screen_or_beyond_nine(t, width);
    if (room) shrink_or_hide_columns_to_fit(t, right, width, room);
    for (size_t c = 0; c < t->columns; c++)
        if (width[c]) last = c;
    abdb_format_hoisted_columns_line(t, line, sizeof line);
    if (t->title) {
        abdb_print_colour_code_if_colours_allowed(out, "1");
        abdb_print_wrapped(out, 4, t->title);
        abdb_print_colour_code_if_colours_allowed(out, "0");
    }
    if (line[0]) abdb_print_wrapped(out, 0, line);
    if (t->title || line[0]) fputc('\n', out);
    print_headings_unless_many_without_rows(t, width, right, last, out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0, shown = 0; c < t->columns; c++) {
            if (!width[c]) continue;
            abdb_format_cell_rounded_with_mark(t, r, c, cell);
            truncate_to_display_width_with_ellipsis(cell, width[c]);
            if (shown++) fputs("  ", out);
            print_padded(out, cell, width[c], right[c], c == last);
        }
        fputc('\n', out);
    }
    if (!t->rows && t->columns) fputs("(no rows)\n", out);
    if (room) print_names_of_columns_without_room(t, width, out);
    if (t->notes) fputc('\n', out);
    for (size_t i = 0; i < t->notes; i++) abdb_print_wrapped(out, 4, t->note[i]);
}
