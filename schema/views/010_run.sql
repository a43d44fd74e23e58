-- 010_run.sql - runs, scores and statements with canonical names, and what was recorded beside their results.
-- What one column needs is a subquery, which costs only where the column is asked for.

-- One run, score or statement, failed ones too.
CREATE VIEW v_run AS
SELECT e.entry_id AS entry_id, e.run AS run, e.entry_key AS entry_key, e.kind AS kind, e.status AS status, e.reason AS reason,
       e.evidence AS evidence, e.source AS source, e.verified AS verified, e.public_id AS public_id,
       CAST(coalesce(e.url, (SELECT q.url FROM source q WHERE q.source = e.source)) AS TEXT) AS url,
       CAST(coalesce(e.retrieved, (SELECT q.retrieved FROM source q WHERE q.source = e.source)) AS TEXT) AS retrieved,
       CAST(coalesce((SELECT n.canon FROM name n WHERE n.kind = 'submitter' AND n.spelling = e.submitter AND n.part = 1), e.submitter) AS TEXT)
         AS submitter,
       e.suite AS suite, e.system_type AS system_type, e.round AS round, e.round_order AS round_order, e.division AS division,
       e.availability AS availability, e.scenario AS scenario,
       CAST(coalesce((SELECT n.canon FROM name n WHERE n.kind = 'model' AND n.spelling = e.workload AND n.part = 1), e.workload) AS TEXT) AS workload,
       e.workload AS raw_workload,
       CAST(coalesce((SELECT n.canon FROM name n WHERE n.kind = 'model' AND n.spelling = e.model AND n.part = 1), e.model) AS TEXT) AS model,
       e.model AS raw_model, e.system AS system, e.platform AS platform,
       CAST(coalesce((SELECT n.whole FROM name n WHERE n.kind = 'device' AND n.spelling = e.device AND n.part = 1), e.device) AS TEXT) AS device,
       e.device AS raw_device, e.devices AS devices, e.nodes AS nodes,
       CAST(coalesce((SELECT n.parts FROM name n WHERE n.kind = 'device' AND n.spelling = e.device AND n.part = 1), 1) AS INTEGER) AS parts,
       CAST(CASE coalesce((SELECT p.text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'per'), 'system')
         WHEN 'device' THEN 'device' WHEN 'node' THEN 'node' WHEN 'system' THEN 'system' END AS TEXT) AS per,
       CAST(CASE WHEN e.suite = 'storage' THEN 'storage'
            WHEN replace(e.workload, '-', '_') IN (SELECT c.collective FROM v_collective c)
              OR EXISTS (SELECT 1 FROM point_factor p
                          WHERE p.point_id = e.point_id AND (p.factor = 'message_bytes' OR p.factor = 'message_size')) THEN 'wire'
            ELSE coalesce((SELECT p.text FROM point_factor p WHERE p.point_id = e.point_id AND p.factor = 'level'), 'memory')
            END AS TEXT) AS medium,
       e.backend AS backend, e.dtype AS dtype,
       CAST(CASE e.dtype WHEN 'f64' THEN 'fp64' WHEN 'f32' THEN 'fp32' WHEN 'f16' THEN 'fp16' WHEN 'f8' THEN 'fp8' WHEN 'f4' THEN 'fp4'
                    WHEN 'e4m3' THEN 'fp8' WHEN 'e5m2' THEN 'fp8'
                    WHEN 'i8' THEN 'int8' WHEN 'i4' THEN 'int4' ELSE e.dtype END AS TEXT) AS number_format,
       CAST(coalesce(e.date, (SELECT q.published FROM round q WHERE q.suite = e.suite AND q.round = e.round)) AS TEXT) AS date,
       CAST(CASE WHEN e.date IS NOT NULL AND e.evidence = 'measured' THEN 'measured' WHEN e.date IS NOT NULL THEN 'stated'
            WHEN EXISTS (SELECT 1 FROM round q WHERE q.suite = e.suite AND q.round = e.round) THEN 'round' END AS TEXT) AS date_kind,
       CAST(CASE length(coalesce(e.date, (SELECT q.published FROM round q WHERE q.suite = e.suite AND q.round = e.round)))
         WHEN 4 THEN 'year' WHEN 7 THEN 'month' WHEN 10 THEN 'day' WHEN 19 THEN 'second' WHEN 20 THEN 'second' END AS TEXT) AS date_precision,
       e.tag AS tag, e.campaign AS campaign, e.cell AS cell, e.flags AS flags,
       CAST(coalesce((SELECT min(CASE WHEN a.path < b.path THEN a.path ELSE b.path END)
                   FROM witness_again w JOIN artifact b ON b.artifact_id = w.artifact_id
                   LEFT JOIN artifact a ON a.artifact_id = e.artifact_id
                  WHERE w.entry_id = e.entry_id),
                (SELECT a.path FROM artifact a WHERE a.artifact_id = e.artifact_id)) AS TEXT) AS artifact,
       CAST(coalesce((SELECT min(CASE WHEN e.locator < w.locator THEN e.locator ELSE w.locator END)
                   FROM witness_again w WHERE w.entry_id = e.entry_id AND w.locator IS NOT NULL), e.locator) AS TEXT) AS locator,
       (SELECT v.body FROM environment v WHERE v.environment_id = e.environment_id) AS environment,
       e.point_id AS point_id, e.process_id AS process_id,
       (SELECT CAST(CASE WHEN length(x.date) >= 10 THEN substr(x.date, 1, 10) ELSE substr(x.date || '-01-01', 1, 10) END AS TEXT)
          FROM (SELECT coalesce(e.date, (SELECT q.published FROM round q WHERE q.suite = e.suite AND q.round = e.round)) AS date) x) AS day
  FROM entry e;

