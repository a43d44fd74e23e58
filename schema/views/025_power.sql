-- 025_power.sql - power and energy, one definition each: at the wall, at a supply, by counters, provisioned, or rated.

-- The definition of the power and energy of a run: stated by factor power_definition; else MLPerf Power's, which measures at the
-- wall (Tiny: at the supply of the board); else counters, where their scope is stated. NULL: unknown.
CREATE VIEW power_defined AS
SELECT e.entry_id AS entry_id, e.point_id AS point_id,
       CAST(coalesce((SELECT p.text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'power_definition' AND p.state = 'known'),
            CASE WHEN e.evidence = 'mlperf' THEN CASE e.suite WHEN 'tiny' THEN 'supply' ELSE 'wall' END
                 WHEN EXISTS (SELECT 1 FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'energy_scope' AND p.state = 'known')
                 THEN 'counters' END) AS TEXT) AS definition
  FROM entry e;

-- One power or energy of a run, with its definition and what its source states about the method.
CREATE VIEW v_power AS
SELECT r.result_id AS result_id, r.key AS key, r.metric AS metric, r.statistic AS statistic, r.value AS value, r.unit AS unit,
       d.definition AS definition,
       (SELECT p.text FROM point_factor p WHERE p.point_id = d.point_id AND p.factor = 'energy_scope') AS scope,
       (SELECT p.text FROM point_factor p WHERE p.point_id = d.point_id AND p.factor = 'power_meter') AS meter,
       (SELECT p.text FROM point_factor p WHERE p.point_id = d.point_id AND p.factor = 'power_level') AS level,
       r.device AS device, r.devices AS devices, r.nodes AS nodes, r.evidence AS evidence, r.suite AS suite, r.round AS round, r.system AS system,
       r.workload AS workload, r.model AS model, r.scenario AS scenario, r.source AS source, r.marks AS marks, r.run AS run,
       r.entry_id AS entry_id, r.ordinal AS ordinal
  FROM v_result r
  JOIN power_defined d ON d.entry_id = r.entry_id
 WHERE r.metric_class IN ('power', 'energy') OR r.metric LIKE 'energy_per_%';

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_power', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_power', 2, 'key', '', 'printed key made from the content: to cite'),
('v_power', 3, 'metric', '', 'power_w, energy_j or an energy of one unit of work'),
('v_power', 4, 'statistic', '', 'mean, value, ...'),
('v_power', 5, 'value', 'unit', 'in the base unit, of all devices together'),
('v_power', 6, 'unit', '', 'base unit'),
('v_power', 7, 'definition', '', 'wall, supply, counters, provisioned or rated; NULL: unknown. Two definitions are never compared'),
('v_power', 8, 'scope', '', 'of counters: what they cover'),
('v_power', 9, 'meter', '', 'meter or interface, as its source states it'),
('v_power', 10, 'level', '', 'level 1, 2 or 3 of the EE HPC WG methodology, as its source states it'),
('v_power', 11, 'device', '', 'canonical device'),
('v_power', 12, 'devices', '', 'devices that took part'),
('v_power', 13, 'nodes', '', 'nodes'),
('v_power', 14, 'evidence', '', 'measured, published or mlperf'),
('v_power', 15, 'suite', '', 'suite of benchmarks'),
('v_power', 16, 'round', '', 'version of the suite'),
('v_power', 17, 'system', '', 'system'),
('v_power', 18, 'workload', '', 'what was run'),
('v_power', 19, 'model', '', 'model'),
('v_power', 20, 'scenario', '', 'scenario'),
('v_power', 21, 'source', '', 'who says it'),
('v_power', 22, 'marks', '', 'judgements on the row, blanks between (v_mark)'),
('v_power', 23, 'run', '', 'printed key of the run'),
('v_power', 24, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_power', 25, 'ordinal', '', 'place of the result in the run');
