-- 085_scaling.sql - how well a rate or time scales with devices.

-- One result of more devices against the one of fewest that its source tells of the same work, with the same factors.
-- speedup: throughput: R_n/R_base; strong: T_base/T_n; weak: n/n_base T_base/T_n (factor `scaling`); stated: as its source
-- says, of the devices of factor base_devices. Efficiency: speedup / (n/n_base).
-- The window puts the results of equal work in the order of their devices; its first is the base, and gets no row itself.
-- Submissions of MLPerf are systems of their own and not compared here; a wire's rate does not scale.
CREATE VIEW v_scaling AS
SELECT g.result_id AS result_id, CAST('scaling_efficiency@1' AS TEXT) AS formula,
       CAST(CASE g.kind WHEN 'weak' THEN g.base_value / g.value WHEN 'strong' THEN g.base_value * g.base_devices / (g.devices * g.value)
                   ELSE g.value / g.devices / (g.base_value / g.base_devices) END AS DOUBLE PRECISION) AS value,
       CAST(CASE g.kind WHEN 'weak' THEN g.base_value / g.value * g.devices / g.base_devices WHEN 'strong' THEN g.base_value / g.value
                   ELSE g.value / g.base_value END AS DOUBLE PRECISION) AS speedup,
       CAST(g.kind AS TEXT) AS kind, g.device AS device, g.workload AS workload, g.model AS model, g.metric AS metric, g.devices AS devices,
       CAST(g.base_devices AS INTEGER) AS base_devices,
       CAST(g.base_id AS BIGINT) AS base_id, g.source AS source, g.entry_id AS entry_id, g.ordinal AS ordinal,
       g.key AS key, CAST(g.base_key AS TEXT) AS base_key
  FROM (SELECT s.*,
               first_value(s.devices) OVER w AS base_devices, first_value(s.value) OVER w AS base_value,
               first_value(s.result_id) OVER w AS base_id, first_value(s.key) OVER w AS base_key
          FROM (SELECT r.result_id, r.key, r.entry_id, r.ordinal, r.source, r.device, r.workload, r.model, r.scenario, r.metric,
                       r.statistic, r.x, r.devices, r.point_id, r.campaign, r.tag, r.dtype,
                       CASE r.adds WHEN 1 THEN r.total ELSE r.value END AS value,
                       CASE r.adds WHEN 1 THEN 'throughput'
                            ELSE (SELECT g.text FROM point_factor g WHERE g.point_id = r.point_id AND g.factor = 'scaling') END AS kind
                  FROM (SELECT d.source, d.device FROM description d GROUP BY d.source, d.device
                        HAVING min(d.devices) < max(d.devices)) more -- else there is nothing to scale
                  JOIN v_result r ON r.source = more.source AND r.raw_device = more.device
                 WHERE r.evidence <> 'mlperf' AND r.devices > 0 AND r.value > 0
                   AND ((r.adds = 1 AND r.unit <> 'B/s') OR (r.metric = 'time_s' AND EXISTS (
                        SELECT 1 FROM point_factor g WHERE g.point_id = r.point_id AND g.factor = 'scaling'
                           AND g.text IN ('strong', 'weak'))))) s
        WINDOW w AS (PARTITION BY s.source, s.device, s.workload, s.model, s.scenario, s.metric, s.statistic, s.x,
                                  s.dtype, s.point_id, s.campaign, s.tag, s.kind
                     ORDER BY s.devices, s.key)) g
 WHERE g.devices > g.base_devices
UNION ALL
SELECT t.result_id, CAST('scaling_efficiency@1' AS TEXT), CAST(t.value * b.num / t.devices AS DOUBLE PRECISION),
       CAST(t.value AS DOUBLE PRECISION), CAST('stated' AS TEXT), t.device, t.workload, t.model, t.metric,
       t.devices, CAST(b.num AS INTEGER), CAST(NULL AS INTEGER), t.source, t.entry_id, t.ordinal, t.key, CAST(NULL AS TEXT)
  FROM v_result t
  JOIN point_factor b ON b.point_id = t.point_id AND b.factor = 'base_devices' AND b.num > 0
 WHERE t.evidence = 'published' AND t.metric = 'speedup' AND t.devices > 0;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_scaling', 1, 'result_id', '', 'number of the result of more devices in this file (v_result)'),
('v_scaling', 2, 'formula', '', 'name@version'),
('v_scaling', 3, 'value', '1', 'efficiency; 1: perfect'),
('v_scaling', 4, 'speedup', '1', 'against the base'),
('v_scaling', 5, 'kind', '', 'throughput, strong or weak; stated: a speedup as its source says'),
('v_scaling', 6, 'device', '', 'canonical device'),
('v_scaling', 7, 'workload', '', 'what was run'),
('v_scaling', 8, 'model', '', 'model'),
('v_scaling', 9, 'metric', '', 'metric'),
('v_scaling', 10, 'devices', '', 'devices that took part'),
('v_scaling', 11, 'base_devices', '', 'devices of the base'),
('v_scaling', 12, 'base_id', '', 'number of the base in this file (v_result); NULL where it is not told'),
('v_scaling', 13, 'source', '', 'who states both'),
('v_scaling', 14, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_scaling', 15, 'ordinal', '', 'place of the result in the run'),
('v_scaling', 16, 'key', '', 'printed key of the result of more devices'),
('v_scaling', 17, 'base_key', '', 'printed key of the base');
