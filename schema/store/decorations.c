/* decorations.c - spellings of devices that no name explains as they are, without what decorates
 * them: memory, power, form factor, partitions, words of the vendor.
 *
 * A spelling means the device of a known name (canonical or alias) with the same words of the
 * product, all of whose decorations the spelling has; of several such names those that share the
 * most decide, canonical ones before aliases, and they must agree on the device. What the spelling
 * has beyond them must fit the device: a vendor, form factor, memory or kind is what the table
 * `device` says of it, and anything else is nothing that tells another device from it. Where that
 * fails the spelling stays unresolved: "NVIDIA H100-SXM5-64GB" is no H100-SXM.
 *
 * What the decorations of a spelling say beyond its device (a power limit, a partition mode) is
 * kept as its factors.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/decoration.h"
#include "schema/core/grow.h"
#include "schema/core/text.h"
#include "schema/store/derive.h"
#include "schema/store/writer.h"

typedef struct {
    abdb_bare bare;
    const char *canon;
    bool own; /* the name is the canonical one */
} known_name;

typedef struct {
    const char *device, *vendor, *form_factor, *memory, *kind;
} known_device;

typedef struct {
    abdb_db *db;
    abdb_arena arena;
    abdb_decoration *rule;
    known_name *name; /* by core */
    known_device *device;
    size_t rules, rule_room, names, name_room, devices, device_room;
} vocabulary;

static const char *column(vocabulary *v, sqlite3_stmt *s, int i)
{
    const char *text = abdb_sql_text_if(s, i);

    return text ? abdb_arena_copy(&v->arena, text, strlen(text)) : NULL;
}

static bool add_rule(vocabulary *v, sqlite3_stmt *s)
{
    abdb_decoration *more = abdb_grow(v->rule, v->rules, &v->rule_room, sizeof *more);

    if (!more) return false;
    v->rule = more;
    v->rule[v->rules++] = (abdb_decoration){column(v, s, 0), column(v, s, 1), column(v, s, 2),
                                            column(v, s, 3), column(v, s, 4)};
    return v->rule[v->rules - 1].pattern && v->rule[v->rules - 1].says;
}

static bool add_name(vocabulary *v, sqlite3_stmt *s)
{
    known_name *more = abdb_grow(v->name, v->names, &v->name_room, sizeof *more);

    if (!more) return false;
    v->name = more;
    v->name[v->names].canon = column(v, s, 1);
    v->name[v->names].own = strcmp(abdb_sql_text(s, 0), abdb_sql_text(s, 1)) == 0;
    if (abdb_bare_name(v->rule, v->rules, abdb_sql_text(s, 0), &v->name[v->names].bare)) v->names++;
    return true;
}

static bool add_device(vocabulary *v, sqlite3_stmt *s)
{
    known_device *more = abdb_grow(v->device, v->devices, &v->device_room, sizeof *more);

    if (!more) return false;
    v->device = more;
    v->device[v->devices++] = (known_device){column(v, s, 0), column(v, s, 1), column(v, s, 2),
                                             column(v, s, 3), column(v, s, 4)};
    return v->device[v->devices - 1].device != NULL;
}

static abdb_status each_row(vocabulary *v, const char *sql,
                            bool (*add)(vocabulary *, sqlite3_stmt *), abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(v->db->sql, sql, -1, &s, NULL);
    bool room = true;

    while (room && (code == SQLITE_OK || code == SQLITE_ROW) &&
           (code = sqlite3_step(s)) == SQLITE_ROW)
        room = add(v, s);
    sqlite3_finalize(s);
    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "names of devices");
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(v->db, err, "names of devices");
}

static int by_core(const void *a, const void *b)
{
    return strcmp(((const known_name *)a)->bare.core, ((const known_name *)b)->bare.core);
}

