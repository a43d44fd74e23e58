/* available_choices.c - lists the available choices, where a question names none of them; see
 * choose.h. */
#include <string.h>

#include "query/compare/choose.h"

/* "; nearest: llama2-70b-99, ...": names with a rate (or a time to train) that begin with the
 * letters of the word, in any case; without such a name, all names. */
static abdb_status append_available_choices(sqlite3 *db, const char *word, bool training,
                                            abdb_text *out, abdb_error *err)
{
    static const char sql[] =
        "WITH usable AS (SELECT DISTINCT model, scenario FROM v_mlperf WHERE left_out = ''"
        "  AND iif(?2 = 'training', unit = 's' AND suite = 'training', unit LIKE '%/s')),"
        " named AS (SELECT scenario FROM usable WHERE substr(model, 1, length(?1)) = ?1),"
        " family AS (SELECT DISTINCT model FROM usable WHERE ?3 <> ''"
        "  AND lower(substr(model, 1, length(?3))) = lower(?3))"
        " SELECT CASE WHEN ?2 = '' AND EXISTS (SELECT 1 FROM named) THEN 'scenarios of ' || ?1"
        "  WHEN EXISTS (SELECT 1 FROM family) THEN 'nearest' WHEN ?2 <> '' THEN 'trainings'"
        "  ELSE 'what can be chosen' END,"
        " (SELECT group_concat(x, ', ') FROM (SELECT DISTINCT scenario AS x FROM named WHERE ?2 = "
        "''"
        "  UNION SELECT model FROM family WHERE ?2 <> '' OR NOT EXISTS (SELECT 1 FROM named)"
        "  UNION SELECT model FROM usable WHERE NOT EXISTS (SELECT 1 FROM family)"
        "   AND (?2 <> '' OR NOT EXISTS (SELECT 1 FROM named)) ORDER BY 1))";
    char family[64];
    abdb_table t = {0};
    abdb_status st = ABDB_OK;

    snprintf(family, sizeof family, "%.*s",
             (int)strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), word);
    TRY(abdb_query_with_three_texts_to_table(db, sql, word, training ? "training" : "",
                                             strlen(family) > 2 ? family : "", &t, err));
    if (*abdb_cell_text_or_empty(&t, 0, 1))
        abdb_text_printf(out, "; %s: %s", abdb_cell_text_or_empty(&t, 0, 0),
                         abdb_cell_text_or_empty(&t, 0, 1));
done:
    abdb_table_free(&t);
    return st;
}

abdb_status abdb_name_choices_where_none_matches(sqlite3 *db, abdb_status st, const char *selection,
                                                 bool training, abdb_error *err)
{
    abdb_error before = *err, ignored;
    abdb_text more = {0};
    char word[128], *first = word;

    if (st != ABDB_USAGE || (strncmp(err->message, "no result matches", 17) != 0 &&
                             strncmp(err->message, "nothing here is called", 22) != 0))
        return st;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(selection, ","), selection);
    if (strncmp(word, "work=", 5) == 0) first += 5;
    first = abdb_trim_in_place(first);
    if (*first == '\'') first++;
    first[strcspn(first, "'")] = '\0';
    if (!training && strstr(before.message, "time_to_train_s"))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "'%s' is a training, which has a time and no rate: --time-to-train 2h"
                         " (or any) in the place of --rate",
                         first);
    if (append_available_choices(db, first, training, &more, &ignored) == ABDB_OK)
        st = ABDB_FAIL(err, ABDB_USAGE, "%s%s", before.message, abdb_text_get(&more));
    abdb_text_free(&more);
    return st;
}
