/* quick.c - what makes executions quick: nine tenths of the time went to SQLite, which reads and
 * plans statements anew for each input, with memory of a sanitizer. The linker puts these functions
 * in the place of SQLite's (--wrap).
 *
 * - What SQLite allocates while it plans a statement is plain memory: abdb reads names of columns
 *   and messages of it. Rows, values and texts come from the sanitizer as before.
 * - A statement that was finalized waits for its text to come again; its values are gone, and to
 *   finalize it once more is a mistake, as before.
 * Each THOROUGH-th execution, and the first, do without both, and so does unit/corpus.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/* What is called a hundred thousand times an execution, and looks at memory that nobody else may:
 * without sanitizers itself. And unseen by the fuzzer, which looks for what is compared. */
#ifdef __clang__
#define UNSEEN __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define UNSEEN __attribute__((no_sanitize("address", "undefined")))
#endif

enum { THOROUGH = 16, WAITING_MOST = 512 };

static size_t executions;
static bool quick;

void fuzz_begin_execution_quick_or_thorough(void)
{
    quick = executions++ % THOROUGH != 0;
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Before each piece of memory; nobody else may touch it. */
typedef struct {
    size_t size;
    size_t room; /* of plain memory: a power of two; 0: the sanitizer's */
} block_header;

/* Plain memory is cut from large pieces and kept by its room for the next that needs as much. */
enum { ROOM_LEAST = 5, ROOM_MOST = 16, PIECE = 1 << 22 };
static _Thread_local void *unused[ROOM_MOST + 1];
static _Thread_local char *piece;
static _Thread_local size_t piece_left;
static _Thread_local int planning;

UNSEEN static void *allocate_unsanitized_block(size_t size)
{
    int power = size <= 1 << ROOM_LEAST ? ROOM_LEAST : 64 - __builtin_clzll(size - 1);
    void *out;

    out = unused[power];
    if (out) {
        memcpy(&unused[power], (block_header *)out + 1, sizeof(void *)); /* the next one */
        return out;
    }
    if (piece_left < (size_t)1 << power) {
        piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) fuzz_abort_promise_broken("memory", "a piece");
        piece_left = PIECE;
    }
    out = piece;
    piece += (size_t)1 << power;
    piece_left -= (size_t)1 << power;
    ((block_header *)out)->room = (size_t)power;
    return out;
}

UNSEEN static void *sqlite_allocate_plain_while_planning(int size)
{
    size_t all = (size_t)size + sizeof(block_header);
    bool plain = planning && quick && all <= (size_t)1 << ROOM_MOST;
    block_header *h = plain ? allocate_unsanitized_block(all) : malloc(all);

    if (!h) return NULL;
    h->size = (size_t)size;
    if (plain) return h + 1;
    h->room = 0;
    ASAN_POISON_MEMORY_REGION(h, sizeof *h);
    return h + 1;
}

UNSEEN static inline block_header header_before_block(const void *at)
{
    return ((const block_header *)at)[-1];
}

UNSEEN static int sqlite_block_size(void *at)
{
    return at ? (int)header_before_block(at).size : 0;
}

UNSEEN static void sqlite_free_block(void *at)
{
    block_header *h = (block_header *)at - 1;
    size_t room = header_before_block(at).room;

    if (room) {
        memcpy(at, &unused[room], sizeof(void *));
        unused[room] = h;
        return;
    }
    ASAN_UNPOISON_MEMORY_REGION(h, sizeof *h);
    free(h);
}

UNSEEN static void *sqlite_reallocate(void *at, int size)
{
    void *out = sqlite_allocate_plain_while_planning(size);

    if (!out) return NULL;
    memcpy(out, at, (size_t)(sqlite_block_size(at) < size ? sqlite_block_size(at) : size));
    sqlite_free_block(at);
    return out;
}

static int sqlite_round_up_to_8(int size)
{
    return (size + 7) & ~7;
}

static int sqlite_allocator_init(void *self)
{
    (void)self;
    return SQLITE_OK;
}

static void sqlite_allocator_shutdown(void *self)
{
    (void)self;
}

void fuzz_install_sqlite_allocator(void)
{
    const sqlite3_mem_methods methods = {sqlite_allocate_plain_while_planning,
                                         sqlite_free_block,
                                         sqlite_reallocate,
                                         sqlite_block_size,
                                         sqlite_round_up_to_8,
                                         sqlite_allocator_init,
                                         sqlite_allocator_shutdown,
                                         NULL};

    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        fuzz_abort_promise_broken("memory", "too late for SQLite");
}

/* --- statements ------------------------------------------------------------------------------ */

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statement;
    uint64_t digest; /* of its text and what is behind it */
    size_t used;     /* of the text, where the tail begins */
    bool waits;
} cached_statement;

