-- 050_mlperf.sql - MLPerf performance, in total and per device.

-- One MLPerf performance result; not the single runs of a training score. value_per_device is derived: not an official or verified metric.
-- left_out says why a row cannot stand for its device in a ranking; '' where it can.
CREATE VIEW v_mlperf AS
SELECT r.*, (SELECT m.task FROM model m WHERE m.model = r.model) AS task,
       (SELECT m.family FROM model m WHERE m.model = r.model) AS family,
       r.each AS value_per_device,
       (SELECT CASE WHEN f.flags LIKE '% mixed %' THEN 'mixed accelerators'
                    WHEN lower(r.raw_device) LIKE '%power cap%' THEN 'power-capped'
                    WHEN f.flags LIKE '% devices-disagree %' THEN 'device count disagrees'
                    WHEN r.disagree = 1 THEN 'sources disagree'
                    WHEN f.flags LIKE '% errors %' THEN 'errors'
                    WHEN coalesce(r.devices, 0) = 0 THEN 'device count unknown'
                    ELSE '' END
          FROM (SELECT lower(' ' || r.flags || ' ') AS flags) f) AS left_out
  FROM v_result r
 WHERE r.evidence = 'mlperf' AND r.metric_class = 'performance'
   AND r.kind <> 'run';

-- One benchmark of one round, as spelt, counted; an index answers it.
CREATE VIEW v_round AS
SELECT e.suite AS suite, e.round AS round, e.round_order AS round_order, e.model AS raw_model, count(*) AS entries,
       (SELECT q.published FROM round q WHERE q.suite = e.suite AND q.round = e.round) AS published
  FROM entry e WHERE e.round IS NOT NULL GROUP BY e.round, e.model, e.suite, e.round_order;

INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_mlperf', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_mlperf', 71, 'task', '', 'what the model does (v_model)'),
('v_mlperf', 72, 'family', '', 'the same network at other accuracy targets'),
('v_mlperf', 73, 'value_per_device', 'unit', 'derived: each; not an official or verified MLPerf metric'),
('v_mlperf', 74, 'left_out', '', 'why the row cannot stand for its device in a ranking'),
('v_round', 1, 'suite', '', 'inference, training, ...'),
('v_round', 2, 'round', '', 'version of the suite'),
('v_round', 3, 'round_order', '', 'the round as a number that sorts: v10.0 after v6.0; NULL: none'),
('v_round', 4, 'raw_model', '', 'model as published'),
('v_round', 5, 'entries', '', 'entries, of all sources'),
('v_round', 6, 'published', '', 'date on which results of the round were published (v_mlperf_round)');
