-- 010_evidence.sql - statements, results, runs, samples. Plain SQL, no extension.
-- What one column needs is a subquery, which costs only where the column is asked for; what several need is joined. To
-- join views use entry_id and ordinal (indexed numbers); result_id is their name for people and other databases.

-- One statement of one source.
CREATE VIEW v_statement AS
SELECT printf('r-%016x-%d', e.entry_key, r.ordinal) AS result_id,
       printf('e-%016x', e.entry_key) AS run,
       e.evidence AS evidence,
       e.source AS source,
       (SELECT min(a.path) FROM witness w JOIN artifact a USING (artifact_id)
         WHERE w.entry_id = e.entry_id) AS artifact,
       coalesce(r.cell, (SELECT min(w.locator) FROM witness w WHERE w.entry_id = e.entry_id)) AS locator,
       CASE WHEN s.verified = 1
            THEN 'yes' ELSE e.verified END AS verified,
       coalesce(e.public_id, s.public_id) AS public_id,
       coalesce(e.url, (SELECT q.url FROM source q WHERE q.source = e.source)) AS url,
       coalesce(e.retrieved, (SELECT q.retrieved FROM source q WHERE q.source = e.source)) AS retrieved,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'submitter' AND n.spelling = e.submitter AND n.part = 1),
                e.submitter) AS submitter,
       e.suite AS suite,
       e.system_type AS system_type,
       e.round AS round,
       e.division AS division,
       e.availability AS availability,
       e.scenario AS scenario,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'model' AND n.spelling = e.workload AND n.part = 1),
                e.workload) AS workload,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'model' AND n.spelling = e.model AND n.part = 1),
                e.model) AS model,
       e.system AS system,
       e.platform AS platform,
       coalesce(nd.whole, e.device) AS device,
       e.device AS raw_device,
       e.devices AS devices,
       e.nodes AS nodes,
       e.backend AS backend,
       e.dtype AS dtype,
       r.metric AS metric,
       (SELECT m.metric_class FROM metric m WHERE m.metric = CASE WHEN instr(r.metric, '.')
               THEN substr(r.metric, 1, instr(r.metric, '.') - 1) ELSE r.metric END) AS metric_class,
       r.statistic AS statistic,
       r.rank AS rank,
       r.x AS x,
       r.value AS value,
       r.unit AS unit,
       (SELECT m.better FROM metric m WHERE m.metric = CASE WHEN instr(r.metric, '.')
               THEN substr(r.metric, 1, instr(r.metric, '.') - 1) ELSE r.metric END) AS better,
       r.n AS n,
       r.low AS low,
       r.high AS high,
       r.spread AS spread,
       e.verified AS verdict,
       trim(e.flags || ' ' || coalesce(s.flags, '') ||
            CASE WHEN nd.parts > 1 THEN ' mixed' ELSE '' END) AS flags,
       r.raw_value AS raw_value,
       r.raw_unit AS raw_unit,
       r.formula AS formula,
       e.date AS date,
       e.tag AS tag,
       e.campaign AS campaign,
       e.cell AS cell,
       e.point_id AS point_id,
       e.entry_id AS entry_id,
       r.ordinal AS ordinal,
       coalesce(s.subject, e.entry_key) AS subject,
       coalesce(s.preferred, 1) AS preferred,
       coalesce(s.sources, 1) AS sources,
       coalesce(s.disagree, 0) AS disagree,
       e.model AS raw_model,
       e.workload AS raw_workload,
       e.kind AS kind
  FROM entry e
  JOIN result r ON r.entry_id = e.entry_id
  LEFT JOIN subject s ON s.entry_id = r.entry_id AND s.ordinal = r.ordinal
  LEFT JOIN name nd ON nd.kind = 'device' AND nd.spelling = e.device AND nd.part = 1
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = e.entry_id);

-- One statement as it is stored, nothing looked up: for counting.
CREATE VIEW v_stored AS
SELECT r.entry_id AS entry_id, r.ordinal AS ordinal, e.source AS source, e.evidence AS evidence, e.device AS raw_device,
       e.model AS raw_model, e.workload AS raw_workload, e.round AS round, r.metric AS metric, r.value AS value, r.unit AS unit
  FROM entry e
  JOIN result r ON r.entry_id = e.entry_id
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = e.entry_id);

-- One value of one metric: the preferred statement of it.
CREATE VIEW v_result AS SELECT * FROM v_statement WHERE preferred = 1;

-- One kind of device of a result.
CREATE VIEW v_result_device AS
SELECT printf('r-%016x-%d', e.entry_key, r.ordinal) AS result_id, n.canon AS device, CASE WHEN n.parts > 1 THEN n.share ELSE e.devices END AS devices,
       e.device AS raw_device
  FROM entry e
  JOIN result r ON r.entry_id = e.entry_id
  JOIN name n ON n.kind = 'device' AND n.spelling = e.device