-- One factor of a run: what can make two results differ, as its source gave it.
CREATE VIEW v_run_factor AS
SELECT e.entry_id AS entry_id, p.factor AS factor, p.state AS state, p.text AS text, p.num AS num,
       CAST(coalesce(p.unit, (SELECT f.unit FROM factor f WHERE f.factor = p.factor)) AS TEXT) AS unit, e.point_id AS point_id
  FROM entry e
  JOIN point_factor p ON p.point_id = e.point_id;

-- One command of abdb run.
CREATE VIEW v_campaign AS
SELECT campaign, date,
       CAST(CASE WHEN length(date) >= 10 THEN substr(date, 1, 10) ELSE substr(date || '-01-01', 1, 10) END AS TEXT) AS day FROM campaign_told;

-- One process of a backend: what one life of a program measured shares its luck.
CREATE VIEW v_process AS
SELECT p.process_id AS process_id, p.campaign AS campaign, p.backend AS backend, p.repetition AS repetition, p.start AS start,
       p.started AS started
  FROM process_told p;

-- Clocks, power, temperature during a run.
CREATE VIEW v_telemetry AS
SELECT e.entry_id AS entry_id, e.run AS run, t.sensor AS sensor, t.quantity AS quantity, t.t_s AS t_s, t.value AS value, t.unit AS unit
  FROM entry e
  JOIN telemetry t ON t.entry_id = e.entry_id;

-- One named part of a workload's time.
CREATE VIEW v_span AS
SELECT e.entry_id AS entry_id, e.run AS run, s.place AS place, s.span AS span, s.within AS within, s.kernel AS kernel,
       s.provider AS provider, s.calls AS calls, s.time_s AS time_s, s.ops AS ops, s.bytes_B AS bytes_B
  FROM entry e
  JOIN span s ON s.entry_id = e.entry_id;

