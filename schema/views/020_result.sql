-- 020_result.sql - statements, results, their devices and samples. To join views use result_id and entry_id; key and run are
-- their names for people and other databases.

-- One statement of one source; v_statement adds what its value is in total and per device. adds: is it a rate that adds over
-- devices? What a wire carries and the share of one rank do not. (No outer joins: SQLite
-- looks into them for every sample that a result is joined with, asked for or not.)
CREATE VIEW told AS
SELECT r.result_id AS result_id, CAST('r-' || substr(e.run, 3) || '-' || r.ordinal AS TEXT) AS key, e.run AS run, e.evidence AS evidence,
       e.source AS source, e.artifact AS artifact, CAST(coalesce(r.cell, e.locator) AS TEXT) AS locator,
       CAST(CASE WHEN (SELECT s.verified FROM subject s WHERE s.result_id = r.result_id) = 1 THEN 'yes' ELSE e.verified END AS TEXT) AS verified,
       CAST(coalesce(e.public_id, (SELECT s.public_id FROM subject s WHERE s.result_id = r.result_id)) AS TEXT) AS public_id,
       e.url AS url, e.retrieved AS retrieved, e.submitter AS submitter, e.suite AS suite, e.system_type AS system_type,
       e.round AS round, e.round_order AS round_order, e.division AS division, e.availability AS availability,
       e.scenario AS scenario, e.workload AS workload, e.model AS model, e.system AS system, e.platform AS platform,
       e.device AS device, e.raw_device AS raw_device, e.devices AS devices, e.nodes AS nodes, e.backend AS backend, e.dtype AS dtype,
       e.number_format AS number_format, r.metric AS metric, (SELECT m.metric_class FROM metric m WHERE m.metric = r.metric_stem) AS metric_class,
       r.statistic AS statistic, r.rank AS rank, r.x AS x, r.value AS value, r.unit AS unit,
       CAST(coalesce((SELECT m.better FROM metric m WHERE m.metric = r.metric), (SELECT m.better FROM metric m WHERE m.metric = r.metric_stem)) AS TEXT) AS better, e.per AS per, e.medium AS medium,
       r.n AS n, r.low AS low, r.high AS high, r.spread AS spread, e.verified AS verdict,
       CAST(trim(coalesce((SELECT CASE WHEN e.flags = '' THEN s.flags ELSE replace(replace(replace(' ' || e.flags || ' ',
                        CASE WHEN s.flags LIKE '%inferred:%' THEN ' inferred ' ELSE ' | ' END, ' '),
                        CASE WHEN s.flags LIKE '%inferred:%' THEN ' perhaps-inferred ' ELSE ' | ' END, ' '),
                        CASE WHEN s.sources > 1 AND s.disagree = 0 THEN ' perhaps-averaged ' ELSE ' | ' END, ' ') || s.flags END
                        FROM subject s WHERE s.result_id = r.result_id), e.flags) ||
            CASE WHEN e.parts > 1 THEN ' mixed' ELSE '' END) AS TEXT) AS flags,
       r.raw_value AS raw_value, r.raw_unit AS raw_unit, r.formula AS formula, e.date AS date, e.date_kind AS date_kind,
       e.date_precision AS date_precision, e.tag AS tag, e.campaign AS campaign, e.cell AS cell, e.point_id AS point_id,
       e.process_id AS process_id, e.entry_id AS entry_id, e.entry_key AS entry_key, r.ordinal AS ordinal,
       CAST(coalesce((SELECT s.subject FROM subject s WHERE s.result_id = r.result_id), e.entry_key) AS BIGINT) AS subject,
       CAST(coalesce((SELECT s.preferred FROM subject s WHERE s.result_id = r.result_id), 1) AS INTEGER) AS preferred,
       CAST(coalesce((SELECT s.sources FROM subject s WHERE s.result_id = r.result_id), 1) AS INTEGER) AS sources,
       CAST(coalesce((SELECT s.disagree FROM subject s WHERE s.result_id = r.result_id), 0) AS INTEGER) AS disagree, e.raw_model AS raw_model, e.raw_workload AS raw_workload, e.kind AS kind,
       CAST(CASE WHEN substr(r.unit, length(r.unit) - 1) = '/s' AND r.rank IS NULL AND (r.unit <> 'B/s' OR e.medium <> 'wire')
            THEN 1 ELSE 0 END AS INTEGER) AS adds
  FROM v_run e
  JOIN result r ON r.entry_id = e.entry_id;

