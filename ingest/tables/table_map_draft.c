/* table_map_draft.c - a first draft of a map out of a table's header and first row; see
 * table_map.h.
 *
 * table_heading.c says what a heading means. Columns that are dates or sizes are one metric each,
 * with that date or size. Lines of one metric are told apart by number format, statistic, or a
 * factor of the column's name. A line that is in doubt is commented out, with its question.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ingest/read/markdown_tables.h"
#include "ingest/tables/table_heading.h"
#include "ingest/tables/table_map.h"
#include "schema/core/fixed_text.h"

enum { LINES_MAX = 256, LINE = 96 };

typedef struct {
    abdb_text *out;
    map_known_device known;
    bool done, device, metric, specification, pivot, evidence, source;
    char seen[LINES_MAX][LINE]; /* fields, and metrics with their statistic and number format */
    size_t lines;
} draft;

static void append_quoted_dropping_quotes_and_line_ends(abdb_text *out, const char *word)
{
    abdb_text_puts(out, "\"");
    for (; *word; word++)
        if (*word != '"' && *word != '\n' && *word != '\r') abdb_text_add(out, word, 1);
    abdb_text_puts(out, "\"");
}

/* The first time that a line of this kind is wanted? */
static bool remember_line_if_not_seen(draft *d, const char *line)
{
    for (size_t i = 0; i < d->lines; i++)
        if (strcmp(d->seen[i], line) == 0) return false;
    if (d->lines < LINES_MAX) snprintf(d->seen[d->lines++], LINE, "%s", line);
    return true;
}

/* What a line says behind its column: " unit U statistic p99 dtype fp8 ...", which tells it from
 * others of its metric. A second one of the same words has its column as a factor. */
static void append_metric_spec_or_price_line(draft *d, const char *column,
                                             const heading_meaning *meaning)
{
    static const char *const verbs[] = {"factor", "metric", "spec", "price"};
    char line[LINE];

    snprintf(line, sizeof line, "%s %s %s %s", meaning->name,
             meaning->statistic ? meaning->statistic : "", meaning->dtype ? meaning->dtype : "",
             meaning->options);
    abdb_text_printf(d->out, "%s %s column ", verbs[meaning->kind], meaning->name);
    append_quoted_dropping_quotes_and_line_ends(d->out, column);
    if (*meaning->unit) abdb_text_printf(d->out, " unit %s", meaning->unit);
    if (meaning->statistic) abdb_text_printf(d->out, " statistic %s", meaning->statistic);
    if (meaning->dtype) abdb_text_printf(d->out, " dtype %s", meaning->dtype);
    abdb_text_puts(d->out, meaning->options);
    if (meaning->kind == HEADING_METRIC && !meaning->question &&
        !remember_line_if_not_seen(d, line)) {
        abdb_text_puts(d->out, " factor.column ");
        append_quoted_dropping_quotes_and_line_ends(d->out, column);
    }
}

/* "Batch size" becomes the factor batch_size. */
static void append_factor_line(draft *d, const char *name, const char *factor)
{
    abdb_text_puts(d->out, "factor ");
    for (const char *s = factor ? factor : name; *s; s++) {
        char letter = isalnum((unsigned char)*s) ? (char)tolower((unsigned char)*s) : '_';

        abdb_text_add(d->out, &letter, 1);
    }
    abdb_text_puts(d->out, " column ");
    append_quoted_dropping_quotes_and_line_ends(d->out, name);
}

/* A heading that is a date, or a size ("4096", "64K", "8 MiB"): of a table that is wide. */
static const char *date_or_size_factor_of_heading(const char *name)
{
    char date[ABDB_DATE_SIZE];
    size_t digits = strspn(name, "0123456789");
    const char *tail = name + digits + strspn(name + digits, " ");

    if (strchr("-/", name[digits]) && name[digits] &&
        abdb_date_parse_any_spelling_to_iso(name, date))
        return "date";
    if (!digits) return NULL;
    if (!*tail || strspn(tail, "kKMGTiB") == strlen(tail)) return "factor.size";
    return NULL;
}

