/* roofline.c - abdb_roofline(device, dtype): min(peak, intensity x bandwidth) by intensity, from
 * the published ceilings of v_peak and the measured ones of v_ceiling; see table_functions.h. */
#include <math.h>
#include <string.h>

#include "query/compare/result_set.h"
#include "query/sql_tables/table_functions.h"

enum { LOW = -6, HIGH = 12 }; /* powers of two of the intensity */

/* ?1 a canonical device, ?2 a number format or NULL. Of published peaks the preferred one of each
 * format; v_ceiling names formats as kernels do (f32), v_peak as sources do (fp32). */
static const char ceilings[] =
    "SELECT basis, dtype, peak, bandwidth, peak_key, bandwidth_key FROM ("
    " SELECT 'published' AS basis, p.dtype AS dtype, p.value AS peak, b.value AS bandwidth,"
    "  p.key AS peak_key, b.key AS bandwidth_key,"
    "  row_number() OVER (PARTITION BY p.dtype ORDER BY p.preference, b.preference) AS place"
    "  FROM v_peak p JOIN v_peak b ON b.device = p.device AND b.quantity = 'memory_bandwidth'"
    "  WHERE p.device = ?1 AND p.quantity = 'peak_flops'"
    " UNION ALL SELECT 'measured',"
    "  CASE WHEN p.dtype IN ('f64', 'f32', 'f16') THEN 'fp' || substr(p.dtype, 2) ELSE p.dtype END,"
    "  p.value, b.value, p.key, b.key, 1 FROM v_ceiling p JOIN v_ceiling b ON b.device "
    "="
    "  p.device AND b.quantity = 'memory_bandwidth' WHERE p.device = ?1 AND p.quantity ="
    "  'peak_flops') WHERE place = 1 AND (?2 IS NULL OR dtype = ?2 OR 'fp' || substr(?2, 2) = "
    "dtype)"
    " ORDER BY basis DESC, dtype";

static void set_real_cell(abdb_value *v, double x)
{
    *v = (abdb_value){.kind = ABDB_REAL, .real = x};
}

/* Adds the roof of one format at an operational intensity: min(peak, intensity x bandwidth). */
static abdb_status append_roofline_point(abdb_table *out, const abdb_table *in, size_t row,
                                         const char *device, double intensity, abdb_error *err)
{
    double peak = abdb_cell_number_or_nan(in, row, 2),
           bandwidth = abdb_cell_number_or_nan(in, row, 3);
    abdb_value *v = abdb_table_append_row(out);
    const char *texts[] = {device, abdb_cell_text_or_empty(in, row, 1),
                           abdb_cell_text_or_empty(in, row, 0)};

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a roofline");
    for (int i = 0; i < 3; i++)
        v[i] = (abdb_value){.kind = ABDB_STRING,
                            .text = abdb_arena_printf(&out->arena, "%s", texts[i])};
    set_real_cell(&v[3], intensity);
    set_real_cell(&v[4], fmin(peak, intensity * bandwidth));
    v[5] = (abdb_value){.kind = ABDB_STRING,
                        .text = intensity * bandwidth < peak ? "memory" : "compute"};
    set_real_cell(&v[6], peak);
    set_real_cell(&v[7], bandwidth);
    set_real_cell(&v[8], peak / bandwidth);
    for (size_t i = 0; i < 2; i++) {
        const char *key = abdb_cell_text_or_empty(in, row, 4 + i);

        v[9 + i] =
            (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_printf(&out->arena, "%s", key)};
    }
    return ABDB_OK;
}

/* abdb_roofline(DEVICE, ...): points of the device's roofs. */
static abdb_status fill_points_along_roofs_of_device(sqlite3 *db, const char *const *argument,
                                                     abdb_table *out, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_table in = {0};
    abdb_binds binds = {0};
    const char *device;
    abdb_status st = ABDB_OK;

    out->columns = 11;
    TRY(abdb_resolve_canonical_name(db, "device", argument[0], &device, &arena, err));
    (void)(abdb_bind_add_text(&binds, device) && abdb_bind_add_text(&binds, argument[1]));
    TRY(abdb_query_to_table(db, ceilings, &binds, &in, err));
    for (size_t i = 0; i < in.rows; i++) {
        double ridge = abdb_cell_number_or_nan(&in, i, 2) / abdb_cell_number_or_nan(&in, i, 3);
        bool passed = false;

        for (int k = LOW; k <= HIGH; k++) {
            if (!passed && exp2(k) >= ridge) { /* the ridge itself is a point */
                passed = true;
                TRY(append_roofline_point(out, &in, i, device, ridge, err));
            }
            if (exp2(k) > ridge || exp2(k) < ridge)
                TRY(append_roofline_point(out, &in, i, device, exp2(k), err));
        }
    }
done:
    abdb_table_free(&in);
    abdb_arena_free(&arena);
    return st;
}

const abdb_table_function abdb_table_roofline = {
    "abdb_roofline",
    "CREATE TABLE x(device TEXT, dtype TEXT, basis TEXT, intensity_flop_per_B REAL, flops_per_s "
    "REAL,"
    " bound TEXT, peak_flops_per_s REAL, bandwidth_bytes_per_s REAL, ridge_flop_per_B REAL,"
    " peak_id TEXT, bandwidth_id TEXT, of_device HIDDEN, of_dtype HIDDEN)",
    11,
    1,
    2,
    ABDB_ALLOW_NOTHING,
    fill_points_along_roofs_of_device};
