-- parquet.sql - Parquet by DuckDB, out of the folder that `abdb export -o csv --partition DIR` made: run in DIR, it makes
-- DIR/parquet/VIEW.parquet, each file whole or not at all, repeated with the same rows in the same order. A column that is not named as
-- a number is text; nothing between two commas is NULL, "" is an empty text. evidence and month come from the names of folders.
--
--     cd DIR && mkdir -p parquet && duckdb -bail <parquet.sql

COPY (SELECT * FROM read_csv('v_result/*/*/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr =
    '', allow_quoted_nulls = false, all_varchar = true, hive_partitioning = true, hive_types_autocast = false, types =
    {result_id: 'BIGINT', round_order: 'BIGINT', devices: 'BIGINT', nodes: 'BIGINT', rank: 'BIGINT', n: 'BIGINT',
    point_id: 'BIGINT', process_id: 'BIGINT', entry_id: 'BIGINT', entry_key: 'BIGINT', ordinal: 'BIGINT', subject:
    'BIGINT', preferred: 'BIGINT', sources: 'BIGINT', disagree: 'BIGINT', adds: 'BIGINT', x: 'DOUBLE', value: 'DOUBLE',
    low: 'DOUBLE', high: 'DOUBLE', total: 'DOUBLE', each: 'DOUBLE', checked_share: 'DOUBLE'})) TO
    'parquet/v_result.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_sample/*/*/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr =
    '', allow_quoted_nulls = false, all_varchar = true, hive_partitioning = true, hive_types_autocast = false, types =
    {result_id: 'BIGINT', seq: 'BIGINT', rank: 'BIGINT', entry_id: 'BIGINT', ordinal: 'BIGINT', t_s: 'DOUBLE', value:
    'DOUBLE'})) TO 'parquet/v_sample.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_run_factor/*/*/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr
    = '', allow_quoted_nulls = false, all_varchar = true, hive_partitioning = true, hive_types_autocast = false, types =
    {entry_id: 'BIGINT', point_id: 'BIGINT', num: 'DOUBLE'})) TO 'parquet/v_run_factor.parquet' (FORMAT parquet,
    COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_kernel/*/*/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr =
    '', allow_quoted_nulls = false, all_varchar = true, hive_partitioning = true, hive_types_autocast = false, types =
    {n: 'BIGINT', result_id: 'BIGINT', bound_id: 'BIGINT', entry_id: 'BIGINT', process_id: 'BIGINT', time_s: 'DOUBLE',
    time_low_s: 'DOUBLE', time_high_s: 'DOUBLE', flops_per_s: 'DOUBLE', bytes_per_s: 'DOUBLE', intensity_flop_per_B:
    'DOUBLE'})) TO 'parquet/v_kernel.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_mlperf/*/*/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr =
    '', allow_quoted_nulls = false, all_varchar = true, hive_partitioning = true, hive_types_autocast = false, types =
    {result_id: 'BIGINT', round_order: 'BIGINT', devices: 'BIGINT', nodes: 'BIGINT', rank: 'BIGINT', n: 'BIGINT',
    point_id: 'BIGINT', process_id: 'BIGINT', entry_id: 'BIGINT', entry_key: 'BIGINT', ordinal: 'BIGINT', subject:
    'BIGINT', preferred: 'BIGINT', sources: 'BIGINT', disagree: 'BIGINT', adds: 'BIGINT', x: 'DOUBLE', value: 'DOUBLE',
    low: 'DOUBLE', high: 'DOUBLE', total: 'DOUBLE', each: 'DOUBLE', value_per_device: 'DOUBLE', checked_share:
    'DOUBLE'})) TO 'parquet/v_mlperf.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_spec/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, all_varchar = true, types = {preferred: 'BIGINT', spec_id: 'BIGINT', spec_key: 'BIGINT',
    power_limit: 'DOUBLE', value: 'DOUBLE'})) TO 'parquet/v_spec.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_price_offer/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr =
    '', allow_quoted_nulls = false, all_varchar = true, types = {devices: 'BIGINT', offered: 'BIGINT', price_id:
    'BIGINT', per_device_hour: 'DOUBLE', stated: 'DOUBLE', usd: 'DOUBLE'})) TO 'parquet/v_price_offer.parquet' (FORMAT
    parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_device/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, all_varchar = true, types = {dies: 'BIGINT', year: 'BIGINT'})) TO
    'parquet/v_device.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_model/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, all_varchar = true, types = {layers: 'BIGINT', hidden_size: 'BIGINT', heads: 'BIGINT',
    kv_heads: 'BIGINT', vocabulary: 'BIGINT', accuracy_target: 'DOUBLE', parameters: 'DOUBLE', parameters_active:
    'DOUBLE'})) TO 'parquet/v_model.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_source/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, all_varchar = true, types = {rank: 'BIGINT'})) TO 'parquet/v_source.parquet' (FORMAT
    parquet, COMPRESSION zstd);
COPY (SELECT * FROM read_csv('v_column/data.csv', header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    allow_quoted_nulls = false, all_varchar = true, types = {place: 'BIGINT'})) TO 'parquet/v_column.parquet' (FORMAT
    parquet, COMPRESSION zstd);
