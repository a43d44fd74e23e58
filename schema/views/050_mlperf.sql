-- 050_mlperf.sql - MLPerf performance, in total and per device.

-- One MLPerf performance result; not the single runs of a training score. value_per_device is derived: not an official or verified metric.
-- left_out says why a row cannot stand for its device in a ranking; '' where it can.
CREATE VIEW v_mlperf AS
SELECT r.result_id AS result_id, r.key AS key, r.run AS run, r.evidence AS evidence, r.source AS source,
       r.artifact AS artifact, r.locator AS locator, r.verified AS verified, r.public_id AS public_id, r.url AS url,
       r.retrieved AS retrieved, r.submitter AS submitter, r.suite AS suite, r.system_type AS system_type, r.round AS round,
       r.round_order AS round_order, r.division AS division, r.availability AS availability, r.scenario AS scenario,
       r.workload AS workload, r.model AS model, r.system AS system, r.platform AS platform, r.device AS device,
       r.raw_device AS raw_device, r.devices AS devices, r.nodes AS nodes, r.backend AS backend, r.dtype AS dtype,
       r.number_format AS number_format, r.metric AS metric, r.metric_class AS metric_class, r.statistic AS statistic,
       r.rank AS rank, r.x AS x, r.value AS value, r.unit AS unit, r.better AS better, r.per AS per, r.medium AS medium,
       r.n AS n, r.low AS low, r.high AS high, r.spread AS spread, r.verdict AS verdict, r.flags AS flags,
       r.raw_value AS raw_value, r.raw_unit AS raw_unit, r.formula AS formula, r.date AS date, r.date_kind AS date_kind,
       r.date_precision AS date_precision, r.tag AS tag, r.campaign AS campaign, r.cell AS cell, r.point_id AS point_id,
       r.process_id AS process_id, r.entry_id AS entry_id, r.entry_key AS entry_key, r.ordinal AS ordinal,
       r.subject AS subject, r.preferred AS preferred, r.sources AS sources, r.disagree AS disagree, r.raw_model AS raw_model,
       r.raw_workload AS raw_workload, r.kind AS kind, r.adds AS adds, r.total AS total, r.each AS each,
       (SELECT m.task FROM model m WHERE m.model = r.model) AS task,
       (SELECT m.family FROM model m WHERE m.model = r.model) AS family,
       r.each AS value_per_device,
       CAST((SELECT CASE WHEN f.flags LIKE '% mixed %' THEN 'mixed accelerators'
                    WHEN lower(r.raw_device) LIKE '%power cap%' THEN 'power-capped'
                    WHEN f.flags LIKE '% devices-disagree %' THEN 'device count disagrees'
                    WHEN r.disagree = 1 THEN 'sources disagree'
                    WHEN f.flags LIKE '% errors %' THEN 'errors'
                    WHEN coalesce(r.devices, 0) = 0 THEN 'device count unknown'
                    WHEN r.marks <> '' AND EXISTS (SELECT 1 FROM mark m WHERE m.effect <> 'show'
                                                      AND ' ' || r.marks || ' ' LIKE '% ' || m.mark || ' %') THEN r.marks
                    ELSE '' END
          FROM (SELECT lower(' ' || r.flags || ' ') AS flags) f) AS TEXT) AS left_out,
       r.marks AS marks, r.verified_by AS verified_by, r.checked_share AS checked_share,
       CAST(CASE WHEN length(r.date) >= 10 THEN substr(r.date, 1, 10) ELSE substr(r.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_result r
 WHERE r.evidence = 'mlperf' AND r.metric_class = 'performance'
   AND r.kind <> 'run';

-- One benchmark of one round, as spelt, counted; an index answers it.
CREATE VIEW v_round AS
SELECT e.suite AS suite, e.round AS round, e.round_order AS round_order, e.model AS raw_model, CAST(count(*) AS INTEGER) AS entries,
       (SELECT q.published FROM round q WHERE q.suite = e.suite AND q.round = e.round) AS published
  FROM entry e WHERE e.round IS NOT NULL GROUP BY e.round, e.model, e.suite, e.round_order;

INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_mlperf', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_result' AND place <= 70;
INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_mlperf', 71, 'task', '', 'what the model does (v_model)'),
('v_mlperf', 72, 'family', '', 'the same network at other accuracy targets'),
('v_mlperf', 73, 'value_per_device', 'unit', 'derived: each; not an official or verified MLPerf metric'),
('v_mlperf', 74, 'left_out', '', 'why the row cannot stand for its device in a ranking; of a mark the mark; an empty text: it can'),
('v_mlperf', 75, 'marks', '', 'judgements on the row, blanks between (v_mark); an empty text: none'),
('v_mlperf', 76, 'verified_by', '', 'mlcommons, file, abdb or program (v_result)'),
('v_mlperf', 77, 'checked_share', '1', 'share of the outputs that was compared'),
('v_round', 1, 'suite', '', 'inference, training, ...'),
('v_round', 2, 'round', '', 'version of the suite'),
('v_round', 3, 'round_order', '', 'the round as a number that sorts: v10.0 after v6.0; NULL: none'),
('v_round', 4, 'raw_model', '', 'model as published'),
('v_round', 5, 'entries', '', 'entries, of all sources'),
('v_round', 6, 'published', '', 'date on which results of the round were published (v_mlperf_round)');