-- The same with total and each.
CREATE VIEW told_each AS
SELECT t.*,
       CAST(CASE WHEN t.adds = 1 THEN CASE t.per WHEN 'device' THEN t.value * t.devices WHEN 'node' THEN t.value * t.nodes
                                            WHEN 'system' THEN t.value END END AS DOUBLE PRECISION) AS total,
       CAST(CASE WHEN t.adds = 1 THEN CASE t.per WHEN 'device' THEN t.value WHEN 'node' THEN t.value * t.nodes / nullif(t.devices, 0)
                                            WHEN 'system' THEN t.value / nullif(t.devices, 0) END END AS DOUBLE PRECISION) AS each
  FROM told t;

-- A statement of MLPerf performance, of a round of which there is an official list. listed: results that the list has under its
-- ID, benchmark and scenario. agreeing: those of them that its submitter handed in with its value (to a thousandth: some print
-- four digits); of a statement without an ID those of its submitter and system.
CREATE VIEW official_of AS
SELECT t.result_id AS result_id,
       CAST((SELECT count(*) FROM official_result o
         WHERE o.suite = t.suite AND o.round = t.round AND o.public_id = ltrim(t.public_id, 'v')
           AND o.model = coalesce(t.model, t.workload) AND o.scenario = coalesce(t.scenario, '')) AS INTEGER) AS listed,
       CAST(CASE WHEN t.public_id IS NULL THEN
            (SELECT count(*) FROM official_result o
              WHERE o.suite = t.suite AND o.round = t.round AND o.system = t.system AND o.submitter = t.submitter
                AND o.model = coalesce(t.model, t.workload) AND o.scenario = coalesce(t.scenario, '')
                AND abs(o.stated - t.value) <= 0.001 * abs(o.stated))
            ELSE (SELECT count(*) FROM official_result o
              WHERE o.suite = t.suite AND o.round = t.round AND o.public_id = ltrim(t.public_id, 'v') AND o.submitter = t.submitter
                AND o.model = coalesce(t.model, t.workload) AND o.scenario = coalesce(t.scenario, '')
                AND abs(o.stated - t.value) <= 0.001 * abs(o.stated)) END AS INTEGER) AS agreeing
  FROM told t
 WHERE t.evidence = 'mlperf' AND t.metric_class = 'performance' AND t.kind <> 'run'
   AND EXISTS (SELECT 1 FROM official_result o
                WHERE o.suite = t.suite AND o.round = t.round AND (t.system_type IS NULL OR o.system_type = t.system_type));

