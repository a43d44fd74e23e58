/* resolve_device_names.c - finds the device of a spelling that is no known name, by its words
 * without decorations (memory, power, form factor, partitions, words of the vendor).
 *
 * A spelling means the device of a known name (canonical or alias) with the same product words, if
 * the spelling has all decorations of that name. Among several such names the ones with the most
 * decorations in common decide, canonical ones before aliases; they must agree on the device. Each
 * further decoration must fit the device: a vendor, form factor, memory or kind must match the row
 * in table `device`; any other sort must not distinguish the device from another. Otherwise
 * the spelling stays unresolved: "NVIDIA H100-SXM5-64GB" is no H100-SXM.
 *
 * A name that joins several known devices ("H200 + MI350X", "A and B") is a mixed system of them.
 *
 * Decorations that its device does not imply (a power limit, a partition mode) are kept as factors
 * of the spelling.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/device_modifier.h"
#include "schema/core/array.h"
#include "schema/core/text.h"
#include "schema/store/derive.h"
#include "schema/store/writer_internal.h"

typedef struct {
    abdb_parsed_device_name bare;
    const char *canon;
    bool own; /* the name is the canonical one */
} known_name;

typedef struct {
    const char *device, *vendor, *form_factor, *memory, *kind;
} known_device;

typedef struct {
    abdb_db *db;
    abdb_arena arena;
    abdb_modifier_rule *rule;
    known_name *name; /* by core */
    known_device *device;
    size_t rules, rule_room, names, name_room, devices, device_room;
} vocabulary;

static const char *copy_column_text(vocabulary *v, sqlite3_stmt *s, int i)
{
    const char *text = abdb_sql_text_or_null(s, i);

    return text ? abdb_arena_copy(&v->arena, text, strlen(text)) : NULL;
}

/* Adds a row of decoration: the meaning of a word in device names. False: no memory. */
static bool append_modifier_rule_of_row(vocabulary *v, sqlite3_stmt *s)
{
    abdb_modifier_rule *more =
        abdb_array_reserve_one(v->rule, v->rules, &v->rule_room, sizeof *more);

    if (!more) return false;
    v->rule = more;
    v->rule[v->rules++] = (abdb_modifier_rule){copy_column_text(v, s, 0), copy_column_text(v, s, 1),
                                               copy_column_text(v, s, 2), copy_column_text(v, s, 3),
                                               copy_column_text(v, s, 4)};
    return v->rule[v->rules - 1].pattern && v->rule[v->rules - 1].attribute;
}

/* Adds a spelling that stands for one device, by the core of its name. False: no memory. */
static bool append_known_name_of_row_if_parsed(vocabulary *v, sqlite3_stmt *s)
{
    known_name *more = abdb_array_reserve_one(v->name, v->names, &v->name_room, sizeof *more);

    if (!more) return false;
    v->name = more;
    v->name[v->names].canon = copy_column_text(v, s, 1);
    v->name[v->names].own = strcmp(abdb_sql_text_or_empty(s, 0), abdb_sql_text_or_empty(s, 1)) == 0;
    if (abdb_split_device_name_into_core_and_modifiers(
            v->rule, v->rules, abdb_sql_text_or_empty(s, 0), &v->name[v->names].bare))
        v->names++;
    return true;
}

/* Adds a device with its vendor, form factor and memory. False: no memory. */
static bool append_known_device_of_row(vocabulary *v, sqlite3_stmt *s)
{
    known_device *more =
        abdb_array_reserve_one(v->device, v->devices, &v->device_room, sizeof *more);

    if (!more) return false;
    v->device = more;
    v->device[v->devices++] = (known_device){copy_column_text(v, s, 0), copy_column_text(v, s, 1),
                                             copy_column_text(v, s, 2), copy_column_text(v, s, 3),
                                             copy_column_text(v, s, 4)};
    return v->device[v->devices - 1].device != NULL;
}

