/* corpus.c - inputs that fuzzers found worth keeping, through the same targets: each reaches other
 * lines than the rest, or was a mistake once. tests/fixtures/corpus/TARGET.txt has one a line, with
 * \xHH for bytes that are no text. `corpus unpack TARGET FOLDER` writes them there as files, as
 * libFuzzer wants them; `corpus pack FILE...` prints the lines of files. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/check.h"

/* A line into its bytes, in place; their number. */
static size_t unescape_line_in_place(char *line)
{
    unsigned char *out = (unsigned char *)line;
    size_t size = 0;
    unsigned byte;

    for (const char *in = line; *in && *in != '\n'; in++) {
        if (*in != '\\') {
            out[size++] = (unsigned char)*in;
        } else if (in[1] == 'x' && sscanf(in + 2, "%2x", &byte) == 1) {
            out[size++] = (unsigned char)byte;
            in += 3;
        } else {
            out[size++] = in[1] == 'n' ? '\n' : in[1] == 't' ? '\t' : in[1] == 'r' ? '\r' : '\\';
            in++;
        }
    }
    return size;
}

static int print_files_as_escaped_lines(int files, char **names)
{
    for (int i = 0; i < files; i++) {
        FILE *file = fopen(names[i], "rb");
        int c;

        if (!file) return 1;
        while ((c = fgetc(file)) != EOF) {
            if (c == '\n' || c == '\t' || c == '\r' || c == '\\')
                printf("\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\\');
            else if (isascii(c) && isprint(c))
                putchar(c);
            else
                printf("\\x%02x", (unsigned)c);
        }
        putchar('\n');
        fclose(file);
    }
    return 0;
}

static FILE *open_corpus_file_of_target(const char *target)
{
    char path[128];

    snprintf(path, sizeof path, "tests/fixtures/corpus/%s.txt", target);
    return fopen(path, "r");
}

static int write_corpus_lines_as_files(const char *target, const char *folder)
{
    FILE *file = open_corpus_file_of_target(target);
    char *line = NULL, name[512];
    size_t room = 0, i = 0;

    while (file && getline(&line, &room, file) > 0) {
        size_t size = unescape_line_in_place(line);
        FILE *out;

        snprintf(name, sizeof name, "%s/kept-%zu", folder, i++);
        out = fopen(name, "wb");
        if (!out || fwrite(line, 1, size, out) != size || fclose(out) != 0) return 1;
    }
    if (file) fclose(file);
    free(line);
    return 0;
}

/* Answers for people go nowhere meanwhile. */
static void redirect_to_null_or_restore_output(bool on)
{
    static int out = -1, words = -1;
    int null;

    fflush(stdout);
    if (on) {
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        out = dup(STDOUT_FILENO);
        words = dup(STDERR_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    } else {
        dup2(out, STDOUT_FILENO);
        dup2(words, STDERR_FILENO);
        close(out);
        close(words);
    }
}

static void test_every_corpus_input_passes_its_target(void **state)
{
    const fuzz_target *target = *state;
    FILE *file = open_corpus_file_of_target(target->name);
    char *line = NULL;
    size_t room = 0, inputs = 0;

    if (!file) fail_msg("no corpus of %s", target->name);
    redirect_to_null_or_restore_output(true);
    for (; getline(&line, &room, file) > 0; inputs++) {
        size_t size = unescape_line_in_place(line);
        unsigned char *copy = malloc(size ? size : 1); /* of that size, for what looks beyond it */

        memcpy(copy, line, size);
        target->one(target->word, copy, size);
        free(copy);
    }
    redirect_to_null_or_restore_output(false);
    fclose(file);
    free(line);
    assert_true(inputs > 0);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[64];
    size_t count = 0;

    if (argc > 2 && strcmp(argv[1], "pack") == 0)
        return print_files_as_escaped_lines(argc - 2, argv + 2);
    if (argc == 4 && strcmp(argv[1], "unpack") == 0)
        return write_corpus_lines_as_files(argv[2], argv[3]);
    for (const fuzz_target *t = fuzz_targets; t->name && count < 64; t++)
        if (argc == 1 || strcmp(argv[1], t->name) == 0)
            tests[count++] = (struct CMUnitTest){t->name, test_every_corpus_input_passes_its_target,
                                                 NULL, NULL, (void *)(size_t)t};
    return _cmocka_run_group_tests("corpus", tests, count, NULL, NULL);
}
