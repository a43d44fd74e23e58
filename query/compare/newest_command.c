/* newest_command.c - see newest_command.h. */
#include "query/compare/newest_command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/selection_spelling.h"

/* The tag that the conditions name, and the command; NULL: none. False: they restrict commands in
 * another way. */
static abdb_status read_tag_and_command(const abdb_selection *s, sqlite3 *db, const char **tag,
                                        const char **campaign, bool *otherwise, abdb_arena *arena,
                                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *tag = *campaign = NULL;
    *otherwise = false;
    for (size_t i = 0; i < s->count; i++) {
        const abdb_condition *c = &s->condition[i];
        bool equal = strcmp(c->op, "=") == 0;

        if (!c->column) continue;
        if (strcmp(c->column, "tag") == 0 && equal)
            *tag = abdb_arena_copy(arena, c->value, strlen(c->value));
        else if (strcmp(c->column, "run") == 0 && equal)
            TRY(abdb_resolve_run_to_campaign(db, arena, c, campaign, err));
        else if (strcmp(c->column, "campaign") == 0 && equal)
            *campaign = c->value;
        else
            *otherwise |= abdb_list_has_word("run campaign commit date key entry_id", ' ',
                                             c->column, strlen(c->column));
    }
    if (*campaign) *campaign = abdb_arena_copy(arena, *campaign, strlen(*campaign));
done:
    return st;
}

/* The first cell of a query with that text bound to it, copied; NULL: none. *rows: how many. */
static abdb_status query_first_text(sqlite3 *db, const char *sql, const char *bound,
                                    const char **out, size_t *rows, abdb_arena *arena,
                                    abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    *out = NULL;
    (void)!abdb_bind_add_text(&binds, bound);
    TRY(abdb_query_to_table(db, sql, &binds, &found, err));
    *rows = found.rows;
    if (found.rows && *abdb_cell_text_or_empty(&found, 0, 0)) {
        *out = abdb_arena_printf(arena, "%s", abdb_cell_text_or_empty(&found, 0, 0));
        if (!*out) st = ABDB_FAIL(err, ABDB_NOMEM, "a command");
    }
done:
    abdb_table_free(&found);
    return st;
}

/* The newest command with the tag, if abdb run measured it and all runs with the tag are of one
 * program: records of other programs have one command in each process. */
static const char newest_with_tag[] =
    "SELECT CASE WHEN max(r.source) = 'abdb-run' AND (SELECT count(DISTINCT f.text) FROM v_run o"
    " JOIN v_run_factor f USING (entry_id) WHERE o.tag = ?1 AND f.factor = 'command') < 2"
    " THEN r.campaign END FROM v_run r WHERE r.tag = ?1 GROUP BY r.campaign"
    " ORDER BY max(r.date) DESC, r.campaign DESC";
/* The newest command of abdb run that has all tags of a JSON array. */
static const char newest_with_all_tags[] =
    "SELECT campaign FROM v_run WHERE tag IN (SELECT value FROM json_each(?1))"
    " AND source = 'abdb-run' GROUP BY campaign HAVING count(DISTINCT tag) ="
    " (SELECT count(DISTINCT value) FROM json_each(?1)) ORDER BY max(date) DESC, campaign DESC";

/* Counts the turns of a command under a tag and the failed ones, with their commonest reason. */
static abdb_status count_failed_turns(abdb_side_command *out, sqlite3 *db, const char *campaign,
                                      abdb_arena *arena, abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    (void)(abdb_bind_add_text(&binds, campaign) && abdb_bind_add_text(&binds, out->tag));
    TRY(abdb_query_to_table(
        db,
        "WITH turn AS (SELECT cell, max(status = 'ok') AS good, max(CASE WHEN status <> 'ok' THEN"
        " coalesce(reason, status) END) AS reason FROM v_run WHERE campaign = ?1 AND tag = ?2 AND"
        " status NOT IN ('cancelled', 'not-implemented') GROUP BY cell)"
        " SELECT count(*), coalesce(sum(NOT good), 0), (SELECT reason FROM turn WHERE NOT good"
        " GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1) FROM turn",
        &binds, &rows, err));
    out->turns = (size_t)abdb_cell_number_or_nan(&rows, 0, 0);
    out->failed = (size_t)abdb_cell_number_or_nan(&rows, 0, 1);
    if (out->failed)
        out->reason = abdb_arena_printf(arena, "%s", abdb_cell_text_or_empty(&rows, 0, 2));
done:
    abdb_table_free(&rows);
    return st;
}