UNION ALL -- names that are not resolved yet
SELECT printf('r-%016x-%d', e.entry_key, r.ordinal), e.device, e.devices, e.device
  FROM entry e
  JOIN result r ON r.entry_id = e.entry_id
 WHERE e.device IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = 'device' AND n.spelling = e.device);

-- One run, score or statement, failed ones too.
CREATE VIEW v_run AS
SELECT printf('e-%016x', e.entry_key) AS run, e.kind AS kind, e.status AS status, e.reason AS reason,
       e.backend AS backend, e.date AS date, e.tag AS tag, e.campaign AS campaign, e.cell AS cell,
       e.evidence AS evidence, e.source AS source, e.workload AS workload, e.device AS device,
       e.dtype AS dtype, e.verified AS verified, e.flags AS flags,
       (SELECT v.body FROM environment v WHERE v.environment_id = e.environment_id) AS environment
  FROM entry e;

-- Raw values.
CREATE VIEW v_sample AS
SELECT printf('r-%016x-%d', (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = s.entry_id), s.ordinal) AS result_id, s.seq AS seq, s.rank AS rank,
       s.t_s AS t_s, s.value AS value, s.mark AS mark, s.entry_id AS entry_id, s.ordinal AS ordinal
  FROM sample s;

CREATE VIEW v_telemetry AS
SELECT printf('e-%016x', (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = t.entry_id)) AS run, t.t_s AS t_s, t.device AS device,
       t.quantity AS quantity, t.value AS value, t.unit AS unit
  FROM telemetry t;

INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_result', 1, 'result_id', '', 'text key made from the fact''s content, the same in every database'),
('v_result', 2, 'run', '', 'the entry that this value belongs to (v_run)'),
('v_result', 3, 'evidence', '', 'measured, published or mlperf'),
('v_result', 4, 'source', '', 'who says it (v_source)'),
('v_result', 5, 'artifact', '', 'file that says it'),
('v_result', 6, 'locator', '', 'line, JSON path or cell in that file'),
('v_result', 7, 'verified', '', 'yes or no: reviewed by MLCommons; pass, fail, unchecked: outputs of a kernel'),
('v_result', 8, 'public_id', '', 'result ID of the publisher'),
('v_result', 9, 'url', '', 'where it was published'),
('v_result', 10, 'retrieved', '', 'date of retrieval; NULL: not recorded'),
('v_result', 11, 'submitter', '', 'who submitted or measured it'),
('v_result', 12, 'suite', '', 'MLPerf suite, or who defines the workload'),
('v_result', 13, 'system_type', '', 'datacenter or edge'),
('v_result', 14, 'round', '', 'version of the suite'),
('v_result', 15, 'division', '', 'closed, open, network'),
('v_result', 16, 'availability', '', 'available, preview, rdi'),
('v_result', 17, 'scenario', '', 'as MLCommons spells it'),
('v_result', 18, 'workload', '', 'what was run: benchmark, kernel or workload'),
('v_result', 19, 'model', '', 'model or benchmark, canonical where an alias is known'),
('v_result', 20, 'system', '', 'system, as published'),
('v_result', 21, 'platform', '', 'folder or configuration of the system'),
('v_result', 22, 'device', '', 'canonical device; parts of a mixed system joined by '' + '''),
('v_result', 23, 'raw_device', '', 'device as published'),
('v_result', 24, 'devices', '', 'devices that took part; sockets where there is no accelerator'),
('v_result', 25, 'nodes', '', 'nodes'),
('v_result', 26, 'backend', '', 'program or library that ran it'),
('v_result', 27, 'dtype', '', 'number format'),
('v_result', 28, 'metric', '', 'fixed name of the metric'),
('v_result', 29, 'metric_class', '', 'performance, power, accuracy, ...: one quantity under identity'),
('v_result', 30, 'statistic', '', 'value, mean, median, min, max, p50 ... p99.9, sd, olympic-mean'),
('v_result', 31, 'rank', '', 'MPI rank, -1 none'),
('v_result', 32, 'x', '', 'place in a series'),
('v_result', 33, 'value', 'unit', 'the value in its base unit'),
('v_result', 34, 'unit', '', 'base unit'),
('v_result', 35, 'better', '', 'higher, lower or none'),
('v_result', 36, 'n', '', 'samples behind the value'),
('v_result', 37, 'low', 'unit', 'lower end of the spread'),
('v_result', 38, 'high', 'unit', 'upper end of the spread'),
('v_result', 39, 'spread', '', 'what low and high are: ci95, minmax, iqr, sd'),
('v_result', 40, 'verdict', '', 'verification: pass, fail, unchecked; yes or no for MLPerf'),
('v_result', 41, 'flags', '', 'averaged, repeated, inferred, power, mixed, devices-disagree, unit-disagree, ...'),
('v_result', 42, 'raw_value', '', 'as published'),
('v_result', 43, 'raw_unit', '', 'as published; NULL: none stated'),
('v_result', 44, 'formula', '', 'identifier/version where abdb computed it out of the artifact'),
('v_result', 45, 'date', '', 'when it was measured or published'),
('v_result', 46, 'tag', '', 'name given by the user'),
('v_result', 47, 'campaign', '', 'one command of abdb run'),
('v_result', 48, 'cell', '', 'place in the plan of that command'),
('v_result', 49, 'point_id', '', 'interned set of factors'),
('v_result', 50, 'entry_id', '', 'key of the entry'),
('v_result', 51, 'ordinal', '', 'place in the entry'),
('v_result', 52, 'subject', '', 'key shared by all statements of one result'),
('v_result', 53, 'preferred', '', '1: this statement stands for the result'),
('v_result', 54, 'sources', '', 'number of sources that state it'),
('v_result', 55, 'disagree', '', '1: sources give values that differ beyond rounding'),
('v_result', 56, 'raw_model', '', 'model as published; an index leads to it'),
('v_result', 57, 'raw_workload', '', 'workload as published; an index leads to it'),
('v_result', 58, 'kind', '', 'run, score, average, statement'),
('v_result_device', 1, 'result_id', '', 'the result'),
('v_result_device', 2, 'device', '', 'canonical device'),
('v_result_device', 3, 'devices', '', 'number of this kind; NULL where a mixed system does not say'),
('v_result_device', 4, 'raw_device', '', 'as published'),
('v_run', 1, 'run', '', 'key of the entry'),
('v_run', 2, 'kind', '', 'run, score, average, statement'),
('v_run', 3, 'status', '', 'ok, or why there is no result'),
('v_run', 4, 'reason', '', 'words for a status that is not ok'),
('v_run', 5, 'backend', '', 'program that ran it'),
('v_run', 6, 'date', '', 'when it ran'),
('v_run', 7, 'tag', '', 'name given by the user'),
('v_run', 8, 'campaign', '', 'one command of abdb run'),
('v_run', 9, 'cell', '', 'place in the plan of that command'),
('v_run', 10, 'evidence', '', 'measured, published or mlperf'),
('v_run', 11, 'source', '', 'who says it'),
('v_run', 12, 'workload', '', 'what was run'),
('v_run', 13, 'device', '', 'device as published'),
('v_run', 14, 'dtype', '', 'number format'),
('v_run', 15, 'verified', '', 'verdict of the verification'),
('v_run', 16, 'flags', '', 'remarks'),
('v_run', 17, 'environment', '', 'machine and software, a JSON object'),
('v_sample', 1, 'result_id', '', 'the result that the sample belongs to'),
('v_sample', 2, 'seq', '', 'number of the sample'),
('v_sample', 3, 'rank', '', 'MPI rank, -1 none'),
('v_sample', 4, 't_s', 's', 'time since the first sample'),
('v_sample', 5, 'value', 'unit', 'in the base unit of the result''s metric time_s'),
('v_sample', 6, 'mark', '', 'outlier, throttled, or NULL'),
('v_sample', 7, 'entry_id', '', 'key of the entry'),
('v_sample', 8, 'ordinal', '', 'place of the result in the entry'),
('v_telemetry', 1, 'run', '', 'the run'),
('v_telemetry', 2, 't_s', 's', 'time since its start'),
('v_telemetry', 3, 'device', '', 'sensor''s device'),
('v_telemetry', 4, 'quantity', '', 'clock, power, temperature'),
('v_telemetry', 5, 'value', 'unit', 'in the base unit'),
('v_telemetry', 6, 'unit', '', 'base unit');
INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_statement', place, column, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_stored', 1, 'entry_id', '', 'key of the entry'),
('v_stored', 2, 'ordinal', '', 'place in the entry'),
('v_stored', 3, 'source', '', 'who says it'),
('v_stored', 4, 'evidence', '', 'measured, published or mlperf'),
('v_stored', 5, 'raw_device', '', 'device as published'),
('v_stored', 6, 'raw_model', '', 'model as published'),
('v_stored', 7, 'raw_workload', '', 'workload as published'),
('v_stored', 8, 'round', '', 'version of the suite'),
('v_stored', 9, 'metric', '', 'fixed name of the metric'),
('v_stored', 10, 'value', 'unit', 'in the base unit'),
('v_stored', 11, 'unit', '', 'base unit');