static abdb_status load(vocabulary *v, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(each_row(v,
                 "SELECT pattern, says, meaning, factor, factor_unit FROM decoration"
                 " ORDER BY place",
                 add_rule, err));
    TRY(each_row(v,
                 "SELECT spelling, canon FROM meaning WHERE kind = 'device' AND parts = 1"
                 " ORDER BY spelling, canon",
                 add_name, err));
    TRY(each_row(v, "SELECT device, vendor, form_factor, memory, kind FROM device", add_device,
                 err));
    if (v->names) qsort(v->name, v->names, sizeof *v->name, by_core);
done:
    return st;
}

static size_t first_of_core(const vocabulary *v, const char *core)
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

static bool same_core(const vocabulary *v, size_t i, const abdb_bare *bare)
{
    return i < v->names && strcmp(v->name[i].bare.core, bare->core) == 0;
}

/* Does the spelling say what the name says? But for words of the sort `other`; NULL: all. */
static bool says_all_of(const abdb_bare *bare, const abdb_bare *name, const char *other)
{
    for (size_t i = 0; i < name->count; i++)
        if (!(other && strcmp(name->said[i].rule->says, other) == 0) &&
            !abdb_bare_says(bare, name->said[i].rule->says, name->said[i].value))
            return false;
    return true;
}

/* What `device` says of it, for a decoration that says one of its columns. */
static bool of_device(const known_device *d, const char *says, const char **what)
{
    const char *const column[][2] = {{"vendor", d ? d->vendor : NULL},
                                     {"form_factor", d ? d->form_factor : NULL},
                                     {"memory", d ? d->memory : NULL},
                                     {"kind", d ? d->kind : NULL}};

    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
        if (strcmp(column[i][0], says) == 0) {
            *what = column[i][1] ? column[i][1] : "";
            return true;
        }
    return false;
}

static const known_device *find_device(const vocabulary *v, const char *name)
{
    for (size_t i = 0; i < v->devices; i++)
        if (strcmp(v->device[i].device, name) == 0) return &v->device[i];
    return NULL;
}

/* Does another device, which the spelling could mean as well, say something of that sort? */
static bool tells_apart(const vocabulary *v, const abdb_bare *bare, const char *canon, size_t which)
{
    for (size_t i = first_of_core(v, bare->core); same_core(v, i, bare); i++) {
        const abdb_bare *other = &v->name[i].bare;
        const char *says = bare->said[which].rule->says;

        if (strcmp(v->name[i].canon, canon) == 0 || !says_all_of(bare, other, says)) continue;
        for (size_t k = 0; k < other->count; k++)
            if (strcmp(other->said[k].rule->says, says) == 0) return true;
    }
    return false;
}

/* May the spelling say this of that device, beyond what its name says? */
static bool fits_device(const vocabulary *v, const abdb_bare *bare, const char *canon, size_t which)
{
    const char *says = bare->said[which].rule->says, *value = bare->said[which].value, *what;

    if (!of_device(find_device(v, canon), says, &what)) return !tells_apart(v, bare, canon, which);
    if (strcmp(says, "memory") == 0) return abdb_has_word(what, ' ', value, strlen(value));
    return *what && abdb_word_says(value, what);
}

/* How much of a spelling is known of the device of that name, by the name or by itself. */
static size_t shared(const vocabulary *v, const abdb_bare *bare, const known_name *name)
{
    size_t count = 0;
    const char *what;

    for (size_t i = 0; i < bare->count; i++)
        count += abdb_bare_says(&name->bare, bare->said[i].rule->says, bare->said[i].value) ||
                 (of_device(find_device(v, name->canon), bare->said[i].rule->says, &what) &&
                  fits_device(v, bare, name->canon, i));
    return count;
}