/* "12.5 us", "39.6W": a number, whatever stands behind it? */
static bool begins_with_number(const char *cell)
{
    size_t size = abdb_number_chars_prefix_length(cell);

    return size > 0 && strcspn(cell, "0123456789") < size && (cell[size] == ' ' || !cell[size]);
}

/* Words of headings that mean a field; the first column of each field is it. */
static const char *guess_entry_field_of_column(const draft *d, const char *folded, const char *cell)
{
    static const struct {
        const char *words, *field;
    } table[] = {
        {"gpus|num gpu|num gpus|n gpus|# gpus|# of gpus|number of gpus|gpu count|devices|"
         "num devices|n devices|number of devices|device count|accelerators|num accelerators|"
         "# of accelerators|number of accelerators|total accelerators|chips|num chips|"
         "number of chips|cards|npus|tpus",
         "devices"},
        {"nodes|num nodes|n nodes|number of nodes|# of nodes|# nodes|hosts", "nodes"},
        {"device|gpu|accelerator|hardware|chip|card|gpu name|gpu model|device name", "device"},
        {"workload|benchmark|task", "workload"},
        {"model|network", "model"},
        {"dtype|data type|precision", "dtype"},
        {"date", "date"},
        {"backend|framework|engine", "backend"},
        {"provider|cloud", "provider"},
    };

    if (cell && !d->device && d->known && d->known(cell)) return "device";
    if (heading_has_any_word(folded,
                             "time|memory|mem|util|utilization|temp|temperature|power|clock|"
                             "version|driver|params|parameters|size|price|cost|id|index|per"))
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        /* The first two fields are numbers, the others are not: "GPUs" over numbers is how many,
         * over words which. */
        bool counts = i < 2;

        if (heading_has_any_word(folded, table[i].words) &&
            (!cell || begins_with_number(cell) == counts || strcmp(table[i].field, "date") == 0))
            return table[i].field;
    }
    return NULL;
}

/* Can the field have such a value? Words that other tables use for something else (kind, status)
 * are the field only over its own values. */
static bool field_may_have_cell(int field, const char *cell)
{
    static const struct {
        abdb_field field;
        const char *values;
    } table[] = {{ABDB_FIELD_evidence, " measured published mlperf "},
                 {ABDB_FIELD_kind, " run score average statement "},
                 {ABDB_FIELD_status, " ok failed timeout crash no-device not-implemented "},
                 {ABDB_FIELD_verified, " yes no pass fail unchecked unknown "}};
    char word[40];

    if (!cell || !*cell) return true;
    if (abdb_fields[field].is_number) return begins_with_number(cell);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((int)table[i].field == field)
            return abdb_format_if_fits(word, sizeof word, " %s ", cell) &&
                   strstr(table[i].values, word);
    return true;
}

/* The field of an entry whose name the heading is ("system_type", "System type"); NULL: none, or a
 * cell there is the only name of a device. */
static const char *find_field_named_by_heading(const draft *d, const char *folded, const char *cell)
{
    char name[HEADING_SIZE];
    int field;

    snprintf(name, sizeof name, "%.*s", *folded ? (int)strlen(folded) - 2 : 0, folded + 1);
    for (char *s = name; *s; s++)
        if (*s == ' ') *s = '_';
    field = abdb_field_index_by_name(name);
    if (field != ABDB_FIELD_device && cell && !d->device && d->known && d->known(cell)) return NULL;
    return field >= 0 && field_may_have_cell(field, cell) ? abdb_fields[field].name : NULL;
}

/* The meaning of a column whose heading is a date or a size: nothing says of which metric. */
static heading_meaning guess_tokens_per_s_of_wide_column(const char *name, const char *wide,
                                                         char pair[LINE])
{
    heading_meaning meaning = {.kind = HEADING_METRIC,
                               .name = "tokens_per_s",
                               .unit = "token/s",
                               .question = "which metric and unit are these?"};

    snprintf(pair, LINE, " %s \"%.40s\"", wide, name);
    meaning.options = pair;
    return meaning;
}

