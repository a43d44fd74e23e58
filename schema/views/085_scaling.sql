-- 085_scaling.sql - how well a rate or time scales with devices.

-- One result of more devices against the one of fewest that its source tells of the same work, with the same factors.
-- throughput: (R_n/n)/(R_base/n_base); strong: T_base n_base/(n T_n); weak: T_base/T_n (factor `scaling`).
-- Submissions of MLPerf are systems of their own and not compared here; a wire's rate does not scale.
CREATE VIEW v_scaling AS
SELECT g.result_id AS result_id, 'scaling_efficiency@1' AS formula,
       CASE g.kind WHEN 'throughput' THEN g.value / g.devices / (g.base_value / g.base_devices)
                   WHEN 'strong' THEN g.base_value * g.base_devices / (g.devices * g.value)
                   ELSE g.base_value / g.value END AS value,
       g.kind AS kind, g.device AS device, g.workload AS workload, g.model AS model, g.metric AS metric, g.devices AS devices,
       g.base_devices AS base_devices, g.base_id AS base_id, g.source AS source, g.entry_id AS entry_id, g.ordinal AS ordinal,
       g.key AS key, g.base_key AS base_key
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
 WHERE g.devices > g.base_devices;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_scaling', 1, 'result_id', '', 'number of the result of more devices in this file (v_result)'),
('v_scaling', 2, 'formula', '', 'name@version'),
('v_scaling', 3, 'value', '1', 'efficiency; 1: perfect'),
('v_scaling', 4, 'kind', '', 'throughput, strong or weak'),
('v_scaling', 5, 'device', '', 'canonical device'),
('v_scaling', 6, 'workload', '', 'what was run'),
('v_scaling', 7, 'model', '', 'model'),
('v_scaling', 8, 'metric', '', 'metric'),
('v_scaling', 9, 'devices', '', 'devices that took part'),
('v_scaling', 10, 'base_devices', '', 'devices of the base'),
('v_scaling', 11, 'base_id', '', 'number of the base in this file (v_result)'),
('v_scaling', 12, 'source', '', 'who states both'),
('v_scaling', 13, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_scaling', 14, 'ordinal', '', 'place of the result in the run'),
('v_scaling', 15, 'key', '', 'printed key of the result of more devices'),
('v_scaling', 16, 'base_key', '', 'printed key of the base');
