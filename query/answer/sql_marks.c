/* sql_marks.c - the marks of a report's text that stand for SQL; see sql_marks.h. */
#include "query/answer/sql_marks.h"

#include <stdio.h>
#include <string.h>

#include "schema/core/offer_capacity.h"

/* Remarks on the prices behind rows, for `-- @prices NAME`: one line each for prices of different
 * kind, providers of different kind, and prices that are old or of unknown age. */
static const char prices_said[] =
    "%s prices_met AS (SELECT kind, provider_kind, provider, age_days, valid_from\n"
    "  FROM %.*s),\n"
    "prices_said (line) AS (\n"
    "  SELECT '! prices of different kind meet: ' || (SELECT group_concat(kind, ', ')\n"
    "    FROM (SELECT DISTINCT kind FROM prices_met ORDER BY 1))\n"
    "   WHERE (SELECT count(DISTINCT kind) FROM prices_met) > 1\n"
    "  UNION ALL\n"
    "  SELECT '! providers of different kind, whose prices include different things: ' ||\n"
    "    (SELECT group_concat(line, ', ') FROM (\n"
    "     SELECT coalesce(provider_kind, 'of unknown kind') || ' (' ||\n"
    "            group_concat(provider, ', ') || ')' AS line\n"
    "       FROM (SELECT DISTINCT provider_kind, provider FROM prices_met\n"
    "              WHERE kind <> 'own quote' ORDER BY 1, 2)\n"
    "      GROUP BY provider_kind ORDER BY provider_kind))\n"
    "   WHERE (SELECT count(DISTINCT coalesce(provider_kind, '')) FROM prices_met\n"
    "           WHERE kind <> 'own quote') > 1\n"
    "  UNION ALL\n"
    "  SELECT '! prices are ' || CASE WHEN old > price_old_days() THEN format('up to %%d days "
    "old', old)"
    " || CASE WHEN unknown THEN ', others of unknown age' ELSE '' END ELSE 'of unknown age' END\n"
    "         || CASE WHEN NOT unknown THEN '' WHEN first = last THEN ', read on ' || last\n"
    "                 ELSE ', read from ' || first || ' to ' || last END\n"
    "         || ': " ABDB_PRICE_RENEWAL "'\n"
    "    FROM (SELECT max(CASE WHEN length(valid_from) <> 21 THEN age_days END) AS old,\n"
    "                 coalesce(max(length(valid_from) = 21), 0) AS unknown,\n"
    "                 min(CASE WHEN length(valid_from) = 21 THEN substr(valid_from, 12) END) AS "
    "first,\n"
    "                 max(CASE WHEN length(valid_from) = 21 THEN substr(valid_from, 12) END) AS "
    "last\n"
    "            FROM prices_met) WHERE old > price_old_days() OR unknown\n";
/* ... and of the offers between these two that hold no node of a system. */
static const char small_said[] =
    "  UNION ALL\n"
    "  SELECT 'left out: ' || group_concat(format('" ABDB_OFFER_FORMAT
    "', device, per_device_hour,\n"
    "      provider, devices), ', ') || ': " ABDB_OFFER_SMALL "'\n"
    "    FROM (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device\n"
    "            ORDER BY per_device_hour, devices DESC, provider) AS nth FROM ";
static const char small_said_end[] = ") WHERE nth = 1 ORDER BY device) HAVING count(*) > 0\n";

/* The offers of table `offer` for each size of system of a table, for `-- @offers`: all of them,
 * and the cheapest that holds a node (schema/core/offer_capacity.h). */
static const char offers_met[] =
    "-- @table met\n"
    "SELECT *, row_number() OVER (PARTITION BY device, size, nodes%s, fits\n"
    "                             ORDER BY per_device_hour, valid_from DESC, key) AS place,\n"
    "       NOT fits AND per_device_hour < coalesce(min(CASE WHEN fits THEN per_device_hour END)\n"
    "         OVER (PARTITION BY device, size, nodes%s), 9e999) AS small\n"
    "  FROM (SELECT s.devices AS size, s.nodes, o.*,\n"
    "               o.kind = 'own quote' OR offer_fits(s.devices, s.nodes, o.devices) AS fits\n"
    "          FROM (SELECT DISTINCT device, devices, nodes FROM %.*s) s\n"
    "          JOIN offer o ON o.device = s.device)\n"
    "-- @table used\n"
    "SELECT * FROM met WHERE fits AND place = 1\n";

/* TABLE [WHERE ...] [BY COLUMN, ...] */
static void append_offer_tables_sql(abdb_text *out, const char *systems_table_and_by_columns,
                                    size_t size)
{
    static const char by[] = " BY ";
    const char *at = strstr(systems_table_and_by_columns, by),
               *end = systems_table_and_by_columns + size;
    char columns[80] = "";

    if (at && at < end) {
        snprintf(columns, sizeof columns, ", %.*s", (int)(end - at - 4), at + 4);
        size = (size_t)(at - systems_table_and_by_columns);
    }
    abdb_text_printf(out, offers_met, columns, columns, (int)size, systems_table_and_by_columns);
}

/* NAME [SMALL]; goes on with @with, where there is one. */
static void append_price_notes_sql(abdb_text *out, const char *names, size_t size,
                                   bool continues_with_clause)
{
    size_t word = strcspn(names, " \n");

    abdb_text_printf(out, prices_said, continues_with_clause ? "," : "WITH", (int)word, names);
    if (word < size) {
        abdb_text_puts(out, small_said);
        abdb_text_add(out, names + word + 1, size - word - 1);
        abdb_text_puts(out, small_said_end);
    }
    abdb_text_puts(out, ")\n");
}

char *abdb_report_expand_sql_marks(abdb_arena *arena, const char *text)
{
    static const char prices[] = "-- @prices ", offers[] = "-- @offers ";
    const size_t length = sizeof prices - 1; /* of both */
    bool with = strstr(text, "\n-- @with\n") != NULL;
    abdb_text out = {0};
    char *copy;

    for (size_t size; *text; text += size) {
        size = strcspn(text, "\n");
        if (strncmp(text, prices, length) == 0)
            append_price_notes_sql(&out, text + length, size - length, with);
        else if (strncmp(text, offers, length) == 0)
            append_offer_tables_sql(&out, text + length, size - length);
        else
            abdb_text_add(&out, text, size + (text[size] == '\n'));
        size += text[size] == '\n';
    }
    copy = out.failed ? NULL : abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return copy;
}
