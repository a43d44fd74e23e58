/* check_list.c - `import --check`; see check_list.h. */
#include "query/import/check_list.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/report.h"

enum { DIGEST = 64 };

/* Does the text begin with 64 hexadecimal digits? */
static bool begins_with_sha256(const char *text)
{
    return strspn(text, "0123456789abcdefABCDEF") >= DIGEST;
}

/* Appends a name as sha256sum escapes it in a line that begins with a backslash. */
static void append_unescaped_name(abdb_text *out, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = name[i];

        if (c == '\\' && i + 1 < size) {
            c = name[++i];
            c = (char)(c == 'n' ? '\n' : c == 'r' ? '\r' : c);
        }
        abdb_text_add(out, &c, 1);
    }
}

/* Finds digest and name in `DIGEST  NAME`, `DIGEST *NAME` or `SHA256 (NAME) = DIGEST`. False: the
 * line has another form. */
static bool split_digest_line(const char *line, size_t size, const char **digest, const char **name,
                              size_t *name_size)
{
    static const char bsd[] = "SHA256 (", middle[] = ") = ";
    size_t tail = sizeof middle - 1 + DIGEST;

    if (begins_with_sha256(line) && size > DIGEST + 2 && line[DIGEST] == ' ' &&
        strchr(" *", line[DIGEST + 1])) {
        *digest = line;
        *name = line + DIGEST + 2;
        *name_size = size - DIGEST - 2;
        return true;
    }
    if (size > sizeof bsd - 1 + tail && strncmp(line, bsd, sizeof bsd - 1) == 0 &&
        strncmp(line + size - tail, middle, sizeof middle - 1) == 0 &&
        begins_with_sha256(line + size - DIGEST)) {
        *digest = line + size - DIGEST;
        *name = line + sizeof bsd - 1;
        *name_size = size - tail - (sizeof bsd - 1);
        return true;
    }
    return false;
}

/* Appends a line of the list to the array, with its digest in small letters; an unreadable line has
 * none, and its text in place of a name. Returns whether it was readable. */
static bool append_list_line(json_t *list, const char *line, size_t size, long number)
{
    bool escaped = *line == '\\';
    const char *digest = NULL, *name = line;
    size_t name_size = size;
    char small[DIGEST + 1] = "";
    abdb_text path = {0};
    bool readable = split_digest_line(line + escaped, size - escaped, &digest, &name, &name_size);

    for (size_t i = 0; readable && i < DIGEST; i++)
        small[i] = (char)(digest[i] >= 'A' && digest[i] <= 'F' ? digest[i] - 'A' + 'a' : digest[i]);
    while (readable && name_size > 2 && strncmp(name, "./", 2) == 0) name += 2, name_size -= 2;
    if (readable && escaped)
        append_unescaped_name(&path, name, name_size);
    else
        abdb_text_add(&path, name, name_size);
    json_array_append_new(list, json_pack("{s:I,s:o?,s:s?}", "line", (json_int_t)number, "path",
                                          json_string(abdb_text_get(&path)), "sha256",
                                          readable ? small : NULL));
    abdb_text_free(&path);
    return readable;
}

/* All lines of the list as a JSON array; the caller frees it. */
static json_t *parse_digest_list(const char *text, size_t *readable)
{
    json_t *list = json_array();
    long number = 0;

    *readable = 0;
    for (const char *line = text, *next; *line; line = next) {
        size_t size = strcspn(line, "\n");

        next = line + size + (line[size] == '\n');
        number++;
        while (size && strchr("\r \t", line[size - 1])) size--;
        if (size && *line != '#') *readable += append_list_line(list, line, size, number);
    }
    return list;
}

abdb_status abdb_tabulate_files_of_list(abdb_db *db, const char *list, abdb_table *table,
                                        size_t *differing, size_t *unread, abdb_error *err)
{
    abdb_report report = {0};
    size_t readable;
    json_t *lines = parse_digest_list(list, &readable);
    char *json = lines ? json_dumps(lines, JSON_COMPACT) : NULL;
    const char *value[ABDB_PARAM_COUNT] = {json};
    abdb_status st = ABDB_OK;

    *differing = 0;
    *unread = json_array_size(lines) - readable;
    if (!json) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a list of files"));
    if (!readable)
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "no line is `SHA256  NAME`: make the list with sha256sum FILE..."));
    TRY(abdb_report_load(&report, "listed-files", err));
    TRY(abdb_report_run_into_table(db, &report, value, table, err));
    for (size_t i = 0; i < table->rows; i++) {
        const char *state = abdb_table_cell_text_or_empty(table, i, "state");

        *differing += strcmp(state, "new") == 0 || strcmp(state, "changed") == 0 ||
                      strcmp(state, "gone") == 0;
    }
done:
    abdb_report_free(&report);
    free(json);
    json_decref(lines);
    return st;
}