/* "8x H100": the name of a device does not count it. */
static void append_device_count_question_if_counted(draft *d, const char *cell)
{
    size_t digits = cell ? strspn(cell, "0123456789") : 0;
    const char *behind = digits ? cell + digits + strspn(cell + digits, " ") : "";

    if (*behind == 'x' || *behind == 'X' || strncmp(behind, "×", strlen("×")) == 0)
        abdb_text_printf(d->out, "  # how many? set devices %.*s, and map the cells to names",
                         (int)digits, cell);
}

/* Appends the line of a map for a column, by its heading and first cell; commented out, with a
 * question, where it is doubtful. */
static void append_map_line_of_column(draft *d, const char *name, const char *cell,
                                      abdb_decimal_mark mark)
{
    char folded[HEADING_SIZE], line[LINE], pair[LINE];
    const char *wide = date_or_size_factor_of_heading(name), *field;
    bool is_number = cell && *cell &&
                     (abdb_number_parse(cell, mark).found ||
                      abdb_number_fails_but_parses_with_other_mark(cell, mark));
    heading_meaning meaning = {.kind = HEADING_FACTOR};
    bool is_field_name;

    heading_fold_to_lowercase_words(name, folded);
    field = find_field_named_by_heading(d, folded, cell);
    is_field_name = field != NULL;
    if (!field) field = guess_entry_field_of_column(d, folded, cell);
    if (is_field_name)
        meaning.kind = HEADING_FACTOR;
    else if (is_number && wide)
        meaning = guess_tokens_per_s_of_wide_column(name, wide, pair);
    else if (cell && (is_number || abdb_number_chars_prefix_length(cell)))
        meaning = heading_find_meaning(name, cell, mark, d->specification);
    if (field && meaning.kind == HEADING_FACTOR &&
        (is_field_name || (snprintf(line, sizeof line, "field %s", field) > 0 &&
                           remember_line_if_not_seen(d, line)))) {
        d->device |= strcmp(field, "device") == 0;
        abdb_text_printf(d->out, "field %s column ", field);
        append_quoted_dropping_quotes_and_line_ends(d->out, name);
        if (strcmp(field, "device") == 0) append_device_count_question_if_counted(d, cell);
    } else if (meaning.kind == HEADING_FACTOR) {
        append_factor_line(d, name, meaning.name);
    } else {
        if (d->pivot) meaning.question = "a column of one device: turn rows and columns first";
        if (meaning.kind == HEADING_PRICE && !meaning.question &&
            !remember_line_if_not_seen(d, "price"))
            meaning.question = "a second price?";
        d->metric |= meaning.kind == HEADING_METRIC;
        if (meaning.question) abdb_text_puts(d->out, "# ");
        append_metric_spec_or_price_line(d, name, &meaning);
        if (meaning.question) abdb_text_printf(d->out, "  # %s", meaning.question);
    }
}

/* What kind of table it is, by all of its headings. */
static void note_specification_or_pivot_table(draft *d, const abdb_flat_record *record)
{
    char folded[HEADING_SIZE];
    size_t specifications = 0, measured = 0, devices = 0;
    bool is_pivot = false;

    for (size_t i = 0; i < record->items; i++) {
        heading_fold_to_lowercase_words(record->item[i].name, folded);
        is_pivot |= i == 0 && record->items > 2 &&
                    heading_has_any_word(folded, "specification|specifications|spec|specs|feature|"
                                                 "property|parameter");
        specifications += heading_speaks_of_specification(folded);
        measured += heading_speaks_of_result(folded);
        devices += d->known && d->known(record->item[i].name);
    }
    d->specification = specifications >= 2 && measured == 0;
    d->pivot = devices >= 2 || is_pivot;
    if (d->specification)
        abdb_text_puts(d->out, "# A sheet of specifications, by its headings: no results.\n");
    if (d->pivot)
        abdb_text_puts(d->out, "# A column for each device: a map wants a row for each.\n");
}

