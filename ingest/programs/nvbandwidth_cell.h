/* nvbandwidth_cell.h - one cell of a matrix of nvbandwidth, in text or JSON, as an entry.
 *
 * A test copies between the host and each device (one row), between each two devices, or within
 * each device; a cell is one copy, N/A where there is none. What depends on the test's name:
 * where the bytes go (wire or memory), and whether rows are devices.
 */
#ifndef ABDB_INGEST_NVBANDWIDTH_CELL_H
#define ABDB_INGEST_NVBANDWIDTH_CELL_H

#include "ingest/importer.h"
#include "ingest/read/flat_records.h"

enum { NVB_DEVICES_MAX = 128, NVB_NAME_SIZE = 96 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    char device[NVB_DEVICES_MAX][NVB_NAME_SIZE]; /* names by number; "" unknown */
    abdb_settings settings;
    abdb_arena arena;
} nvb_run;

typedef struct {
    const char *testcase;    /* device_to_host_memcpy_ce */
    const char *description; /* "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)" */
    const char *value;       /* as printed */
    long row, column;        /* numbers of the row and the column */
    const char *locator;
    long line;          /* 0: unknown */
    const json_t *test; /* the test's object of JSON, whose other members are factors; or NULL */
} nvb_cell;

/* Notes "NVIDIA H100 80GB HBM3 (00000000:01:00)" as the name of a device, without its address. */
void nvb_set_device_name(nvb_run *run, long number, const char *text);
/* Hands one cell to the sink. A cell without a copy (N/A, or 0 on the diagonal) is left out.
 * *added: it was handed over. */
ABDB_MUST_USE abdb_status nvb_import_cell_unless_absent(nvb_run *run, const nvb_cell *cell,
                                                        bool *is_counted, abdb_error *err);

#endif
