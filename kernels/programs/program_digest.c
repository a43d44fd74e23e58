/* program_digest.c - see program_digest.h. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "kernels/programs/program_digest.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/child_output.h"
#include "schema/core/fixed_text.h"

enum { WHOLE_MAX = 64 << 20, PIECE = 1 << 16, LIST_MAX = 1 << 20, HEADERS_MAX = 64 };
static const double list_s = 10; /* time of the loader's list */

static void add_text(SHA256_CTX *sum, const char *text)
{
    SHA256_Update(sum, text, strlen(text) + 1);
}

/* Adds a file's bytes; of a large one path, size and time. False: it cannot be read. */
static bool add_file(SHA256_CTX *sum, const char *path)
{
    unsigned char piece[PIECE];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat is;
    ssize_t size = -1;
    char line[64];

    if (file < 0) return false;
    if (fstat(file, &is) == 0 && is.st_size > WHOLE_MAX) {
        add_text(sum, path);
        snprintf(line, sizeof line, "%lld %lld.%09ld", (long long)is.st_size,
                 (long long)is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
        add_text(sum, line);
        size = 0;
    } else {
        while ((size = read(file, piece, sizeof piece)) > 0)
            SHA256_Update(sum, piece, (size_t)size);
    }
    close(file);
    add_text(sum, "");
    return size == 0;
}

/* The path of a program, as posix_spawnp finds it. False: there is none. */
static bool find_program(const char *name, char out[PATH_MAX])
{
    const char *at = getenv("PATH");

    if (strchr(name, '/'))
        return abdb_format_if_fits(out, PATH_MAX, "%s", name) && access(out, X_OK) == 0;
    for (at = at ? at : "/bin:/usr/bin"; *at; at += *at == ':') {
        size_t size = strcspn(at, ":");

        if (abdb_format_if_fits(out, PATH_MAX, "%.*s/%s", (int)size, size ? at : ".", name) &&
            access(out, X_OK) == 0)
            return true;
        at += size;
    }
    return false;
}

/* The loader that a dynamic program names. "": it has none, or is no 64-bit program. */
static void read_loader_path(const char *path, char out[PATH_MAX])
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    *out = '\0';
    if (file >= 0 && pread(file, &head, sizeof head, 0) == sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64)
        for (int i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
            off_t at = (off_t)(head.e_phoff + (Elf64_Off)i * head.e_phentsize);

            if (pread(file, &part, sizeof part, at) != sizeof part) break;
            if (part.p_type != PT_INTERP || part.p_filesz >= PATH_MAX) continue;
            if (pread(file, out, part.p_filesz, (off_t)part.p_offset) != (ssize_t)part.p_filesz)
                *out = '\0';
            else
                out[part.p_filesz] = '\0';
            break;
        }
    if (file >= 0) close(file);
}

/* Adds the libraries of the loader's list: "NAME => PATH (0x...)". */
static bool add_listed_libraries(SHA256_CTX *sum, char *list)
{
    for (char *line = list, *end; *line; line = end) {
        char *path = strstr(line, "=> "), *address;

        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        if (!path || path > end) continue;
        path += 3;
        if (!(address = strstr(path, " (0x"))) return false; /* "not found" */
        *address = '\0';
        if (!add_file(sum, path)) return false;
    }
    return true;
}

/* Adds the shared libraries of a dynamic program, as its loader lists them without starting it. */
static bool add_libraries(SHA256_CTX *sum, const char *path)
{
    char loader[PATH_MAX];
    abdb_start_options how = {
        .path = loader, .argument = {"--list", path, NULL}, .capture_stderr = true};
    abdb_program process = {0};
    abdb_text list = {0}, words = {0};
    int status = 0;
    bool good;

    read_loader_path(path, loader);
    if (!*loader) return true;
    if (abdb_program_start_with_pipes(&process, &how, NULL) != ABDB_OK) return false;
    good = abdb_program_read_output_and_reap(&process, list_s, LIST_MAX, LIST_MAX, &list, &words,
                                             &status) == ABDB_OUTPUT_WHOLE &&
           status == 0 && list.size && add_listed_libraries(sum, list.data);
    abdb_text_free(&list);
    abdb_text_free(&words);
    return good;
}

/* Adds the path of a program that may look around itself: a script, or the Python of a virtual
 * environment. */
static void add_path_if_place_matters(SHA256_CTX *sum, const char *path)
{
    char start[2] = "", own[PATH_MAX], mark[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool script = file >= 0 && read(file, start, 2) == 2 && memcmp(start, "#!", 2) == 0;

    if (file >= 0) close(file);
    if (!script &&
        (!slash ||
         !abdb_format_if_fits(mark, sizeof mark, "%.*s/../pyvenv.cfg", (int)(slash - path), path) ||
         access(mark, R_OK) != 0))
        return;
    add_text(sum, realpath(script ? path : mark, own) ? own : path);
}

/* Appends the digest's first 16 digits. */
static void append_digest(SHA256_CTX *sum, char *out, size_t room)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    size_t at = strlen(out);

    SHA256_Final(digest, sum);
    for (int i = 0; i < 8 && at + 2 < room; i++, at += 2)
        snprintf(out + at, room - at, "%02x", digest[i]);
}

bool abdb_digest_program_libraries_and_named_files(char *const *words, time_t since,
                                                   char out[ABDB_PROGRAM_DIGEST])
{
    char path[PATH_MAX];
    SHA256_CTX sum, rest;
    struct stat is;
    int files = 0;

    SHA256_Init(&sum);
    SHA256_Init(&rest);
    if (!words[0] || !find_program(words[0], path) || !add_file(&sum, path) ||
        !add_libraries(&sum, path))
        return false;
    add_path_if_place_matters(&sum, path);
    add_text(&rest, strrchr(path, '/') ? strrchr(path, '/') : path); /* programs may go by it */
    for (size_t i = 1; words[i]; i++) {
        add_text(&rest, words[i]);
        if (stat(words[i], &is) != 0 || !S_ISREG(is.st_mode) || is.st_mtime >= since) continue;
        if (!add_file(&rest, words[i])) return false;
        files++;
    }
    *out = '\0';
    append_digest(&sum, out, ABDB_PROGRAM_DIGEST);
    snprintf(out + strlen(out), ABDB_PROGRAM_DIGEST - strlen(out), ".%d.", files);
    append_digest(&rest, out, ABDB_PROGRAM_DIGEST);
    return true;
}