-- One statement of one source. total and each: of a rate, over all devices that took part and for one of them, whatever
-- its source states it for; NULL where that cannot be told.
-- marks: the words of its flags that are marks, and what is found here. above-ceiling: a rate of one device above the highest
-- dense peak that anybody states of it in this number format (a hundredth for rounding), or above its memory bandwidth; of
-- training 6 operations for each token and active parameter. conflict: an official list has its ID with another value.
CREATE VIEW v_statement AS
SELECT s.*,
       CAST(trim(coalesce((SELECT m.marks FROM result_marked m WHERE m.result_id = s.result_id), '') ||
            CASE WHEN s.each IS NOT NULL AND (s.unit IN ('FLOP/s', 'OP/s') OR (s.unit = 'B/s' AND s.medium = 'memory')
                                              OR (s.unit = 'token/s' AND s.scenario = 'training'))
                  AND s.each * CASE s.unit WHEN 'token/s' THEN
                        6 * (SELECT coalesce(m.parameters_active, m.parameters) FROM model m WHERE m.model = s.model) ELSE 1 END
                      > 1.01 * (SELECT max(p.value) FROM v_peak p
                                 WHERE p.device = s.device
                                   AND p.quantity = CASE s.unit WHEN 'B/s' THEN 'memory_bandwidth' WHEN 'OP/s' THEN 'peak_ops' ELSE 'peak_flops' END
                                   AND (s.unit IN ('B/s', 'token/s') OR s.number_format IS NULL OR p.dtype = s.number_format))
                 THEN ' above-ceiling' ELSE '' END ||
            CASE WHEN s.evidence = 'mlperf' AND EXISTS (SELECT 1 FROM official_of o WHERE o.result_id = s.result_id
                                                           AND o.listed > 0 AND o.agreeing = 0)
                  AND EXISTS (SELECT 1 FROM entry e WHERE e.entry_id = s.entry_id AND e.public_id IS NOT NULL) THEN ' conflict' ELSE '' END) AS TEXT) AS marks,
       CAST(CASE WHEN s.verified = 'pass' THEN CASE WHEN s.source = 'abdb-run' AND ' ' || s.flags || ' ' NOT LIKE '% self-verified %'
                                               THEN 'abdb' ELSE 'program' END
            WHEN s.evidence = 'mlperf' THEN CASE WHEN EXISTS (SELECT 1 FROM official_of o WHERE o.result_id = s.result_id AND o.agreeing > 0)
                                                 THEN 'mlcommons' WHEN s.verified = 'yes' THEN 'file' END
            WHEN s.verified = 'yes' THEN 'file' END AS TEXT) AS verified_by,
       CAST(CASE WHEN s.verified = 'pass' THEN (SELECT p.num FROM point_factor p WHERE p.point_id = s.point_id AND p.factor = 'checked')
            END AS DOUBLE PRECISION) AS checked_share,
       CAST(CASE WHEN length(s.date) >= 10 THEN substr(s.date, 1, 10) ELSE substr(s.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM told_each s;

-- One statement as it is stored, nothing looked up: for counting.
CREATE VIEW v_stored AS
SELECT r.result_id AS result_id, r.entry_id AS entry_id, r.ordinal AS ordinal, e.source AS source, e.evidence AS evidence,
       e.device AS raw_device, e.model AS raw_model, e.workload AS raw_workload, e.round AS round,
       (SELECT q.metric FROM quantity q WHERE q.quantity_id = r.quantity_id) AS metric, r.value AS value,
       (SELECT q.unit FROM quantity q WHERE q.quantity_id = r.quantity_id) AS unit,
       (SELECT q.statistic FROM quantity q WHERE q.quantity_id = r.quantity_id) AS statistic
  FROM entry e
  JOIN result_row r ON r.entry_id = e.entry_id;

-- One value of one metric: the preferred statement of it. (Only results of MLPerf are stated by several sources.)
CREATE VIEW v_result AS
SELECT t.* FROM v_statement t
 WHERE t.evidence <> 'mlperf' OR NOT EXISTS (SELECT 1 FROM subject s WHERE s.result_id = t.result_id AND s.preferred = 0);

-- One mark of a result, and what follows from it: show; leave out of rankings, figures and choices; refuse to compare.
CREATE VIEW v_result_mark AS
SELECT r.result_id AS result_id, m.mark AS mark, m.effect AS effect, m.sentence AS sentence, m.source AS source, m.locator AS locator,
       r.key AS key, r.entry_id AS entry_id, r.ordinal AS ordinal
  FROM v_statement r
  JOIN mark m ON ' ' || r.marks || ' ' LIKE '% ' || m.mark || ' %';

-- One judgement that a result can carry.
CREATE VIEW v_mark AS SELECT mark, effect, sentence, source, locator FROM mark;

-- One judgement that leaves results out of rankings, figures and choices: those with marks LIKE its pattern, blanks around them.
CREATE VIEW v_mark_out AS SELECT mark, effect, sentence, CAST('% ' || mark || ' %' AS TEXT) AS pattern FROM mark WHERE effect <> 'show';

-- One result that an official round of MLPerf lists.
CREATE VIEW v_official_result AS SELECT suite, round, public_id, model, scenario, stated, source, submitter, system, system_type
  FROM official_result;

-- One kind of device of a result.
CREATE VIEW v_result_device AS
SELECT r.result_id AS result_id, CAST(coalesce(n.canon, e.device) AS TEXT) AS device,
       CAST(CASE WHEN n.parts > 1 THEN n.share ELSE e.devices END AS INTEGER) AS devices,
       e.device AS raw_device
  FROM entry e
  JOIN result_row r ON r.entry_id = e.entry_id
  LEFT JOIN name n ON n.kind = 'device' AND n.spelling = e.device
 WHERE e.device IS NOT NULL;

-- Raw values.
CREATE VIEW v_sample AS
SELECT s.result_id AS result_id, s.seq AS seq, s.rank AS rank, s.t_s AS t_s, s.value AS value, s.mark AS mark, s.entry_id AS entry_id,
       s.ordinal AS ordinal
  FROM sample s;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_result', 1, 'result_id', '', 'number of the result in this file: to join by; another database has other numbers'),
('v_result', 2, 'key', '', 'printed key made from the content, the same in every database: to cite and to join databases by'),
('v_result', 3, 'run', '', 'printed key of the run that this value belongs to (v_run)'),
('v_result', 4, 'evidence', '', 'measured, published or mlperf'),
('v_result', 5, 'source', '', 'who says it (v_source)'),
('v_result', 6, 'artifact', '', 'file that says it'),
('v_result', 7, 'locator', '', 'line, JSON path or cell in that file'),
('v_result', 8, 'verified', '', 'yes or no: reviewed by MLCommons, by its file or another that states the same result; pass, fail, unchecked: outputs of a kernel; unknown: not stated'),
('v_result', 9, 'public_id', '', 'result ID of the publisher'),
('v_result', 10, 'url', '', 'where it was published'),
('v_result', 11, 'retrieved', '', 'date of retrieval; NULL: not recorded'),
('v_result', 12, 'submitter', '', 'who submitted or measured it'),
('v_result', 13, 'suite', '', 'MLPerf suite, or who defines the workload'),
('v_result', 14, 'system_type', '', 'datacenter or edge'),
('v_result', 15, 'round', '', 'version of the suite'),
('v_result', 16, 'round_order', '', 'the round as a number that sorts: v10.0 after v6.0; NULL: none'),
('v_result', 17, 'division', '', 'closed, open, network'),
('v_result', 18, 'availability', '', 'available, preview, rdi'),
('v_result', 19, 'scenario', '', 'as MLCommons spells it'),
('v_result', 20, 'workload', '', 'what was run: benchmark, kernel or workload'),
('v_result', 21, 'model', '', 'model or benchmark, canonical where an alias is known'),
('v_result', 22, 'system', '', 'system, as published'),
('v_result', 23, 'platform', '', 'folder or configuration of the system'),
('v_result', 24, 'device', '', 'canonical device; parts of a mixed system joined by '' + '''),
('v_result', 25, 'raw_device', '', 'device as published; an index leads to it'),
('v_result', 26, 'devices', '', 'devices that took part; sockets where there is no accelerator'),
('v_result', 27, 'nodes', '', 'nodes'),
('v_result', 28, 'backend', '', 'program or library that ran it'),
('v_result', 29, 'dtype', '', 'number format'),
('v_result', 30, 'number_format', '', 'the number format as specifications spell it'),
('v_result', 31, 'metric', '', 'fixed name of the metric'),
('v_result', 32, 'metric_class', '', 'performance, power, accuracy, ...: one quantity under identity'),
('v_result', 33, 'statistic', '', 'value, mean, median, min, max, p50 ... p99.9, sd, olympic-mean'),
('v_result', 34, 'rank', '', 'MPI rank; NULL: none'),
('v_result', 35, 'x', '', 'place in a series; NULL: none'),
('v_result', 36, 'value', 'unit', 'the value in its base unit, as stated: see per'),
('v_result', 37, 'unit', '', 'base unit'),
('v_result', 38, 'better', '', 'higher, lower or none'),
('v_result', 39, 'per', '', 'device, node or system: what the value of a rate is stated for (factor per); NULL: it cannot be told'),
('v_result', 40, 'medium', '', 'what its bytes go through, where it counts any: memory, a cache (L1, L2, L3), wire or storage'),
('v_result', 41, 'n', '', 'samples behind the value'),
('v_result', 42, 'low', 'unit', 'lower end of the spread'),
('v_result', 43, 'high', 'unit', 'upper end of the spread'),
('v_result', 44, 'spread', '', 'what low and high are: ci95, minmax, iqr, sd'),
('v_result', 45, 'verdict', '', 'as verified, but by its own file alone: unknown where only another states the review'),
('v_result', 46, 'flags', '', 'averaged, repeated, inferred:log (or :value, :column, :unknown: by which evidence), not-inferred:log (or :value), power, mixed, devices-disagree, unit-corrected, ...'),
('v_result', 47, 'raw_value', '', 'as published'),
('v_result', 48, 'raw_unit', '', 'as published; NULL: none stated'),
('v_result', 49, 'formula', '', 'identifier/version where abdb computed it out of the artifact'),
('v_result', 50, 'date', '', 'when it was measured or stated, ISO 8601 as precise as it is known; of MLPerf when its round was published'),
('v_result', 51, 'date_kind', '', 'measured, stated or round (date of publication of the round); NULL: no date'),
('v_result', 52, 'date_precision', '', 'year, month, day or second'),
('v_result', 53, 'tag', '', 'name given by the user'),
('v_result', 54, 'campaign', '', 'one command of abdb run; an index leads to it'),
('v_result', 55, 'cell', '', 'backend, kernel and parameters, as that command measured them'),
('v_result', 56, 'point_id', '', 'number of its set of factors in this file (v_run_factor)'),
('v_result', 57, 'process_id', '', 'number of the process that measured it in this file (v_process)'),
('v_result', 58, 'entry_id', '', 'number of the run in this file: to join by; another database has other numbers'),
('v_result', 59, 'entry_key', '', 'first 16 hexadecimal digits of the printed key as a number: an index leads to it'),
('v_result', 60, 'ordinal', '', 'place in the run, the end of the printed key'),
('v_result', 61, 'subject', '', 'number shared by all statements of one result, the same in every database'),
('v_result', 62, 'preferred', '', '1: this statement stands for the result'),
('v_result', 63, 'sources', '', 'number of sources that state it'),
('v_result', 64, 'disagree', '', '1: sources give values that differ beyond rounding'),
('v_result', 65, 'raw_model', '', 'model as published; an index leads to it'),
('v_result', 66, 'raw_workload', '', 'workload as published; an index leads to it'),
('v_result', 67, 'kind', '', 'run, score, average, statement'),
('v_result', 68, 'adds', '', '1: a rate that adds over devices; 0: it does not, as what a wire carries, times and fractions'),
('v_result', 69, 'total', 'unit', 'of a rate that adds: over all devices that took part; NULL: it cannot be told'),
('v_result', 70, 'each', 'unit', 'of a rate that adds: for one device, per_device@1; NULL: it cannot be told'),
('v_result', 71, 'marks', '', 'judgements on the row, blanks between (v_mark): failed, contradiction, above-ceiling, conflict, ...; an empty text: none'),
('v_result', 72, 'verified_by', '', 'mlcommons: an official list has this ID with this value; file: its file says so; abdb: compared by abdb; program: by the program that measured; NULL: nobody'),
('v_result', 73, 'checked_share', '1', 'of the outputs of a kernel that passed: the share that was compared; NULL: not recorded'),
('v_result_mark', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_result_mark', 2, 'mark', '', 'the word (v_mark)'),
('v_result_mark', 3, 'effect', '', 'show; leave out: of rankings, figures and choices; refuse: to compare, too'),
('v_result_mark', 4, 'sentence', '', 'what it says'),
('v_result_mark', 5, 'source', '', 'who says so'),
('v_result_mark', 6, 'locator', '', 'where'),
('v_result_mark', 7, 'key', '', 'printed key of the result'),
('v_result_mark', 8, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_result_mark', 9, 'ordinal', '', 'place of the result in the run'),
('v_mark', 1, 'mark', '', 'the word'),
('v_mark', 2, 'effect', '', 'show, leave out or refuse'),
('v_mark', 3, 'sentence', '', 'what it says'),
('v_mark', 4, 'source', '', 'who says so'),
('v_mark', 5, 'locator', '', 'where'),
('v_mark_out', 1, 'mark', '', 'the word'),
('v_mark_out', 2, 'effect', '', 'leave out or refuse'),
('v_mark_out', 3, 'sentence', '', 'what it says'),
('v_mark_out', 4, 'pattern', '', 'for LIKE, of marks with blanks around them'),
('v_official_result', 1, 'suite', '', 'suite of MLPerf'),
('v_official_result', 2, 'round', '', 'version of the suite'),
('v_official_result', 3, 'public_id', '', 'ID of the result, without the v that some write before it'),
('v_official_result', 4, 'model', '', 'canonical benchmark'),
('v_official_result', 5, 'scenario', '', 'scenario'),
('v_official_result', 6, 'stated', '', 'the result, in its base unit'),
('v_official_result', 7, 'source', '', 'who lists it'),
('v_official_result', 8, 'submitter', '', 'canonical'),
('v_official_result', 9, 'system', '', 'as published'),
('v_official_result', 10, 'system_type', '', 'datacenter or edge'),
('v_result_device', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_result_device', 2, 'device', '', 'canonical device'),
('v_result_device', 3, 'devices', '', 'number of this kind; NULL where a mixed system does not say'),
('v_result_device', 4, 'raw_device', '', 'as published'),
('v_sample', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_sample', 2, 'seq', '', '0, 1, ... in the order of measurement'),
('v_sample', 3, 'rank', '', 'MPI rank; NULL: none'),
('v_sample', 4, 't_s', 's', 'time since the first sample'),
('v_sample', 5, 'value', 'unit', 'in the base unit of its result'),
('v_sample', 6, 'mark', '', 'outlier, throttled, or NULL'),
('v_sample', 7, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_sample', 8, 'ordinal', '', 'place of the result in the run'),
('v_stored', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_stored', 2, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_stored', 3, 'ordinal', '', 'place in the run'),
('v_stored', 4, 'source', '', 'who says it'),
('v_stored', 5, 'evidence', '', 'measured, published or mlperf'),
('v_stored', 6, 'raw_device', '', 'device as published'),
('v_stored', 7, 'raw_model', '', 'model as published'),
('v_stored', 8, 'raw_workload', '', 'workload as published'),
('v_stored', 9, 'round', '', 'version of the suite'),
('v_stored', 10, 'metric', '', 'fixed name of the metric'),
('v_stored', 11, 'value', 'unit', 'in the base unit'),
('v_stored', 12, 'unit', '', 'base unit'),
('v_stored', 13, 'statistic', '', 'value, mean, median, min, max, p50 ... p99.9, sd, olympic-mean');
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_statement', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_result';