static cached_statement all[WAITING_MOST];
static size_t count;

int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags,
                              sqlite3_stmt **out, const char **tail);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                        void *self, char **words);
int __real_sqlite3_finalize(sqlite3_stmt *statement);
int __real_sqlite3_close(sqlite3 *db);
int __real_sqlite3_close_v2(sqlite3 *db);
int __real_sqlite3_set_authorizer(sqlite3 *db,
                                  int (*ask)(void *, int, const char *, const char *, const char *,
                                             const char *),
                                  void *self);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int size, sqlite3_stmt **out,
                              const char **tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags,
                              sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                        void *self, char **words);
int __wrap_sqlite3_finalize(sqlite3_stmt *statement);
int __wrap_sqlite3_close(sqlite3 *db);
int __wrap_sqlite3_close_v2(sqlite3 *db);
int __wrap_sqlite3_set_authorizer(sqlite3 *db,
                                  int (*ask)(void *, int, const char *, const char *, const char *,
                                             const char *),
                                  void *self);

/* Those of a database (NULL: all) that wait go; what somebody still holds is no longer ours. */
static void finalize_waiting_statements_of_db(const sqlite3 *db)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (db && all[i].db != db)
            all[kept++] = all[i];
        else if (all[i].waits)
            __real_sqlite3_finalize(all[i].statement);
    }
    count = kept;
}

/* By FNV-1a. */
UNSEEN static uint64_t fnv1a_digest_of_text(const char *sql)
{
    uint64_t out = 0xcbf29ce484222325;

    for (; *sql; sql++) out = (out ^ (unsigned char)*sql) * 0x100000001b3;
    return out;
}

UNSEEN int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags,
                                     sqlite3_stmt **out, const char **tail)
{
    bool waits = quick && db && sql && size < 0;
    uint64_t digest = waits ? fnv1a_digest_of_text(sql) : 0;
    const char *end = NULL;
    int code;

    for (size_t i = 0; waits && i < count; i++)
        if (all[i].digest == digest && all[i].db == db && all[i].waits) {
            all[i].waits = false;
            *out = all[i].statement;
            if (tail) *tail = sql + all[i].used;
            return SQLITE_OK;
        }
    planning++;
    code = __real_sqlite3_prepare_v3(db, sql, size, flags, out, &end);
    planning--;
    if (tail) *tail = end;
    if (!waits || code != SQLITE_OK || !*out) return code;
    if (count == WAITING_MOST) finalize_waiting_statements_of_db(NULL);
    all[count++] = (cached_statement){db, *out, digest, (size_t)(end - sql), false};
    return code;
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int size, sqlite3_stmt **out,
                              const char **tail)
{
    return __wrap_sqlite3_prepare_v3(db, sql, size, 0, out, tail);
}

UNSEEN int __wrap_sqlite3_finalize(sqlite3_stmt *statement)
{
    for (size_t i = 0; statement && i < count; i++) {
        if (all[i].statement != statement) continue;
        if (all[i].waits)
            fuzz_abort_promise_broken("a statement ends once", sqlite3_sql(statement));
        all[i].waits = true;
        sqlite3_clear_bindings(statement);
        return sqlite3_reset(statement);
    }
    return __real_sqlite3_finalize(statement);
}

/* As sqlite3_exec is written: each statement is prepared, here by what stands above. */
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                        void *self, char **words)
{
    int code = SQLITE_OK;

    if (!quick || !db || row || words) return __real_sqlite3_exec(db, sql, row, self, words);
    while (code == SQLITE_OK && sql && *sql) {
        sqlite3_stmt *s = NULL;

        code = __wrap_sqlite3_prepare_v2(db, sql, -1, &s, &sql);
        if (code != SQLITE_OK || !s) continue;
        while (sqlite3_step(s) == SQLITE_ROW) continue;
        code = __wrap_sqlite3_finalize(s);
    }
    return code;
}

int __wrap_sqlite3_close(sqlite3 *db)
{
    finalize_waiting_statements_of_db(db);
    return __real_sqlite3_close(db);
}

int __wrap_sqlite3_close_v2(sqlite3 *db)
{
    finalize_waiting_statements_of_db(db);
    return __real_sqlite3_close_v2(db);
}

/* What was allowed before may not be now. */
int __wrap_sqlite3_set_authorizer(sqlite3 *db,
                                  int (*ask)(void *, int, const char *, const char *, const char *,
                                             const char *),
                                  void *self)
{
    finalize_waiting_statements_of_db(db);
    return __real_sqlite3_set_authorizer(db, ask, self);
}
