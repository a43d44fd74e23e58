-- aiconfigurator.sql - the 12.6 million timed kernels of the wheel aiconfigurator-core in DuckDB, with abdb's formulas: unpack the
-- wheel, change to aiconfigurator_core/systems/data, then `duckdb -init SCALE/aiconfigurator.sql`. latency is in ms.
CREATE MACRO gemm_flops_per_s(m, n, k, latency) AS 2.0 * m * n * k / (latency / 1000);
-- message_size counts elements
CREATE MACRO all_reduce_busbw_bytes_per_s(message_size, element_bytes, devices, latency) AS
    1.0 * message_size * element_bytes * 2 * (devices - 1) / devices / (latency / 1000);
CREATE VIEW gemm AS
SELECT split_part(filename, '/', -5) AS system, *, gemm_flops_per_s(m, n, k, latency) AS flops_per_s
  FROM read_parquet('*/gemm/*/*/gemm_perf.parquet', filename = true, union_by_name = true);
CREATE VIEW all_reduce AS
SELECT split_part(filename, '/', -5) AS system, *,
       all_reduce_busbw_bytes_per_s(message_size, CASE nccl_dtype WHEN 'half' THEN 2 WHEN 'int8' THEN 1 END, num_gpus, latency) AS busbw_bytes_per_s
  FROM read_parquet('*/comm/nccl/*/nccl_perf.parquet', filename = true, union_by_name = true) WHERE op_name = 'all_reduce';
-- the best product of each system and format: SELECT system, gemm_dtype, max(flops_per_s) / 1e12 FROM gemm GROUP BY ALL ORDER BY ALL;
