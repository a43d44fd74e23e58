/* render.h - each way to print a table, and shared functions of the ways for people; see table.h.
 * Rounding happens here, and nowhere before. */
#ifndef ABDB_QUERY_RENDER_H
#define ABDB_QUERY_RENDER_H

#include "query/answer/table.h"

void abdb_render_text_table(const abdb_table *table, FILE *out);
void abdb_render_markdown_table(const abdb_table *table, FILE *out);
void abdb_render_csv(const abdb_table *table, FILE *out);
void abdb_render_csv_safe_from_formulas(const abdb_table *table, FILE *out);
void abdb_render_json_array(const abdb_table *table, FILE *out);
void abdb_render_json_lines(const abdb_table *table, FILE *out);
void abdb_render_html_document(const abdb_table *table, FILE *out);
void abdb_render_latex_table(const abdb_table *table, FILE *out);

/* Is the column one of its own for people? Its heading; are all its values numbers? */
bool abdb_column_is_printed_for_people(const abdb_table *table, size_t column);
const char *abdb_column_label_or_name(const abdb_table *table, size_t column);
bool abdb_column_holds_numbers_and_no_text(const abdb_table *table, size_t column);
/* The line of common values above the table: hoisted columns with their value. */
void abdb_format_hoisted_columns_line(const abdb_table *table, char *out, size_t room);
/* The head of an HTML table, up to its body. */
void abdb_write_html_thead_open_tbody(FILE *out, const abdb_table *table);
/* A cell for people: rounded or cut by the column's style, plain. */
enum { ABDB_CELL_SIZE = 512 };
void abdb_format_cell_rounded_with_mark(const abdb_table *table, size_t row, size_t column,
                                        char out[ABDB_CELL_SIZE]);

#endif
