/* try_page.c - the page on which abdb itself runs: try.html, and try-data.js with program and
 * database, which is loaded at the first command. See site.h. */
#include <openssl/evp.h>
#include <zlib.h>

#include "query/answer/output.h"
#include "query/answer/search_path.h"
#include "query/answer/site/site.h"
#include "schema/core/outfile.h"

enum { GZIP = 15 + 16, LINE = 48000 }; /* zlib's word for it; bytes, a multiple of 3 */

/* Appends the bytes as gzip. Its head has no date, so that the same bytes give the same. */
static abdb_status append_gzip_compressed(const abdb_text *plain, abdb_text *out, abdb_error *err)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)abdb_text_get(plain),
                  .avail_in = (unsigned)plain->size};
    unsigned char piece[65536];
    int code = deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY);

    if (code != Z_OK) return ABDB_FAIL(err, ABDB_NOMEM, "try-data.js");
    do {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        code = deflate(&z, Z_FINISH);
        abdb_text_add(out, (const char *)piece, sizeof piece - z.avail_out);
    } while (code == Z_OK);
    deflateEnd(&z);
    return code == Z_STREAM_END && !out->failed ? ABDB_OK
                                                : ABDB_FAIL(err, ABDB_NOMEM, "try-data.js");
}

static void append_base64_encoded(const abdb_text *bytes, abdb_text *out)
{
    unsigned char piece[LINE / 3 * 4 + 1];

    for (size_t at = 0; at < bytes->size; at += LINE) {
        int size = (int)(bytes->size - at < LINE ? bytes->size - at : LINE);

        size = EVP_EncodeBlock(piece, (const unsigned char *)bytes->data + at, size);
        abdb_text_add(out, (const char *)piece, (size_t)size);
    }
}

/* Appends "NAME":"..." with the file's bytes, packed. magic: how they must begin. */
static abdb_status append_file_as_json_gzip_base64(const char *name, const char *path,
                                                   const char *magic, abdb_text *out,
                                                   abdb_error *err)
{
    abdb_text plain = {0}, packed = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_read_and_protect_file(path, &plain, err));
    if (plain.size < 4 || memcmp(plain.data, magic, 4) != 0)
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s is no %s for try.html; ABDB_WASM=FILE names another",
                      path, name));
    TRY(append_gzip_compressed(&plain, &packed, err));
    abdb_text_printf(out, "\"%s\":\"", name);
    append_base64_encoded(&packed, out);
    abdb_text_puts(out, "\"");
done:
    abdb_text_free(&plain);
    abdb_text_free(&packed);
    return st;
}

/* Writes try-data.js; digest: of its bytes. */
static abdb_status write_try_data_script(const abdb_site *site, char digest[ABDB_SHA256_HEX],
                                         abdb_error *err)
{
    abdb_outfile made = {0};
    abdb_text script = {0};
    FILE *out;
    abdb_status st = ABDB_OK;

    abdb_text_puts(&script, "// abdb.wasm and the database of this site, as base64 of gzip, for"
                            " try.js; abdb.wasm holds libraries: see abdb's NOTICE\n"
                            "abdbTry({");
    TRY(append_file_as_json_gzip_base64("wasm", site->program->wasm, "\0asm", &script, err));
    abdb_text_puts(&script, ",\n");
    TRY(append_file_as_json_gzip_base64("database", site->program->database, "SQLi", &script, err));
    abdb_text_puts(&script, "});\n");
    if (script.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "try-data.js"));
    abdb_sha256_hex(abdb_text_get(&script), script.size, digest);
    out = abdb_site_open_output_file(&made, site, "try-data.js", err);
    if (!out) TRY(ABDB_IO);
    abdb_write_sanitized_if_terminal(out, script.data, script.size);
    st = abdb_outfile_commit(&made, err);
done:
    abdb_text_free(&script);
    return st;
}

abdb_status abdb_site_write_try_page_and_data(const abdb_site *site, abdb_error *err)
{
    static const char *const scripts[] = {"try-wasi.js", "try.js"};
    char digest[ABDB_SHA256_HEX];
    abdb_page_buffer sheet;
    abdb_status st = write_try_data_script(site, digest, err);
    json_t *manifest = st == ABDB_OK ? abdb_try_page_manifest(site->db, digest, err) : NULL;
    FILE *out;

    if (st != ABDB_OK) return st;
    if (!manifest) return err->status;
    out = abdb_page_buffer_open(&sheet);
    if (!out) {
        json_decref(manifest);
        return ABDB_FAIL(err, ABDB_NOMEM, "try.html");
    }
    abdb_write_html_page_head_and_navigation(out, "Try abdb", "try.html");
    abdb_write_sanitized_if_terminal(out, abdb_site_embedded_text_or_empty("try.html"),
                                     strlen(abdb_site_embedded_text_or_empty("try.html")));
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        abdb_print_sanitized(out, "<script defer src=\"%s\"></script>\n", scripts[i]);
    abdb_write_html_page_foot(out, site);
    return abdb_page_write_with_manifest_and_free_both(&sheet, site, "try.html", manifest, err);
}
