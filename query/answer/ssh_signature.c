/* ssh_signature.c - see ssh_signature.h. Both files of a check are passed without a name in a
 * folder, so that ssh-keygen checks the same bytes that abdb has read. */
#include "query/answer/ssh_signature.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/answer/deadline.h"
#include "schema/core/child_output.h"
#include "schema/core/memory_file.h"

enum { NOT_FOUND = 127, PROC_PATH_SIZE = 64 };

/* The purpose of a signature: one made for another purpose does not prove a bundle. */
static const char namespace[] = "abdb-bundle";

/* Runs ssh-keygen on the bytes; *works: it ended well. Its outputs are the caller's to free. */
static abdb_status run_ssh_keygen(abdb_start_options *how, const char *data, size_t size,
                                  abdb_text *output, abdb_text *words, bool *works, abdb_error *err)
{
    double left_s = abdb_deadline_seconds_left();
    abdb_program p;
    abdb_output_end end;
    int status, input = abdb_memory_file_open(data, size, err);
    abdb_status st;

    if (input < 0) return err->status;
    how->path = "ssh-keygen";
    how->capture_stderr = true;
    how->input_file = input;
    st = abdb_program_start_with_pipes(&p, how, err);
    close(input);
    if (st != ABDB_OK) return st;
    end = abdb_program_read_output_and_reap(
        &p, left_s < ABDB_SSH_TIMEOUT_S ? left_s : ABDB_SSH_TIMEOUT_S, ABDB_SSH_SIGNATURE_MAX,
        ABDB_SSH_SIGNATURE_MAX, output, words, &status);
    if (abdb_deadline_has_passed()) return abdb_deadline_fail_with_time_out(err);
    if (end != ABDB_OUTPUT_WHOLE)
        return ABDB_FAIL(err, ABDB_LIMIT, "ssh-keygen took more than %d s or printed over %d bytes",
                         ABDB_SSH_TIMEOUT_S, ABDB_SSH_SIGNATURE_MAX);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return ABDB_FAIL(err, ABDB_PARTIAL,
                         "signatures need ssh-keygen, which is not installed:"
                         " apt-get install openssh-client");
    *works = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return output->failed || words->failed ? ABDB_FAIL(err, ABDB_NOMEM, "a signature") : ABDB_OK;
}

abdb_status abdb_ssh_sign(const char *key_path, const char *data, size_t size, abdb_text *signature,
                          abdb_error *err)
{
    abdb_start_options how = {
        .argument = {"-q", "-Y", "sign", "-n", namespace, "-P", "", "-f", key_path}};
    abdb_text words = {0};
    const char *reason;
    bool works = false;
    abdb_status st;

    st = run_ssh_keygen(&how, data, size, signature, &words, &works, err);
    reason = words.size ? abdb_text_get(&words) : "it printed no reason";
    if (st == ABDB_OK && !works)
        st = ABDB_FAIL(err, ABDB_DATA,
                       "ssh-keygen cannot sign with %s: %.*s; a key with a passphrase signs by"
                       " ssh-agent, which ssh-add gives it to",
                       key_path, (int)strcspn(reason, "\r\n"), reason);
    abdb_text_free(&words);
    return st;
}

/* Appends the name under which the allowed signers list the key of a signature; none: ABDB_VERIFY.
 */
static abdb_status find_signer(const char *signers_path, const char *signature_path,
                               abdb_text *signer, abdb_error *err)
{
    abdb_start_options how = {
        .argument = {"-Y", "find-principals", "-s", signature_path, "-f", signers_path}};
    abdb_text output = {0}, words = {0};
    bool works = false;
    abdb_status st = run_ssh_keygen(&how, "", 0, &output, &words, &works, err);

    if (st == ABDB_OK && works && output.size)
        abdb_text_add(signer, abdb_text_get(&output), strcspn(abdb_text_get(&output), ",\r\n"));
    else if (st == ABDB_OK)
        st = ABDB_FAIL(err, ABDB_VERIFY, "%.*s", (int)strcspn(abdb_text_get(&words), "\r\n"),
                       words.size ? abdb_text_get(&words) : "No principal matched.");
    abdb_text_free(&output);
    abdb_text_free(&words);
    return st;
}

abdb_status abdb_ssh_check_signature(const char *signers_path, const abdb_text *signature,
                                     const char *data, size_t size, abdb_text *signer,
                                     abdb_error *err)
{
    char signature_path[PROC_PATH_SIZE];
    abdb_text output = {0}, words = {0};
    bool works = false;
    int file = abdb_memory_file_open(abdb_text_get(signature), signature->size, err);
    abdb_status st = ABDB_OK;

    if (file < 0) return err->status;
    snprintf(signature_path, sizeof signature_path, "/proc/%ld/fd/%d", (long)getpid(), file);
    TRY(find_signer(signers_path, signature_path, signer, err));
    st = run_ssh_keygen(&(abdb_start_options){.argument = {"-Y", "verify", "-f", signers_path, "-I",
                                                           abdb_text_get(signer), "-n", namespace,
                                                           "-s", signature_path}},
                        data, size, &output, &words, &works, err);
    if (st == ABDB_OK && !works)
        st = ABDB_FAIL(err, ABDB_VERIFY, "%.*s", (int)strcspn(abdb_text_get(&words), "\r\n"),
                       words.size ? abdb_text_get(&words) : "Could not verify signature.");
done:
    close(file);
    abdb_text_free(&output);
    abdb_text_free(&words);
    return st;
}