/* Notes the fields that headings name themselves: no other column is taken for one of them. */
static void reserve_fields_named_by_headings(draft *d, const abdb_flat_record *record)
{
    for (size_t i = 0; i < record->items; i++)
        d->device |= strcasecmp(record->item[i].name, "device") == 0;
    for (size_t i = 0; i < record->items; i++) {
        char folded[HEADING_SIZE], line[LINE];
        const char *field;

        heading_fold_to_lowercase_words(record->item[i].name, folded);
        field = find_field_named_by_heading(d, folded, record->item[i].text);
        if (!field) continue;
        snprintf(line, sizeof line, "field %s", field);
        remember_line_if_not_seen(d, line);
        d->evidence |= strcmp(field, "evidence") == 0;
        d->source |= strcmp(field, "source") == 0;
    }
}

/* Drafts the map from the first row: what the table is recognised by, then a line for each column.
 */
static abdb_status draft_map_from_first_row(void *self, const abdb_flat_record *record,
                                            abdb_error *err)
{
    draft *d = self;
    size_t matched = 0;

    (void)err;
    /* One row is enough: types are read off the first cells. */
    if (d->done) return ABDB_OK;
    note_specification_or_pivot_table(d, record);
    reserve_fields_named_by_headings(d, record);
    for (size_t i = 0; i < record->items && matched < 3; i++) {
        if (record->item[i].name[0] == '(') continue;
        abdb_text_puts(d->out, matched++ ? " " : "match   ");
        append_quoted_dropping_quotes_and_line_ends(d->out, record->item[i].name);
    }
    d->done = matched > 0;
    if (!d->done) return ABDB_OK; /* nothing but lists and titles */
    abdb_text_puts(d->out, "\n\n");
    for (size_t i = 0; i < record->items; i++) {
        const char *cell = record->item[i].text;

        if (record->item[i].name[0] == '(') continue;
        append_map_line_of_column(d, record->item[i].name, cell, record->item[i].mark);
        abdb_text_printf(d->out, "  # %.*s\n", cell ? (int)strcspn(cell, "\r\n") : 0,
                         cell ? cell : "");
    }
    if (d->metric && remember_line_if_not_seen(d, "field workload"))
        abdb_text_puts(d->out, "# no column says what was run; for all rows:\n"
                               "# set workload NAME\n");
    if (!d->device)
        abdb_text_puts(d->out, "# no column names the device; one for all rows:\n"
                               "# set device NAME\n");
    return ABDB_OK;
}

/* A draft tells nobody which rows are damaged. */
static abdb_status draft_ignore_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    (void)self, (void)reject, (void)err;
    return ABDB_OK;
}

static abdb_status draft_ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}

abdb_status table_map_draft_from_input(abdb_text *out, const abdb_input *in,
                                       map_known_device is_device_name, abdb_error *err)
{
    static const abdb_sink nowhere = {.reject = draft_ignore_reject,
                                      .row_end = draft_ignore_row_end};
    abdb_text lines = {0};
    draft d = {.out = &lines, .known = is_device_name};
    abdb_status st = ABDB_OK;

    if (markdown_has_table(in))
        TRY(markdown_deliver_table_rows_as_records(in, &nowhere, draft_map_from_first_row, &d,
                                                   err));
    else
        TRY(abdb_flat_deliver_json_sql_or_csv_records(in, &nowhere, draft_map_from_first_row, &d,
                                                      err));
    if (!d.done) TRY(ABDB_FAIL(err, ABDB_FORMAT, "no table with a header and a row"));
    abdb_text_puts(out, "# A draft: mend the lines, take out what is not wanted, then\n"
                        "#   abdb import --map THIS FILE\n"
                        "# Write an answer for each \"?\". Other lines with a question are"
                        " commented out: answer it, or leave them out.\n");
    abdb_text_puts(out, d.source ? "name    my-table\n"
                                 : "name    ?              # who says it? the source of its"
                                   " facts, such as my-lab\n");
    abdb_text_puts(out, "summary \"what it is\"\n");
    if (d.metric && !d.evidence)
        abdb_text_puts(out, "set     evidence ?     # measured (by you), or published (by"
                            " others)?\n");
    abdb_text_puts(out, abdb_text_get(&lines));
done:
    abdb_text_free(&lines);
    return st;
}
