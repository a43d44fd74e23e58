/* render.h - the seven ways to print a table; see table.h. */
#ifndef ABDB_QUERY_RENDER_H
#define ABDB_QUERY_RENDER_H

#include "query/table.h"

void abdb_render_table(const abdb_table *table, FILE *out);
void abdb_render_markdown(const abdb_table *table, FILE *out);
void abdb_render_csv(const abdb_table *table, FILE *out);
void abdb_render_json(const abdb_table *table, FILE *out);
void abdb_render_jsonl(const abdb_table *table, FILE *out);
void abdb_render_html(const abdb_table *table, FILE *out);
void abdb_render_latex(const abdb_table *table, FILE *out);

/* Text with LaTeX's special characters escaped. */
void abdb_latex_text(FILE *out, const char *text);
/* A cell as people see it: rounded or cut as the column's style says. */
enum { ABDB_CELL_SIZE = 512 };
void abdb_show(const abdb_table *table, size_t row, size_t column, char out[ABDB_CELL_SIZE]);

#endif
