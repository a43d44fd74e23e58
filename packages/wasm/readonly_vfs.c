/* readonly_vfs.c - SQLite's files where nothing can be written: open, read, ask for the size. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    int file;
} readonly_file;

static int close_file(sqlite3_file *f)
{
    return close(((readonly_file *)f)->file) == 0 ? SQLITE_OK : SQLITE_IOERR_CLOSE;
}

/* Reads all, or what is there and zeros, which SQLite wants to be told. */
static int read_at_zero_filling_short_reads(sqlite3_file *f, void *out, int size, sqlite3_int64 at)
{
    int done = 0;

    while (done < size) {
        ssize_t n = pread(((readonly_file *)f)->file, (char *)out + done, (size_t)(size - done),
                          (off_t)(at + done));

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return SQLITE_IOERR_READ;
        if (n == 0) break;
        done += (int)n;
    }
    memset((char *)out + done, 0, (size_t)(size - done));
    return done == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int refuse_write(sqlite3_file *f, const void *data, int size, sqlite3_int64 at)
{
    (void)f, (void)data, (void)size, (void)at;
    return SQLITE_READONLY;
}

static int refuse_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    (void)f, (void)size;
    return SQLITE_READONLY;
}

/* Locks and syncs: nobody else has the file, and nothing of it changes. */
static int accept_lock_or_sync_doing_nothing(sqlite3_file *f, int level)
{
    (void)f, (void)level;
    return SQLITE_OK;
}

static int get_file_size(sqlite3_file *f, sqlite3_int64 *size)
{
    struct stat info;

    if (fstat(((readonly_file *)f)->file, &info) != 0) return SQLITE_IOERR_FSTAT;
    *size = info.st_size;
    return SQLITE_OK;
}

static int report_no_lock(sqlite3_file *f, int *locked)
{
    (void)f;
    *locked = 0;
    return SQLITE_OK;
}

static int report_file_control_not_found(sqlite3_file *f, int operation, void *argument)
{
    (void)f, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *f)
{
    (void)f;
    return 4096;
}

static int no_device_characteristics(sqlite3_file *f)
{
    (void)f;
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_at_zero_filling_short_reads,
    .xWrite = refuse_write,
    .xTruncate = refuse_truncate,
    .xSync = accept_lock_or_sync_doing_nothing,
    .xFileSize = get_file_size,
    .xLock = accept_lock_or_sync_doing_nothing,
    .xUnlock = accept_lock_or_sync_doing_nothing,
    .xCheckReservedLock = report_no_lock,
    .xFileControl = report_file_control_not_found,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = no_device_characteristics,
};

/* What SQLite would write for itself is in memory (SQLITE_TEMP_STORE=3). */
static int open_main_database_read_only(sqlite3_vfs *vfs, const char *path, sqlite3_file *f,
                                        int flags, int *out)
{
    readonly_file *file = (readonly_file *)f;

    (void)vfs;
    file->base.pMethods = NULL;
    if (!path || !(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
    file->file = open(path, O_RDONLY);
    if (file->file < 0) return SQLITE_CANTOPEN;
    file->base.pMethods = &methods;
    if (out) *out = (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static int refuse_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs, (void)path, (void)sync;
    return SQLITE_READONLY;
}

static int check_path_exists_and_no_write_asked(sqlite3_vfs *vfs, const char *path, int flags,
                                                int *allowed)
{
    (void)vfs;
    *allowed = flags != SQLITE_ACCESS_READWRITE && access(path, F_OK) == 0;
    return SQLITE_OK;
}

static int copy_path_as_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
    (void)vfs;
    if ((int)strlen(path) >= size) return SQLITE_CANTOPEN;
    memcpy(out, path, strlen(path) + 1);
    return SQLITE_OK;
}

static int fill_random_bytes_up_to_256(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs;
    return getentropy(out, (size_t)(size < 256 ? size : 256)) == 0 ? size : 0;
}

static int sleep_microseconds(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    usleep((useconds_t)microseconds);
    return microseconds;
}

/* Milliseconds since noon of 24 November 4714 before our time: the Julian day of SQLite. */
static int read_clock_as_julian_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *now)
{
    struct timespec time;

    (void)vfs;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return SQLITE_ERROR;
    *now = 210866760000000 + (sqlite3_int64)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    return SQLITE_OK;
}

static int read_clock_as_julian_days(sqlite3_vfs *vfs, double *days)
{
    sqlite3_int64 now;
    int code = read_clock_as_julian_milliseconds(vfs, &now);

    if (code == SQLITE_OK) *days = (double)now / 86400000.0;
    return code;
}

static int get_last_errno(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs, (void)size, (void)out;
    return errno;
}

int sqlite3_os_init(void)
{
    static sqlite3_vfs vfs = {
        .iVersion = 2,
        .szOsFile = sizeof(readonly_file),
        .mxPathname = 4096,
        .zName = "readonly",
        .xOpen = open_main_database_read_only,
        .xDelete = refuse_delete,
        .xAccess = check_path_exists_and_no_write_asked,
        .xFullPathname = copy_path_as_full_path,
        .xRandomness = fill_random_bytes_up_to_256,
        .xSleep = sleep_microseconds,
        .xCurrentTime = read_clock_as_julian_days,
        .xGetLastError = get_last_errno,
        .xCurrentTimeInt64 = read_clock_as_julian_milliseconds,
    };

    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void)
{
    return SQLITE_OK;
}