/* Calls handle_row for each row of the query until it returns false, which means no memory. */
static abdb_status call_for_each_row(vocabulary *v, const char *sql,
                                     bool (*handle_row)(vocabulary *, sqlite3_stmt *),
                                     abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(v->db->sql, sql, -1, &s, NULL);
    bool room = true;

    while (room && (code == SQLITE_OK || code == SQLITE_ROW) &&
           (code = sqlite3_step(s)) == SQLITE_ROW)
        room = handle_row(v, s);
    sqlite3_finalize(s);
    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "names of devices");
    return code == SQLITE_DONE ? ABDB_OK
                               : abdb_db_report_sqlite_error(v->db, err, "names of devices");
}

static int compare_name_core(const void *a, const void *b)
{
    return strcmp(((const known_name *)a)->bare.core, ((const known_name *)b)->bare.core);
}

/* Loads the rules for modifiers, the known spellings, sorted by their cores, and the devices. */
static abdb_status load_device_name_vocabulary(vocabulary *v, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(call_for_each_row(v,
                          "SELECT pattern, says, meaning, factor, factor_unit FROM decoration"
                          " ORDER BY place",
                          append_modifier_rule_of_row, err));
    TRY(call_for_each_row(v,
                          "SELECT spelling, canon FROM meaning WHERE kind = 'device' AND parts = 1"
                          " ORDER BY spelling, canon",
                          append_known_name_of_row_if_parsed, err));
    TRY(call_for_each_row(v, "SELECT device, vendor, form_factor, memory, kind FROM device",
                          append_known_device_of_row, err));
    abdb_array_sort(v->name, v->names, sizeof *v->name, compare_name_core);
done:
    return st;
}

