-- 040_measured.sql - kernels measured here, one row per cell, and this machine's ceilings.

-- One measured cell: its median time and what follows from the kernel's work.
CREATE VIEW v_kernel AS
SELECT printf('e-%016x', e.entry_key) AS run, e.campaign AS campaign, e.tag AS tag, e.date AS date,
       e.workload AS kernel, e.backend AS backend, e.dtype AS dtype, e.device AS device,
       e.cell AS cell, e.status AS status, e.reason AS reason, e.verified AS verified,
       e.flags AS flags,
       (SELECT t.value FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'time_s' AND t.statistic = 'median') AS time_s,
       (SELECT t.low FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'time_s' AND t.statistic = 'median') AS time_low_s,
       (SELECT t.high FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'time_s' AND t.statistic = 'median') AS time_high_s,
       (SELECT t.n FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'time_s' AND t.statistic = 'median') AS n,
       (SELECT t.value FROM result t WHERE t.entry_id = e.entry_id AND t.metric IN ('flops_per_s', 'ops_per_s')) AS flops_per_s,
       (SELECT t.value FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'bytes_per_s') AS bytes_per_s,
       (SELECT t.value FROM result t WHERE t.entry_id = e.entry_id AND t.metric IN ('flops_per_s', 'ops_per_s'))
         / nullif((SELECT t.value FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'bytes_per_s'), 0) AS intensity_flop_per_B,
       (SELECT text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'threads') AS threads,
       (SELECT text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'chosen') AS chosen,
       (SELECT text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'operation') AS operation,
       coalesce((SELECT text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'level'), 'memory') AS level,
       (SELECT printf('r-%016x-%d', e.entry_key, t.ordinal) FROM result t WHERE t.entry_id = e.entry_id AND t.metric = 'time_s' AND t.statistic = 'median') AS result_id,
       e.entry_id AS entry_id
  FROM entry e
 WHERE e.evidence = 'measured' AND coalesce(e.source, '') = 'abdb-run'; -- no use of the index of sources: most rows are of this one

-- The best that was measured on a device: by dtype the best verified fused multiply-adds in registers, or
-- matrix product where there are none or they are slower, and the best verified stream of memory, not of a
-- cache. Quantities as in v_spec.
CREATE VIEW v_ceiling AS
SELECT device, 'peak_flops' AS quantity, dtype, max(flops_per_s) AS value, 'FLOP/s' AS unit,
       CASE kernel WHEN 'fma' THEN 'multiply-adds in registers' ELSE 'best matrix product measured' END AS what, result_id AS result_id -- of the row with the maximum
  FROM v_kernel WHERE kernel IN ('gemm', 'fma') AND verified = 'pass' GROUP BY device, dtype
UNION ALL
SELECT device, 'memory_bandwidth', NULL, max(bytes_per_s), 'B/s', 'best stream measured', result_id
  FROM v_kernel WHERE kernel = 'stream' AND verified = 'pass' AND level = 'memory' GROUP BY device;

INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_kernel', 1, 'run', '', 'key of the entry (v_run)'),
('v_kernel', 2, 'campaign', '', 'one command of abdb run'),
('v_kernel', 3, 'tag', '', 'name given by the user'),
('v_kernel', 4, 'date', '', 'when it ran, UTC'),
('v_kernel', 5, 'kernel', '', 'the mathematics'),
('v_kernel', 6, 'backend', '', 'program that ran it'),
('v_kernel', 7, 'dtype', '', 'number format'),
('v_kernel', 8, 'device', '', 'this machine''s device'),
('v_kernel', 9, 'cell', '', 'kernel, backend and parameters'),
('v_kernel', 10, 'status', '', 'ok, or why there is no result'),
('v_kernel', 11, 'reason', '', 'words for it'),
('v_kernel', 12, 'verified', '', 'pass, fail or unchecked'),
('v_kernel', 13, 'flags', '', 'quick, unsteady, noisy, ...'),
('v_kernel', 14, 'time_s', 's', 'median time of one launch'),
('v_kernel', 15, 'time_low_s', 's', 'lower end of its 95 % interval'),
('v_kernel', 16, 'time_high_s', 's', 'upper end'),
('v_kernel', 17, 'n', '', 'samples'),
('v_kernel', 18, 'flops_per_s', 'FLOP/s', 'operations of the kernel''s formula / median time; of whole numbers too'),
('v_kernel', 19, 'bytes_per_s', 'B/s', 'bytes of the kernel''s formula / median time'),
('v_kernel', 20, 'intensity_flop_per_B', 'FLOP/B', 'operational intensity'),
('v_kernel', 21, 'threads', '', 'threads used'),
('v_kernel', 22, 'chosen', '', 'what the library chose'),
('v_kernel', 23, 'operation', '', 'operation of a stream kernel'),
('v_kernel', 24, 'level', '', 'cache that the operands were made for: L1, L2, L3, else memory'),
('v_kernel', 25, 'result_id', '', 'key of the time in v_result'),
('v_kernel', 26, 'entry_id', '', 'key of the entry'),
('v_ceiling', 1, 'device', '', 'this machine''s device'),
('v_ceiling', 2, 'quantity', '', 'peak_flops or memory_bandwidth'),
('v_ceiling', 3, 'dtype', '', 'number format of a peak'),
('v_ceiling', 4, 'value', 'unit', 'the best measured'),
('v_ceiling', 5, 'unit', '', 'base unit'),
('v_ceiling', 6, 'what', '', 'how it was found'),
('v_ceiling', 7, 'result_id', '', 'key of the result that is the best');
