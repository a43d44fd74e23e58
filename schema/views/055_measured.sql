-- 055_measured.sql - kernels measured here, one row per cell, and the ceilings of machines.
-- What bounds a kernel and which cells were made to find a ceiling are factors of the record: no view names a kernel.

-- One measured cell: its median time and what follows from the kernel's work.
CREATE VIEW v_kernel AS
SELECT k.run AS run, k.campaign AS campaign, k.tag AS tag, k.date AS date, k.raw_workload AS kernel, k.backend AS backend,
       k.dtype AS dtype, k.number_format AS number_format, k.device AS device, k.cell AS cell, k.status AS status, k.reason AS reason,
       k.verified AS verified, k.flags AS flags, t.value AS time_s, t.low AS time_low_s, t.high AS time_high_s, t.n AS n,
       o.value AS flops_per_s, b.value AS bytes_per_s, CAST(o.value / nullif(b.value, 0) AS DOUBLE PRECISION) AS intensity_flop_per_B,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'threads') AS threads,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'chosen') AS chosen,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'operation') AS operation,
       CAST(coalesce((SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'level'), 'memory') AS TEXT) AS level,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'bound') AS bound,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'ceiling') AS ceiling,
       t.result_id AS result_id, CAST('r-' || substr(k.run, 3) || '-' || t.ordinal AS TEXT) AS key,
       CAST(CASE (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'bound')
         WHEN 'bytes' THEN b.result_id WHEN 'operations' THEN o.result_id END AS BIGINT) AS bound_id,
       k.raw_device AS raw_device, k.entry_id AS entry_id, k.process_id AS process_id,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'resident') AS resident,
       (SELECT p.text FROM point_factor p WHERE p.point_id = k.point_id AND p.factor = 'provider') AS provider,
       CAST((SELECT nullif(substr(
              coalesce(max(CASE n.factor WHEN 'd' THEN ', ' || n.text || ' of ' || o.text || ' d' END), '') ||
              coalesce(max(CASE n.factor WHEN 'heads' THEN ', ' || n.text || ' of ' || o.text || ' heads' END), '') ||
              coalesce(max(CASE n.factor WHEN 'layers' THEN ', ' || n.text || ' of ' || o.text || ' layers' END), '') ||
              coalesce(max(CASE n.factor WHEN 'lookups' THEN ', ' || n.text || ' of ' || o.text || ' lookups' END), '') ||
              coalesce(max(CASE n.factor WHEN 'rows' THEN ', ' || n.text || ' of ' || o.text || ' rows' END), '') ||
              coalesce(max(CASE n.factor WHEN 'tables' THEN ', ' || n.text || ' of ' || o.text || ' tables' END), '') ||
              coalesce(max(CASE n.factor WHEN 'vocabulary' THEN ', ' || n.text || ' of ' || o.text || ' vocabulary' END), ''), 3), '')
          FROM point_factor o JOIN point_factor n ON n.point_id = o.point_id AND n.factor = substr(o.factor, 1, length(o.factor) - 3)
         WHERE o.point_id = k.point_id AND n.text <> o.text
           AND o.factor IN ('layers_of', 'd_of', 'heads_of', 'vocabulary_of', 'rows_of', 'tables_of', 'lookups_of')) AS TEXT) AS slice,
       CAST(CASE WHEN k.flags LIKE '%imprecise%' OR k.flags LIKE '%unsteady%' THEN 1 ELSE 0 END AS INTEGER) AS in_doubt,
       CAST(CASE WHEN length(k.date) >= 10 THEN substr(k.date, 1, 10) ELSE substr(k.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM (SELECT e.*,
               (SELECT r.result_id FROM result r
                 WHERE r.entry_id = e.entry_id AND r.metric = 'time_s' AND r.statistic = 'median' AND r.rank IS NULL) AS time_id,
               (SELECT r.result_id FROM result r
                 WHERE r.entry_id = e.entry_id AND r.metric IN ('flops_per_s', 'ops_per_s') AND r.rank IS NULL) AS rate_id,
               (SELECT r.result_id FROM result r
                 WHERE r.entry_id = e.entry_id AND r.metric = 'bytes_per_s' AND r.rank IS NULL) AS bytes_id
          FROM v_run e
         WHERE e.evidence = 'measured' AND e.source = 'abdb-run') k
  LEFT JOIN result_row t ON t.result_id = k.time_id
  LEFT JOIN result_row o ON o.result_id = k.rate_id
  LEFT JOIN result_row b ON b.result_id = k.bytes_id;

-- One verified cell that was made to find a ceiling of a device (factor `ceiling`), and its rate.
CREATE VIEW v_ceiling_cell AS
SELECT n.canon AS device, p.text AS quantity, CAST(CASE WHEN p.text = 'memory_bandwidth' THEN NULL ELSE e.dtype END AS TEXT) AS dtype,
       r.value AS value, r.unit AS unit, e.workload AS kernel, r.result_id AS result_id,
       CAST('r-' || substr(e.run, 3) || '-' || r.ordinal AS TEXT) AS key, e.devices AS devices
  FROM name n
  JOIN entry e ON e.device = n.spelling
  JOIN point_factor p ON p.point_id = e.point_id AND p.factor = 'ceiling'
  JOIN result r ON r.entry_id = e.entry_id
   AND r.metric = CASE p.text WHEN 'memory_bandwidth' THEN 'bytes_per_s' WHEN 'peak_flops' THEN 'flops_per_s'
                              WHEN 'peak_ops' THEN 'ops_per_s' END
 WHERE n.kind = 'device' AND n.parts = 1 AND e.evidence = 'measured' AND e.verified = 'pass';

-- The best that was measured under each spelling of a device. No more than joins, so that an index leads from a device to
-- its ceilings for whoever asks for one device after the other.
CREATE VIEW ceiling_spelt AS
SELECT n.whole AS device, o.quantity AS quantity,
       CAST(nullif(o.dtype, '') AS TEXT) AS dtype, r.value AS value, r.unit AS unit, e.workload AS workload,
       e.run AS run, r.ordinal AS ordinal, e.devices AS devices, o.result_id AS result_id, e.entry_key AS entry_key
  FROM name n
  JOIN ceiling_best o ON o.device = n.spelling
  JOIN result r ON r.result_id = o.result_id
  JOIN entry e ON e.entry_id = r.entry_id
 WHERE n.kind = 'device' AND n.part = 1;

-- The best that was measured on a device, by quantity as v_spec has it, and by dtype where it is a peak: of the best of each
-- spelling of the device.
CREATE VIEW v_ceiling AS
SELECT c.device AS device, c.quantity AS quantity, c.dtype AS dtype, c.value AS value, c.unit AS unit,
       CAST('best ' || c.workload || ' measured' AS TEXT) AS what, c.result_id AS result_id,
       CAST('r-' || substr(c.run, 3) || '-' || c.ordinal AS TEXT) AS key,
       c.devices AS devices, CAST(c.value / coalesce(nullif(c.devices, 0), 1) AS DOUBLE PRECISION) AS each
  FROM (SELECT b.*, row_number() OVER (PARTITION BY b.device, b.quantity, b.dtype ORDER BY b.value DESC, b.entry_key) AS place
          FROM ceiling_spelt b) c
 WHERE c.place = 1;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_kernel', 1, 'run', '', 'printed key of the run (v_run)'),
('v_kernel', 2, 'campaign', '', 'one command of abdb run; an index leads to it'),
('v_kernel', 3, 'tag', '', 'name given by the user'),
('v_kernel', 4, 'date', '', 'when it ran, UTC'),
('v_kernel', 5, 'kernel', '', 'the mathematics'),
('v_kernel', 6, 'backend', '', 'program that ran it'),
('v_kernel', 7, 'dtype', '', 'number format'),
('v_kernel', 8, 'number_format', '', 'the number format as specifications spell it'),
('v_kernel', 9, 'device', '', 'canonical device of this machine'),
('v_kernel', 10, 'cell', '', 'kernel, backend and parameters'),
('v_kernel', 11, 'status', '', 'ok, or why there is no result'),
('v_kernel', 12, 'reason', '', 'words for it'),
('v_kernel', 13, 'verified', '', 'pass, fail or unchecked'),
('v_kernel', 14, 'flags', '', 'quick, unsteady, noisy, ...'),
('v_kernel', 15, 'time_s', 's', 'median time of one launch'),
('v_kernel', 16, 'time_low_s', 's', 'lower end of its 95 % interval'),
('v_kernel', 17, 'time_high_s', 's', 'upper end'),
('v_kernel', 18, 'n', '', 'samples'),
('v_kernel', 19, 'flops_per_s', 'FLOP/s', 'operations of the kernel''s formula / median time; of whole numbers too'),
('v_kernel', 20, 'bytes_per_s', 'B/s', 'bytes of the kernel''s formula / median time'),
('v_kernel', 21, 'intensity_flop_per_B', 'FLOP/B', 'operational intensity'),
('v_kernel', 22, 'threads', '', 'threads used'),
('v_kernel', 23, 'chosen', '', 'what the library chose'),
('v_kernel', 24, 'operation', '', 'operation of a stream kernel'),
('v_kernel', 25, 'level', '', 'cache that the operands were made for: L1, L2, L3, else memory'),
('v_kernel', 26, 'bound', '', 'what limits this kernel: operations or bytes; NULL: the record does not say'),
('v_kernel', 27, 'ceiling', '', 'ceiling that this cell was made to find: peak_flops, peak_ops or memory_bandwidth; else NULL'),
('v_kernel', 28, 'result_id', '', 'number of the median time in this file (v_result)'),
('v_kernel', 29, 'key', '', 'its printed key'),
('v_kernel', 30, 'bound_id', '', 'number of the rate that limits it in this file (v_result): what v_normalised divides by the ceiling'),
('v_kernel', 31, 'raw_device', '', 'device as the runner names it; an index leads to it'),
('v_kernel', 32, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_kernel', 33, 'process_id', '', 'number of the process that measured it in this file (v_process)'),
('v_kernel', 34, 'resident', '', 'nearest cache that holds all that a launch touches: L1, L2, L3; NULL: memory, or not known'),
('v_kernel', 35, 'provider', '', 'which implementation of the backend: a backend may have several of a kernel'),
('v_kernel', 36, 'slice', '', 'where a workload differs from its model: 4 of 32 layers; NULL: nowhere'),
('v_kernel', 37, 'in_doubt', '', '1: unsteady, or imprecise (fewer than 10 samples)'),
('v_ceiling', 1, 'device', '', 'canonical device'),
('v_ceiling', 2, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_ceiling', 3, 'dtype', '', 'number format of a peak'),
('v_ceiling', 4, 'value', 'unit', 'the best measured, of all devices that took part'),
('v_ceiling', 5, 'unit', '', 'base unit'),
('v_ceiling', 6, 'what', '', 'how it was found'),
('v_ceiling', 7, 'result_id', '', 'number of the result that is the best in this file (v_result)'),
('v_ceiling', 8, 'key', '', 'its printed key'),
('v_ceiling', 9, 'devices', '', 'devices that took part'),
('v_ceiling', 10, 'each', 'unit', 'of one of them: what a fraction is of (v_ceiling_of)'),
('v_ceiling_cell', 1, 'device', '', 'canonical device'),
('v_ceiling_cell', 2, 'quantity', '', 'ceiling that the cell was made to find'),
('v_ceiling_cell', 3, 'dtype', '', 'number format of a peak'),
('v_ceiling_cell', 4, 'value', 'unit', 'its rate'),
('v_ceiling_cell', 5, 'unit', '', 'base unit'),
('v_ceiling_cell', 6, 'kernel', '', 'the mathematics'),
('v_ceiling_cell', 7, 'result_id', '', 'number of the result in this file (v_result)'),
('v_ceiling_cell', 8, 'key', '', 'its printed key'),
('v_ceiling_cell', 9, 'devices', '', 'devices that took part');