/* Puts the command into the conditions of the side. */
static abdb_status narrow_side_to_command(abdb_side_command *side, const char *campaign,
                                          size_t commands, abdb_arena *arena, abdb_error *err)
{
    abdb_text where = {0};
    abdb_status st = ABDB_OK;

    if (side->where) abdb_text_puts(&where, side->where);
    abdb_append_quoted_equal_condition(&where, "campaign", campaign);
    side->where = abdb_arena_copy(arena, abdb_text_get(&where), where.size);
    if (!side->where || where.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a command");
    side->narrowed = campaign;
    side->commands = commands;
    abdb_text_free(&where);
    return st;
}

/* Several commands have the tags of all sides: the newest of them, in which they took turns. One
 * has: pairing finds it. None: of each side the newest with its tag. */
static abdb_status narrow_sides_to_newest(abdb_side_command *side, const char **campaign,
                                          size_t sides, sqlite3 *db, abdb_arena *arena,
                                          abdb_error *err)
{
    json_t *tags = json_array();
    const char *both = NULL;
    char *list;
    size_t commands = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sides; i++) json_array_append_new(tags, json_string(side[i].tag));
    list = json_dumps(tags, JSON_COMPACT);
    if (!list || json_array_size(tags) < sides) TRY(ABDB_FAIL(err, ABDB_NOMEM, "tags"));
    TRY(query_first_text(db, newest_with_all_tags, list, &both, &commands, arena, err));
    for (size_t i = 0; i < sides; i++) {
        if (both)
            campaign[i] = both;
        else
            TRY(query_first_text(db, newest_with_tag, side[i].tag, &campaign[i], &commands, arena,
                                 err));
        if (campaign[i] && commands > 1)
            TRY(narrow_side_to_command(&side[i], campaign[i], commands, arena, err));
    }
done:
    free(list);
    json_decref(tags);
    return st;
}

abdb_status abdb_find_commands_of_sides(abdb_side_command *out, sqlite3 *db,
                                        const char *const *selection, size_t sides,
                                        const char *where, bool newest, abdb_arena *arena,
                                        abdb_error *err)
{
    const char **campaign = calloc(sides + 1, sizeof *campaign);
    abdb_selection s = {0};
    abdb_status st = ABDB_OK;

    if (!campaign) return ABDB_FAIL(err, ABDB_NOMEM, "commands");
    for (size_t i = 0; i < sides; i++) {
        bool otherwise;

        out[i] = (abdb_side_command){.where = where};
        if (*selection[i]) TRY(abdb_selection_parse_and_respell_words(&s, db, selection[i], err));
        if (where && *where) TRY(abdb_selection_parse_and_respell_words(&s, db, where, err));
        TRY(read_tag_and_command(&s, db, &out[i].tag, &campaign[i], &otherwise, arena, err));
        newest = newest && out[i].tag && !campaign[i] && !otherwise;
        abdb_selection_free(&s);
        s = (abdb_selection){0};
    }
    if (newest) TRY(narrow_sides_to_newest(out, campaign, sides, db, arena, err));
    for (size_t i = 0; i < sides; i++)
        if (out[i].tag && campaign[i])
            TRY(count_failed_turns(&out[i], db, campaign[i], arena, err));
done:
    free(campaign);
    abdb_selection_free(&s);
    return st;
}

void abdb_append_failed_turns(const abdb_side_command *side, abdb_text *out)
{
    if (!side->failed) return;
    abdb_text_printf(out, "%s failed in %zu of %zu turn%s%s%s", side->tag, side->failed,
                     side->turns, abdb_plural_ending((long long)side->turns),
                     side->reason && *side->reason ? ": " : "", side->reason ? side->reason : "");
}
