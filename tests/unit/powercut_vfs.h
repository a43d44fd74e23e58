/* powercut_vfs.h - a VFS that records SQLite's writes to a database, its log and its journal,
 * and makes the files again as a power cut at any moment would have left them:
 *
 * - Writes before a file's last sync are there. Of later writes all, none, or any part is there, in
 *   sectors of 512 bytes.
 * - A journal that was deleted is gone for certain after the next sync of any file, as on file
 *   systems that keep a journal of names; before that it may be there again.
 * - The shared memory is gone. */
#ifndef ABDB_TESTS_POWER_H
#define ABDB_TESTS_POWER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/array.h"
#include "schema/core/text.h"
#include "schema/functions/sqlite.h"
#include "schema/store/digest.h"
#include "tests/unit/check.h"

enum { FILES = 3, SECTOR = 512 };

static const char *const suffixes[FILES] = {"", "-wal", "-journal"};
static char folder[64], path[128];

/* --- recording -------------------------------------------------------------------------------- */

typedef enum { WRITE, TRUNCATE, SYNC, DELETE, DELETE_SYNCED, COMMIT } step_kind;

typedef struct {
    step_kind kind;
    int file;
    sqlite3_int64 at; /* of a write; of a truncation the size */
    size_t size;
    unsigned char *data;
} recorded_step;

static struct {
    bool on;
    recorded_step *item;
    size_t count, room;
} record;

typedef struct {
    sqlite3_file base;
    int number; /* of suffixes; -1: not recorded */
    sqlite3_file *real;
} shim_file;

static sqlite3_vfs shim;
static sqlite3_vfs *real_vfs;
static sqlite3_io_methods methods;

static int index_of_recorded_file_or_minus_1(const char *name)
{
    size_t size = strlen(path);

    for (int i = 0; name && i < FILES; i++)
        if (strncmp(name, path, size) == 0 && strcmp(name + size, suffixes[i]) == 0) return i;
    return -1;
}

static void record_step_if_recording(step_kind kind, int file, sqlite3_int64 at, const void *data,
                                     size_t size)
{
    recorded_step *more;

    if (!record.on || file < 0) return;
    more = abdb_array_reserve_one(record.item, record.count, &record.room, sizeof *more);
    if (!more) abort();
    record.item = more;
    more[record.count] = (recorded_step){.kind = kind, .file = file, .at = at, .size = size};
    if (size) {
        more[record.count].data = malloc(size);
        if (!more[record.count].data) abort();
        memcpy(more[record.count].data, data, size);
    }
    record.count++;
}

#define REAL(file) (((shim_file *)(file))->real)

static int shim_close_and_free_real_file(sqlite3_file *file)
{
    int code = REAL(file)->pMethods->xClose(REAL(file));

    free(REAL(file));
    return code;
}
static int shim_read(sqlite3_file *file, void *out, int size, sqlite3_int64 at)
{
    return REAL(file)->pMethods->xRead(REAL(file), out, size, at);
}
static int shim_record_and_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    record_step_if_recording(WRITE, ((shim_file *)file)->number, at, data, (size_t)size);
    return REAL(file)->pMethods->xWrite(REAL(file), data, size, at);
}
static int shim_record_and_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    record_step_if_recording(TRUNCATE, ((shim_file *)file)->number, size, NULL, 0);
    return REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int shim_record_and_sync(sqlite3_file *file, int flags)
{
    record_step_if_recording(SYNC, ((shim_file *)file)->number, 0, NULL, 0);
    return REAL(file)->pMethods->xSync(REAL(file), flags);
}
static int shim_file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    return REAL(file)->pMethods->xFileSize(REAL(file), out);
}
static int shim_lock(sqlite3_file *file, int lock)
{
    return REAL(file)->pMethods->xLock(REAL(file), lock);
}
static int shim_unlock(sqlite3_file *file, int lock)
{
    return REAL(file)->pMethods->xUnlock(REAL(file), lock);
}
static int shim_check_reserved_lock(sqlite3_file *file, int *out)
{
    return REAL(file)->pMethods->xCheckReservedLock(REAL(file), out);
}
static int shim_file_control(sqlite3_file *file, int what, void *argument)
{
    return REAL(file)->pMethods->xFileControl(REAL(file), what, argument);
}
static int shim_sector_size(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}
static int shim_device_characteristics(sqlite3_file *file)
{
    return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}