/* Index of the first known name whose core is not less than this one (binary search). */
static size_t lower_bound_name_by_core(const vocabulary *v, const char *core)
{
    size_t low = 0, high = v->names;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(v->name[middle].bare.core, core) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool name_exists_and_has_same_core(const vocabulary *v, size_t i,
                                          const abdb_parsed_device_name *bare)
{
    return i < v->names && strcmp(v->name[i].bare.core, bare->core) == 0;
}

/* Has the spelling all decorations of the name? Skips the attribute ignored_attribute, if any. */
static bool has_all_modifiers_except_attribute(const abdb_parsed_device_name *bare,
                                               const abdb_parsed_device_name *name,
                                               const char *ignored_attribute)
{
    for (size_t i = 0; i < name->count; i++)
        if (!(ignored_attribute &&
              strcmp(name->modifier[i].rule->attribute, ignored_attribute) == 0) &&
            !abdb_device_name_has_modifier(bare, name->modifier[i].rule->attribute,
                                           name->modifier[i].value))
            return false;
    return true;
}

/* The device's value in table `device`; false: the attribute is no column of that table. */
static bool find_device_column_value(const known_device *d, const char *attribute,
                                     const char **column_value)
{
    const char *const column[][2] = {{"vendor", d ? d->vendor : NULL},
                                     {"form_factor", d ? d->form_factor : NULL},
                                     {"memory", d ? d->memory : NULL},
                                     {"kind", d ? d->kind : NULL}};

    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
        if (strcmp(column[i][0], attribute) == 0) {
            *column_value = column[i][1] ? column[i][1] : "";
            return true;
        }
    return false;
}

static const known_device *find_known_device(const vocabulary *v, const char *name)
{
    for (size_t i = 0; i < v->devices; i++)
        if (strcmp(v->device[i].device, name) == 0) return &v->device[i];
    return NULL;
}

/* Has another device that the spelling could mean a decoration of that attribute in its name? */
static bool modifier_tells_devices_apart(const vocabulary *v, const abdb_parsed_device_name *bare,
                                         const char *canon, size_t which)
{
    for (size_t i = lower_bound_name_by_core(v, bare->core);
         name_exists_and_has_same_core(v, i, bare); i++) {
        const abdb_parsed_device_name *other = &v->name[i].bare;
        const char *says = bare->modifier[which].rule->attribute;

        if (strcmp(v->name[i].canon, canon) == 0 ||
            !has_all_modifiers_except_attribute(bare, other, says))
            continue;
        for (size_t k = 0; k < other->count; k++)
            if (strcmp(other->modifier[k].rule->attribute, says) == 0) return true;
    }
    return false;
}

/* May a spelling of that device have this decoration, if the device's name lacks it? */
static bool modifier_fits_device(const vocabulary *v, const abdb_parsed_device_name *bare,
                                 const char *canon, size_t which)
{
    const char *says = bare->modifier[which].rule->attribute, *value = bare->modifier[which].value,
               *what;

    if (!find_device_column_value(find_known_device(v, canon), says, &what))
        return !modifier_tells_devices_apart(v, bare, canon, which);
    if (strcmp(says, "memory") == 0) return abdb_list_has_word(what, ' ', value, strlen(value));
    return *what && abdb_modifier_value_is_or_adds_digits_to(value, what);
}

/* Number of the spelling's decorations that the name or the row in `device` confirms. */
static size_t count_modifiers_in_common(const vocabulary *v, const abdb_parsed_device_name *bare,
                                        const known_name *name)
{
    size_t count = 0;
    const char *what;

    for (size_t i = 0; i < bare->count; i++)
        count += abdb_device_name_has_modifier(&name->bare, bare->modifier[i].rule->attribute,
                                               bare->modifier[i].value) ||
                 (find_device_column_value(find_known_device(v, name->canon),
                                           bare->modifier[i].rule->attribute, &what) &&
                  modifier_fits_device(v, bare, name->canon, i));
    return count;
}

/* The device that a spelling means without its decorations; NULL: none, or several. */
static const char *canonical_device_by_core_or_null(const vocabulary *v,
                                                    const abdb_parsed_device_name *bare)
{
    const known_name *best = NULL;
    size_t most = 0;
    bool agree = true;

    for (size_t i = lower_bound_name_by_core(v, bare->core);
         name_exists_and_has_same_core(v, i, bare); i++) {
        const known_name *name = &v->name[i];
        size_t count;

        if (!has_all_modifiers_except_attribute(bare, &name->bare, NULL)) continue;
        count = count_modifiers_in_common(v, bare, name);
        if (!best || count > most || (count == most && name->own && !best->own)) {
            best = name;
            most = count;
            agree = true;
        } else if (count == most && name->own == best->own &&
                   strcmp(name->canon, best->canon) != 0) {
            agree = false;
        }
    }
    if (!best || !agree) return NULL;
    for (size_t i = 0; i < bare->count; i++)
        if (!abdb_device_name_has_modifier(&best->bare, bare->modifier[i].rule->attribute,
                                           bare->modifier[i].value) &&
            !modifier_fits_device(v, bare, best->canon, i))
            return NULL;
    return best->canon;
}

/* Does the table `device` imply the decoration? Then it is no factor. */
static bool modifier_is_implied_by_device(const vocabulary *v, const char *canon,
                                          const abdb_modifier_rule *rule)
{
    const char *what;
    int sizes = 0;

    if (!find_device_column_value(find_known_device(v, canon), rule->attribute, &what))
        return false;
    for (; *what; what += strcspn(what, " "), what += strspn(what, " "))
        sizes += isdigit((unsigned char)*what) != 0;
    return strcmp(rule->attribute, "memory") != 0 || sizes < 2;
}

/* Inserts the factors stated by the words around a device's name, such as its power limit, except
 * factors that the device implies. */
static abdb_status store_device_name_factors(const vocabulary *v, sqlite3_stmt *insert_factor,
                                             const char *spelling, const char *canon,
                                             const abdb_parsed_device_name *bare, abdb_error *err)
{
    for (size_t i = 0; i < bare->count; i++) {
        const abdb_modifier_rule *rule = bare->modifier[i].rule;
        double number;

        if (!rule->factor || modifier_is_implied_by_device(v, canon, rule)) continue;
        sqlite3_reset(insert_factor);
        sqlite3_clear_bindings(insert_factor);
        abdb_bind_text_or_null(insert_factor, 1, spelling);
        abdb_bind_text_or_null(insert_factor, 2, rule->factor);
        abdb_bind_text_or_null(insert_factor, 3, bare->modifier[i].value);
        if (abdb_double_parse(bare->modifier[i].value, ABDB_MARK_POINT, &number))
            sqlite3_bind_double(insert_factor, 4, number);
        abdb_bind_text_or_null(insert_factor, 5, rule->unit);
        if (sqlite3_step(insert_factor) != SQLITE_DONE)
            return abdb_db_report_sqlite_error(v->db, err, "names of devices");
    }
    return ABDB_OK;
}

/* --- systems of several devices --------------------------------------------------------------- */

enum { MIXED_PARTS_MAX = 8 };

/* Splits text at +, comma, &, / and ';', and at the word "and"; 0: not into several parts, or into
 * too many. */
static size_t split_at_joiners_into_trimmed_parts(char *text, char *part[MIXED_PARTS_MAX])
{
    size_t parts = 1;

    for (char *s = text; *s; s++) /* "A and B" as "A   + B" */
        if (strncasecmp(s, " and ", 5) == 0) memcpy(s, "   + ", 5);
    part[0] = text;
    for (char *s = text; (s = strpbrk(s, "+,&/;")); s++) {
        if (parts == MIXED_PARTS_MAX) return 0;
        *s = '\0';
        part[parts++] = s + 1;
    }
    for (size_t i = 0; i < parts; i++) {
        part[i] = abdb_trim_in_place(part[i]);
        if (!*part[i]) return 0;
    }
    return parts > 1 ? parts : 0;
}

/* Makes an unresolved name that joins several known devices a mixed system of these. A name of
 * which a part is not known, or that names one device twice, stays unresolved. */
static abdb_status resolve_and_store_mixed_system(vocabulary *v, sqlite3_stmt *remove,
                                                  sqlite3_stmt *insert, const char *spelling,
                                                  abdb_error *err)
{
    char *text = abdb_arena_copy(&v->arena, spelling, strlen(spelling)), *part[MIXED_PARTS_MAX];
    const char *canon[MIXED_PARTS_MAX], *whole = "";
    size_t parts;

    if (!text) return ABDB_FAIL(err, ABDB_NOMEM, "names of devices");
    parts = split_at_joiners_into_trimmed_parts(text, part);
    for (size_t i = 0; i < parts; i++) {
        abdb_parsed_device_name bare;

        canon[i] = abdb_split_device_name_into_core_and_modifiers(v->rule, v->rules, part[i], &bare)
                       ? canonical_device_by_core_or_null(v, &bare)
                       : NULL;
        if (!canon[i]) return ABDB_OK;
        for (size_t k = 0; k < i; k++)
            if (strcmp(canon[k], canon[i]) == 0) return ABDB_OK;
        whole = abdb_arena_printf(&v->arena, "%s%s%s", whole, i ? " + " : "", canon[i]);
        if (!whole) return ABDB_FAIL(err, ABDB_NOMEM, "names of devices");
    }
    if (!parts) return ABDB_OK;
    sqlite3_reset(remove);
    abdb_bind_text_or_null(remove, 1, spelling);
    if (sqlite3_step(remove) != SQLITE_DONE)
        return abdb_db_report_sqlite_error(v->db, err, "names of devices");
    for (size_t i = 0; i < parts; i++) {
        sqlite3_reset(insert);
        abdb_bind_text_or_null(insert, 1, spelling);
        sqlite3_bind_int64(insert, 2, (sqlite3_int64)i + 1);
        abdb_bind_text_or_null(insert, 3, canon[i]);
        abdb_bind_text_or_null(insert, 4, whole);
        sqlite3_bind_int64(insert, 5, (sqlite3_int64)parts);
        if (sqlite3_step(insert) != SQLITE_DONE)
            return abdb_db_report_sqlite_error(v->db, err, "names of devices");
    }
    return ABDB_OK;
}

/* Makes each unresolved spelling that joins several known devices a mixed system of them. */
static abdb_status resolve_mixed_systems(vocabulary *v, abdb_error *err)
{
    static const char *const sql[] = {
        "SELECT group_concat(spelling, char(10)) FROM meant WHERE kind = 'device'"
        " AND how = 'unresolved' AND (spelling GLOB '*[+,&/;]*' OR spelling LIKE '% and %')",
        "DELETE FROM meant WHERE kind = 'device' AND spelling = ?1",
        "INSERT INTO meant (kind, spelling, part, canon, folded, share, parts, whole, how)"
        " VALUES ('device', ?1, ?2, ?3, abdb_fold(?4), NULL, ?5, ?4, 'decorated')"};
    sqlite3_stmt *s[3] = {NULL};
    const char *text;
    char *list, *rest = NULL;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < 3; i++)
        if (sqlite3_prepare_v2(v->db->sql, sql[i], -1, &s[i], NULL) != SQLITE_OK)
            TRY(abdb_db_report_sqlite_error(v->db, err, "names of devices"));
    if (sqlite3_step(s[0]) != SQLITE_ROW) /* an aggregate always has a row */
        TRY(abdb_db_report_sqlite_error(v->db, err, "names of devices"));
    text = abdb_sql_text_or_empty(s[0], 0);
    list = abdb_arena_copy(&v->arena, text, strlen(text));
    if (!list) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names of devices"));
    sqlite3_reset(s[0]);
    for (char *name = strtok_r(list, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        TRY(resolve_and_store_mixed_system(v, s[1], s[2], name, err));
done:
    for (int i = 0; i < 3; i++) sqlite3_finalize(s[i]);
    return st;
}

/* Resolves each spelling to a device where the core of its name leads to one, and inserts the
 * factors of all spellings. */
static abdb_status resolve_unresolved_names_store_factors(vocabulary *v, sqlite3_stmt *select_names,
                                                          sqlite3_stmt *update_meaning,
                                                          sqlite3_stmt *insert_factor,
                                                          abdb_error *err)
{
    abdb_status st = ABDB_OK;
    int code;

    while ((code = sqlite3_step(select_names)) == SQLITE_ROW) {
        const char *spelling = abdb_sql_text_or_empty(select_names, 0),
                   *canon = abdb_sql_text_or_empty(select_names, 1);
        bool open = strcmp(abdb_sql_text_or_empty(select_names, 2), "unresolved") == 0;
        abdb_parsed_device_name bare;

        if (!abdb_split_device_name_into_core_and_modifiers(v->rule, v->rules, spelling, &bare))
            continue;
        if (open && !(canon = canonical_device_by_core_or_null(v, &bare))) continue;
        TRY(store_device_name_factors(v, insert_factor, spelling, canon, &bare, err));
        if (!open) continue;
        sqlite3_reset(update_meaning);
        abdb_bind_text_or_null(update_meaning, 1, canon);
        abdb_bind_text_or_null(update_meaning, 2, spelling);
        if (sqlite3_step(update_meaning) != SQLITE_DONE) break;
    }
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(v->db, err, "names of devices"));
done:
    return st;
}

abdb_status abdb_resolve_device_names(abdb_db *db, abdb_error *err)
{
    static const char *const sql[] = {
        "SELECT spelling, canon, how FROM meant WHERE kind = 'device' AND parts = 1"
        " AND how <> 'canon' ORDER BY spelling",
        "UPDATE meant SET canon = ?1, folded = abdb_fold(?1), whole = ?1, how = 'decorated'"
        " WHERE kind = 'device' AND spelling = ?2",
        "INSERT OR IGNORE INTO name_factor VALUES (?1, ?2, ?3, ?4, ?5)"};
    vocabulary v = {.db = db};
    sqlite3_stmt *s[3] = {NULL};
    sqlite3_int64 any = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(
        db,
        "SELECT EXISTS (SELECT 1 FROM meant WHERE kind = 'device' AND parts = 1"
        " AND how <> 'canon') AND EXISTS (SELECT 1 FROM decoration)",
        &any, err));
    if (!any) goto done;
    TRY(load_device_name_vocabulary(&v, err));
    for (int i = 0; i < 3; i++)
        if (sqlite3_prepare_v2(db->sql, sql[i], -1, &s[i], NULL) != SQLITE_OK)
            TRY(abdb_db_report_sqlite_error(db, err, "names of devices"));
    TRY(resolve_unresolved_names_store_factors(&v, s[0], s[1], s[2], err));
    TRY(resolve_mixed_systems(&v, err));
done:
    for (int i = 0; i < 3; i++) sqlite3_finalize(s[i]);
    free(v.rule);
    free(v.name);
    free(v.device);
    abdb_arena_free(&v.arena);
    return st;
}