-- One rank of a run on several processes.
CREATE VIEW v_rank AS
SELECT e.entry_id AS entry_id, e.run AS run, r.mpi_rank AS rank, r.host AS host,
       CAST(coalesce((SELECT n.whole FROM name n WHERE n.kind = 'device' AND n.spelling = r.device AND n.part = 1), r.device) AS TEXT) AS device,
       r.device AS raw_device, r.binding AS binding
  FROM entry e
  JOIN rank r ON r.entry_id = e.entry_id;

-- What somebody wrote down about a campaign, a tag, a commit or a fact.
CREATE VIEW v_note AS
SELECT note_id, kind, target, text, author, date,
       CAST(CASE WHEN length(date) >= 10 THEN substr(date, 1, 10) ELSE substr(date || '-01-01', 1, 10) END AS TEXT) AS day FROM note;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_run', 1, 'entry_id', '', 'number of the run in this file: to join by; another database has other numbers'),
('v_run', 2, 'run', '', 'printed key made from the content, the same in every database: to cite'),
('v_run', 3, 'entry_key', '', 'first 16 hexadecimal digits of the printed key as a number: an index leads to it'),
('v_run', 4, 'kind', '', 'run, score, average, statement'),
('v_run', 5, 'status', '', 'ok, or why there is no result'),
('v_run', 6, 'reason', '', 'words for a status that is not ok'),
('v_run', 7, 'evidence', '', 'measured, published or mlperf'),
('v_run', 8, 'source', '', 'who says it (v_source)'),
('v_run', 9, 'verified', '', 'verdict of the verification: pass, fail, unchecked; yes or no for MLPerf'),
('v_run', 10, 'public_id', '', 'result ID of the publisher'),
('v_run', 11, 'url', '', 'where it was published'),
('v_run', 12, 'retrieved', '', 'date of retrieval; NULL: not recorded'),
('v_run', 13, 'submitter', '', 'who submitted or measured it, canonical where an alias is known'),
('v_run', 14, 'suite', '', 'MLPerf suite, or who defines the workload'),
('v_run', 15, 'system_type', '', 'datacenter or edge'),
('v_run', 16, 'round', '', 'version of the suite'),
('v_run', 17, 'round_order', '', 'the round as a number that sorts: v10.0 after v6.0; NULL: none'),
('v_run', 18, 'division', '', 'closed, open, network'),
('v_run', 19, 'availability', '', 'available, preview, rdi'),
('v_run', 20, 'scenario', '', 'as MLCommons spells it'),
('v_run', 21, 'workload', '', 'what was run, canonical where an alias is known'),
('v_run', 22, 'raw_workload', '', 'workload as published; an index leads to it'),
('v_run', 23, 'model', '', 'model or benchmark, canonical where an alias is known'),
('v_run', 24, 'raw_model', '', 'model as published; an index leads to it'),
('v_run', 25, 'system', '', 'system, as published'),
('v_run', 26, 'platform', '', 'folder or configuration of the system'),
('v_run', 27, 'device', '', 'canonical device; parts of a mixed system joined by '' + '''),
('v_run', 28, 'raw_device', '', 'device as published; an index leads to it'),
('v_run', 29, 'devices', '', 'devices that took part; sockets where there is no accelerator'),
('v_run', 30, 'nodes', '', 'nodes'),
('v_run', 31, 'parts', '', 'kinds of device; more than 1 in a mixed system'),
('v_run', 32, 'per', '', 'device, node or system: what its rates are stated for (factor per); NULL: it cannot be told'),
('v_run', 33, 'medium', '', 'what its bytes go through, where it counts any: memory, a cache (L1, L2, L3), wire or storage'),
('v_run', 34, 'backend', '', 'program or library that ran it'),
('v_run', 35, 'dtype', '', 'number format'),
('v_run', 36, 'number_format', '', 'the number format as specifications spell it'),
('v_run', 37, 'date', '', 'when it was measured or stated, ISO 8601 as precise as it is known; of MLPerf when its round was published'),
('v_run', 38, 'date_kind', '', 'measured, stated or round (date of publication of the round); NULL: no date'),
('v_run', 39, 'date_precision', '', 'year, month, day or second'),
('v_run', 40, 'tag', '', 'name given by the user'),
('v_run', 41, 'campaign', '', 'one command of abdb run; an index leads to it'),
('v_run', 42, 'cell', '', 'place in the plan of that command'),
('v_run', 43, 'flags', '', 'remarks'),
('v_run', 44, 'artifact', '', 'file that says it'),
('v_run', 45, 'locator', '', 'line, JSON path or cell in that file'),
('v_run', 46, 'environment', '', 'machine and software, a JSON object'),
('v_run', 47, 'point_id', '', 'number of its set of factors in this file (v_run_factor)'),
('v_run', 48, 'process_id', '', 'number of the process that measured it in this file (v_process)'),
('v_run_factor', 1, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_run_factor', 2, 'factor', '', 'name of the factor'),
('v_run_factor', 3, 'state', '', 'known, unknown or inapplicable'),
('v_run_factor', 4, 'text', '', 'its value as text'),
('v_run_factor', 5, 'num', 'unit', 'its value as a number, where it is one'),
('v_run_factor', 6, 'unit', '', 'unit of num'),
('v_run_factor', 7, 'point_id', '', 'number of the set of factors in this file'),
('v_campaign', 1, 'campaign', '', 'one command of abdb run; an index leads to its runs'),
('v_campaign', 2, 'date', '', 'when it began, UTC; where no process tells, the date of one of its runs'),
('v_process', 1, 'process_id', '', 'number of the process in this file: to join by'),
('v_process', 2, 'campaign', '', 'the command of abdb run that started it'),
('v_process', 3, 'backend', '', 'the program'),
('v_process', 4, 'repetition', '', '1, 2, ... of abdb run --repeat'),
('v_process', 5, 'start', '', '1, 2, ... of this repetition: started again after a crash'),
('v_process', 6, 'started', '', 'when, UTC'),
('v_telemetry', 1, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_telemetry', 2, 'run', '', 'its printed key'),
('v_telemetry', 3, 'sensor', '', 'which sensor: cpu, gpu 0, ...'),
('v_telemetry', 4, 'quantity', '', 'clock, temperature or power'),
('v_telemetry', 5, 't_s', 's', 'time since the first sample'),
('v_telemetry', 6, 'value', 'unit', 'in the base unit'),
('v_telemetry', 7, 'unit', '', 'base unit'),
('v_span', 1, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_span', 2, 'run', '', 'its printed key'),
('v_span', 3, 'place', '', '1, 2, ... in the order of the workload'),
('v_span', 4, 'span', '', 'its name: forward, attention, ...'),
('v_span', 5, 'within', '', 'the span that it is a part of; NULL: the whole'),
('v_span', 6, 'kernel', '', 'kernel that it runs'),
('v_span', 7, 'provider', '', 'library that ran it'),
('v_span', 8, 'calls', '', 'launches'),
('v_span', 9, 'time_s', 's', 'all calls together'),
('v_span', 10, 'ops', 'FLOP', 'operations of all calls'),
('v_span', 11, 'bytes_B', 'B', 'bytes of all calls'),
('v_rank', 1, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_rank', 2, 'run', '', 'its printed key'),
('v_rank', 3, 'rank', '', 'MPI rank: 0, 1, ...'),
('v_rank', 4, 'host', '', 'name or pseudonym of the node'),
('v_rank', 5, 'device', '', 'canonical device'),
('v_rank', 6, 'raw_device', '', 'as the backend names it'),
('v_rank', 7, 'binding', '', 'processors or device that it was bound to'),
('v_note', 1, 'note_id', '', 'number of the note in this file'),
('v_note', 2, 'kind', '', 'what it is about: campaign, tag, commit or key'),
('v_note', 3, 'target', '', 'its name'),
('v_note', 4, 'text', '', 'in words'),
('v_note', 5, 'author', '', 'who wrote it'),
('v_note', 6, 'date', '', 'when, UTC');