static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *file, int at, int n, int flags)
{
    return REAL(file)->pMethods->xShmLock(REAL(file), at, n, flags);
}
static void shim_shm_barrier(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}
static int shim_shm_unmap(sqlite3_file *file, int delete)
{
    return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

static int shim_open_noting_file_index(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                                       int flags, int *out)
{
    shim_file *f = (shim_file *)file;
    int code;

    (void)vfs;
    *f = (shim_file){.number = index_of_recorded_file_or_minus_1(name)};
    f->real = calloc(1, (size_t)real_vfs->szOsFile);
    if (!f->real) return SQLITE_NOMEM;
    code = real_vfs->xOpen(real_vfs, name, f->real, flags, out);
    if (code == SQLITE_OK)
        f->base.pMethods = &methods;
    else
        free(f->real);
    return code;
}

static int shim_record_and_delete(sqlite3_vfs *vfs, const char *name, int synced)
{
    int code = real_vfs->xDelete(real_vfs, name, synced);

    (void)vfs;
    if (code == SQLITE_OK)
        record_step_if_recording(synced ? DELETE_SYNCED : DELETE,
                                 index_of_recorded_file_or_minus_1(name), 0, NULL, 0);
    return code;
}

static int record_commit_step(void *self)
{
    (void)self;
    record_step_if_recording(COMMIT, 0, 0, NULL, 0);
    return 0;
}

static int add_commit_hook_to_connection(sqlite3 *db, const char **message, const void *api)
{
    (void)message, (void)api;
    sqlite3_commit_hook(db, record_commit_step, NULL);
    return SQLITE_OK;
}

static void install_default_recording_vfs_and_commit_hook(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    shim = *real_vfs;
    shim.zName = "powercut";
    shim.pNext = NULL;
    shim.szOsFile = sizeof(shim_file);
    shim.xOpen = shim_open_noting_file_index;
    shim.xDelete = shim_record_and_delete;
    methods = (sqlite3_io_methods){2,
                                   shim_close_and_free_real_file,
                                   shim_read,
                                   shim_record_and_write,
                                   shim_record_and_truncate,
                                   shim_record_and_sync,
                                   shim_file_size,
                                   shim_lock,
                                   shim_unlock,
                                   shim_check_reserved_lock,
                                   shim_file_control,
                                   shim_sector_size,
                                   shim_device_characteristics,
                                   shim_shm_map,
                                   shim_shm_lock,
                                   shim_shm_barrier,
                                   shim_shm_unmap,
                                   NULL,
                                   NULL};
    sqlite3_vfs_register(&shim, 1);
    sqlite3_auto_extension((void (*)(void))add_commit_hook_to_connection);
}

/* --- files after a power cut ------------------------------------------------------------------ */

typedef struct {
    bool exists;
    unsigned char *data;
    size_t size;
} file_image;

static file_image begin[FILES]; /* before the verb */

static void read_file_into_image(file_image *out, const char *name)
{
    FILE *file = fopen(name, "rb");
    struct stat info;

    *out = (file_image){.exists = file != NULL};
    if (!file) return;
    assert_int_equal(fstat(fileno(file), &info), 0);
    out->size = (size_t)info.st_size;
    out->data = malloc(out->size + 1);
    assert_int_equal(fread(out->data, 1, out->size, file), out->size);
    fclose(file);
}

static void resize_image_zero_filled(file_image *i, size_t size)
{
    unsigned char *data = realloc(i->data, size + 1);

    assert_non_null(data);
    if (size > i->size) memset(data + i->size, 0, size - i->size);
    i->data = data;
    i->size = size;
}

typedef enum { NOTHING, ALL, PART } loss_policy;

/* Applies one step; of a PART each sector of a write by chance. */
static void apply_step_to_image_under_loss_policy(file_image *i, const recorded_step *s,
                                                  loss_policy policy)
{
    switch (s->kind) {
    case WRITE:
        i->exists = true;
        for (size_t from = 0, size; from < s->size; from += size) {
            size_t at = (size_t)s->at + from;

            size = SECTOR - at % SECTOR;
            if (size > s->size - from) size = s->size - from;
            if (policy == PART && rand() % 2) continue;
            if (at + size > i->size) resize_image_zero_filled(i, at + size);
            memcpy(i->data + at, s->data + from, size);
        }
        break;
    case TRUNCATE:
        if (policy != PART || rand() % 2) resize_image_zero_filled(i, (size_t)s->at);
        break;
    case DELETE:
    case DELETE_SYNCED:
        i->exists = false;
        resize_image_zero_filled(i, 0);
        break;
    case SYNC:
    case COMMIT: break;
    }
}

/* Is the step on the disk when the power goes at `cut`? Syncs of files that unsynced_files names
 * count for nothing. */
static bool step_is_synced_before_cut(size_t step_index, size_t cut, int unsynced_files)
{
    const recorded_step *s = &record.item[step_index];

    if (s->kind == DELETE_SYNCED) return true;
    for (size_t j = step_index + 1; j < cut; j++)
        if (record.item[j].kind == SYNC && !(unsynced_files >> record.item[j].file & 1) &&
            (s->kind == DELETE || record.item[j].file == s->file))
            return true;
    return false;
}

static void write_files_as_left_by_cut(size_t cut, loss_policy policy, int unsynced_files,
                                       const char *path_prefix)
{
    for (int f = 0; f < FILES; f++) {
        file_image now = {.exists = begin[f].exists};
        char name[200];
        bool still = true; /* the name means the file that is written to */
        FILE *file;

        if (begin[f].size) resize_image_zero_filled(&now, begin[f].size);
        if (begin[f].size) memcpy(now.data, begin[f].data, begin[f].size);
        for (size_t i = 0; i < cut && still; i++) {
            const recorded_step *s = &record.item[i];
            bool synced;

            if (s->file != f || s->kind == COMMIT || s->kind == SYNC) continue;
            synced = policy == ALL || step_is_synced_before_cut(i, cut, unsynced_files);
            if (s->kind == DELETE && !synced)
                still = policy == PART && rand() % 2; /* else the old file is there again */
            if (still && (synced || policy == PART))
                apply_step_to_image_under_loss_policy(&now, s, synced ? ALL : PART);
        }
        snprintf(name, sizeof name, "%s%s", path_prefix, suffixes[f]);
        unlink(name);
        if (now.exists) {
            file = fopen(name, "wb");
            assert_non_null(file);
            assert_int_equal(fwrite(now.data, 1, now.size, file), now.size);
            fclose(file);
        }
        free(now.data);
    }
}

/* All rows of all tables, the schema and the version, as a digest; "damaged: ..." where the file is
 * not sound. */
static void sha256_of_all_rows_or_damage_text(const char *db_path, char out[200])
{
    abdb_text text = {0};
    sqlite3 *db = NULL;
    sqlite3_stmt *names = NULL, *rows = NULL;
    int code = sqlite3_open_v2(db_path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix");

    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db,
                                  "SELECT 'PRAGMA integrity_check' UNION ALL"
                                  " SELECT 'PRAGMA user_version' UNION ALL"
                                  " SELECT 'SELECT * FROM sqlite_schema' UNION ALL SELECT"
                                  " 'SELECT * FROM \"' || name || '\"' FROM sqlite_schema"
                                  " WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
                                  -1, &names, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(names)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(names, 0);
        bool is_check = strcmp(sql, "PRAGMA integrity_check") == 0;

        code = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
        while (code == SQLITE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
            for (int c = 0; c < sqlite3_column_count(rows); c++) {
                const char *cell = (const char *)sqlite3_column_text(rows, c);

                abdb_text_printf(&text, "%s|", cell ? cell : "NULL");
            }
            code = SQLITE_OK;
        }
        if (code == SQLITE_DONE) code = SQLITE_OK;
        sqlite3_finalize(rows);
        if (is_check && strcmp(abdb_text_get(&text), "ok|") != 0) code = SQLITE_CORRUPT;
        if (code != SQLITE_OK) break;
    }
    if (code == SQLITE_DONE)
        abdb_sha256_hex(abdb_text_get(&text), text.size, out);
    else
        snprintf(out, 200, "damaged: %.150s", db ? sqlite3_errmsg(db) : "no memory");
    sqlite3_finalize(names);
    sqlite3_close(db);
    abdb_text_free(&text);
}

#endif
