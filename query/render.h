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

#endif