/* The device that a spelling means without its decorations; NULL: it cannot be told. */
static const char *device_of(const vocabulary *v, const abdb_bare *bare)
{
    const known_name *best = NULL;
    size_t most = 0;
    bool agree = true;

    for (size_t i = first_of_core(v, bare->core); same_core(v, i, bare); i++) {
        const known_name *name = &v->name[i];
        size_t count;

        if (!says_all_of(bare, &name->bare, NULL)) continue;
        count = shared(v, bare, name);
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
        if (!abdb_bare_says(&best->bare, bare->said[i].rule->says, bare->said[i].value) &&
            !fits_device(v, bare, best->canon, i))
            return NULL;
    return best->canon;
}

/* Is it known of the device anyway? Then it is no factor. */
static bool goes_without_saying(const vocabulary *v, const char *canon, const abdb_decoration *rule)
{
    const char *what;
    int sizes = 0;

    if (!of_device(find_device(v, canon), rule->says, &what)) return false;
    for (; *what; what += strcspn(what, " "), what += strspn(what, " "))
        sizes += isdigit((unsigned char)*what) != 0;
    return strcmp(rule->says, "memory") != 0 || sizes < 2;
}

static abdb_status keep_factors(const vocabulary *v, sqlite3_stmt *keep, const char *spelling,
                                const char *canon, const abdb_bare *bare, abdb_error *err)
{
    for (size_t i = 0; i < bare->count; i++) {
        const abdb_decoration *rule = bare->said[i].rule;
        double number;

        if (!rule->factor || goes_without_saying(v, canon, rule)) continue;
        sqlite3_reset(keep);
        sqlite3_clear_bindings(keep);
        abdb_bind_text(keep, 1, spelling);
        abdb_bind_text(keep, 2, rule->factor);
        abdb_bind_text(keep, 3, bare->said[i].value);
        if (abdb_double_parse(bare->said[i].value, ABDB_MARK_POINT, &number))
            sqlite3_bind_double(keep, 4, number);
        abdb_bind_text(keep, 5, rule->unit);
        if (sqlite3_step(keep) != SQLITE_DONE) return abdb_db_fail(v->db, err, "names of devices");
    }
    return ABDB_OK;
}

static abdb_status apply(vocabulary *v, sqlite3_stmt *ask, sqlite3_stmt *set, sqlite3_stmt *keep,
                         abdb_error *err)
{
    abdb_status st = ABDB_OK;
    int code;

    while ((code = sqlite3_step(ask)) == SQLITE_ROW) {
        const char *spelling = abdb_sql_text(ask, 0), *canon = abdb_sql_text(ask, 1);
        bool open = strcmp(abdb_sql_text(ask, 2), "unresolved") == 0;
        abdb_bare bare;

        if (!abdb_bare_name(v->rule, v->rules, spelling, &bare)) continue;
        if (open && !(canon = device_of(v, &bare))) continue;
        TRY(keep_factors(v, keep, spelling, canon, &bare, err));
        if (!open) continue;
        sqlite3_reset(set);
        abdb_bind_text(set, 1, canon);
        abdb_bind_text(set, 2, spelling);
        if (sqlite3_step(set) != SQLITE_DONE) break;
    }
    if (code != SQLITE_DONE) TRY(abdb_db_fail(v->db, err, "names of devices"));
done:
    return st;
}

abdb_status abdb_decorations_update(abdb_db *db, abdb_error *err)
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

    TRY(abdb_db_integer(db,
                        "SELECT EXISTS (SELECT 1 FROM meant WHERE kind = 'device' AND parts = 1"
                        " AND how <> 'canon') AND EXISTS (SELECT 1 FROM decoration)",
                        &any, err));
    if (!any) goto done;
    TRY(load(&v, err));
    for (int i = 0; i < 3; i++)
        if (sqlite3_prepare_v2(db->sql, sql[i], -1, &s[i], NULL) != SQLITE_OK)
            TRY(abdb_db_fail(db, err, "names of devices"));
    TRY(apply(&v, s[0], s[1], s[2], err));
done:
    for (int i = 0; i < 3; i++) sqlite3_finalize(s[i]);
    free(v.rule);
    free(v.name);
    free(v.device);
    abdb_arena_free(&v.arena);
    return st;
}
