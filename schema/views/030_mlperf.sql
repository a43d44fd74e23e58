-- 030_mlperf.sql - MLPerf performance, in total and per device.

-- One MLPerf performance result; not the single runs of a training score. value_per_device is derived: not an official or verified metric.
-- left_out says why a row cannot stand for its device in a ranking; '' where it can.
CREATE VIEW v_mlperf AS
SELECT r.*, (SELECT m.task FROM model m WHERE m.model = r.model) AS task,
       (SELECT m.family FROM model m WHERE m.model = r.model) AS family,
       CASE WHEN r.devices > 0 THEN r.value / r.devices END AS value_per_device,
       (SELECT CASE WHEN f.flags LIKE '%mixed%' THEN 'mixed accelerators'
                    WHEN r.raw_device LIKE '%power cap%' THEN 'power-capped'
                    WHEN f.flags LIKE '%devices-disagree%' THEN 'device count disagrees'
                    WHEN r.disagree = 1 THEN 'sources disagree'
                    WHEN f.flags LIKE '%errors%' THEN 'errors'
                    WHEN coalesce(r.devices, 0) = 0 THEN 'device count unknown'
                    ELSE '' END
          FROM (SELECT r.flags AS flags) f) AS left_out
  FROM v_result r
 WHERE r.evidence = 'mlperf' AND r.metric_class = 'performance'
   AND r.kind <> 'run';

-- One benchmark of one round, as spelt, counted; an index answers it.
CREATE VIEW v_round AS
SELECT round, model AS raw_model, count(*) AS entries FROM entry WHERE round IS NOT NULL GROUP BY round, model;

INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_mlperf', place, column, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_mlperf', 59, 'task', '', 'what the model does (v_model)'),
('v_mlperf', 60, 'family', '', 'the same network at other accuracy targets'),
('v_mlperf', 61, 'value_per_device', 'unit', 'derived: value / devices; not an official or verified MLPerf metric'),
('v_mlperf', 62, 'left_out', '', 'why the row cannot stand for its device in a ranking'),
('v_round', 1, 'round', '', 'version of a suite'),
('v_round', 2, 'raw_model', '', 'model as published'),
('v_round', 3, 'entries', '', 'entries, of all sources');
