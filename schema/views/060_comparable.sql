-- 060_comparable.sql - factors, and what comparisons look at.

-- One result with the factors that are derived from names and flags.
-- A factor that is a column is NULL where it is unknown or cannot apply; v_factor tells which.
CREATE VIEW v_comparable AS
SELECT r.result_id AS result_id, r.key AS key, r.evidence AS evidence, r.source AS source, r.suite AS suite,
       r.system_type AS system_type, r.round AS round, r.round_order AS round_order, r.division AS division,
       r.availability AS availability, r.verified AS verified, r.submitter AS submitter, r.system AS system, r.workload AS workload,
       CAST(coalesce((SELECT m.family FROM model m WHERE m.model = r.model), -- llama-bench names the format in the model, too
                CASE WHEN r.dtype <> '' AND substr(r.model, length(r.model) - length(r.dtype)) = ' ' || r.dtype
                     THEN substr(r.model, 1, length(r.model) - length(r.dtype) - 1) ELSE r.model END, r.workload) AS TEXT) AS benchmark, r.model AS model, r.scenario AS scenario,
       r.device AS device, r.devices AS devices, r.nodes AS nodes, r.backend AS backend, r.dtype AS dtype,
       r.metric AS metric, r.metric_class AS metric_class, r.statistic AS statistic, r.rank AS rank, r.x AS x,
       r.value AS value, r.unit AS unit, r.better AS better, r.n AS samples, r.low AS low, r.high AS high, r.flags AS flags,
       (SELECT CAST(m.accuracy_target AS TEXT) FROM model m WHERE m.model = r.model) AS accuracy_target,
       CAST(CASE WHEN r.evidence <> 'mlperf' THEN NULL
            ELSE coalesce((SELECT c.benchmark || ' since ' || c.since FROM compatibility_ordered c
                            WHERE c.suite = r.suite AND c.system_type IN ('', r.system_type)
                              AND c.benchmark = coalesce((SELECT m.family FROM model m WHERE m.model = r.model), r.model, r.workload)
                              AND c.scenario IN ('', r.scenario) AND r.round_order BETWEEN c.since_order AND c.until_order
                            ORDER BY c.scenario DESC, c.since_order, c.system_type DESC LIMIT 1), 'unlisted ' || r.round) END AS TEXT) AS compatibility,
       CAST(CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN lower(' ' || r.flags || ' ') LIKE '% power %' THEN 'yes' ELSE 'no' END AS TEXT)
         AS power_submission,
       CAST(CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN lower(' ' || r.flags || ' ') LIKE '% averaged %' THEN 'yes'
            WHEN ' ' || r.flags || ' ' LIKE '% perhaps-averaged %' THEN 'perhaps' ELSE 'no' END AS TEXT) AS averaged,
       CAST(CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN ' ' || r.flags LIKE '% inferred:unknown%' THEN 'perhaps'
            WHEN ' ' || r.flags || ' ' LIKE '% inferred:%' OR lower(' ' || r.flags || ' ') LIKE '% inferred %' THEN 'yes'
            ELSE 'no' END AS TEXT) AS inferred,
       CAST(NULL AS TEXT) AS quantity, CAST(NULL AS TEXT) AS engine, CAST(NULL AS TEXT) AS sparsity, CAST(NULL AS TEXT) AS basis,
       CAST(NULL AS DOUBLE PRECISION) AS power_limit, -- of v_comparable_spec
       r.public_id AS public_id, r.url AS url, r.retrieved AS retrieved, r.date AS date, r.tag AS tag,
       r.campaign AS campaign, r.cell AS cell, r.run AS run, r.raw_device AS raw_device, r.disagree AS disagree,
       r.point_id AS point_id, r.process_id AS process_id, r.entry_id AS entry_id, r.ordinal AS ordinal, r.raw_model AS raw_model,
       r.raw_workload AS raw_workload, CAST(NULL AS TEXT) AS standing, CAST(NULL AS TEXT) AS disputed, r.marks AS marks,
       r.verified_by AS verified_by, r.checked_share AS checked_share,
       CAST(CASE WHEN length(r.date) >= 10 THEN substr(r.date, 1, 10) ELSE substr(r.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_result r;

-- One preferred specification, in the columns of v_comparable, so that peaks can be compared too. It is no result: result_id
-- and entry_id are NULL. disputed: suspect, left out (another statement of it is quarantined), differ (statements more than 1 %
-- apart, projections not counted), no.
CREATE VIEW v_comparable_spec AS
SELECT CAST(NULL AS INTEGER) AS result_id, s.key AS key, CAST('published' AS TEXT) AS evidence, s.source AS source, CAST(NULL AS TEXT) AS suite,
       CAST(NULL AS TEXT) AS system_type, CAST(NULL AS TEXT) AS round, CAST(NULL AS INTEGER) AS round_order,
       CAST(NULL AS TEXT) AS division, CAST(NULL AS TEXT) AS availability, CAST(NULL AS TEXT) AS verified,
       CAST(NULL AS TEXT) AS submitter, CAST(NULL AS TEXT) AS system, CAST('specification' AS TEXT) AS workload, CAST(NULL AS TEXT) AS benchmark,
       CAST(NULL AS TEXT) AS model, CAST(NULL AS TEXT) AS scenario, s.device AS device, CAST(1 AS INTEGER) AS devices, CAST(NULL AS INTEGER) AS nodes,
       CAST(NULL AS TEXT) AS backend, s.dtype AS dtype, s.quantity AS metric, s.quantity AS metric_class, CAST('value' AS TEXT) AS statistic,
       CAST(NULL AS INTEGER) AS rank, CAST(NULL AS DOUBLE PRECISION) AS x, s.value AS value, s.unit AS unit,
       CAST(CASE s.quantity WHEN 'power' THEN 'lower' ELSE 'higher' END AS TEXT) AS better, CAST(NULL AS INTEGER) AS samples,
       CAST(NULL AS DOUBLE PRECISION) AS low, CAST(NULL AS DOUBLE PRECISION) AS high, CAST('' AS TEXT) AS flags,
       CAST(NULL AS TEXT) AS accuracy_target, CAST(NULL AS TEXT) AS compatibility, CAST(NULL AS TEXT) AS power_submission,
       CAST(NULL AS TEXT) AS averaged, CAST(NULL AS TEXT) AS inferred, s.quantity AS quantity, s.engine AS engine,
       s.sparsity AS sparsity, s.basis AS basis, s.power_limit AS power_limit, CAST(NULL AS TEXT) AS public_id,
       CAST(NULL AS TEXT) AS url, CAST(NULL AS TEXT) AS retrieved, s.date AS date, CAST(NULL AS TEXT) AS tag,
       CAST(NULL AS TEXT) AS campaign, CAST(NULL AS TEXT) AS cell, CAST(NULL AS TEXT) AS run, s.raw_device AS raw_device,
       CAST(0 AS INTEGER) AS disagree, CAST(NULL AS INTEGER) AS point_id, CAST(NULL AS INTEGER) AS process_id, CAST(NULL AS INTEGER) AS entry_id,
       CAST(NULL AS INTEGER) AS ordinal, CAST(NULL AS TEXT) AS raw_model, CAST(NULL AS TEXT) AS raw_workload,
       s.standing AS standing,
       CAST(CASE WHEN s.trust = 'suspect' THEN 'suspect' WHEN o.quarantined = 1 THEN 'left out'
            WHEN o.low < 0.99 * s.value OR o.high > 1.01 * s.value THEN 'differ' ELSE 'no' END AS TEXT) AS disputed,
       CAST('' AS TEXT) AS marks, CAST(NULL AS TEXT) AS verified_by, CAST(NULL AS DOUBLE PRECISION) AS checked_share,
       CAST(CASE WHEN length(s.date) >= 10 THEN substr(s.date, 1, 10) ELSE substr(s.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_spec s
  LEFT JOIN ( -- all that is stated of the same, once for all rows
       SELECT device, quantity, basis, coalesce(dtype, '') AS dtype, coalesce(engine, '') AS engine,
              coalesce(sparsity, '') AS sparsity, max(CASE WHEN trust = 'quarantined' THEN 1 ELSE 0 END) AS quarantined,
              min(CASE WHEN trust <> 'quarantined' THEN value END) AS low, max(CASE WHEN trust <> 'quarantined' THEN value END) AS high
         FROM v_spec WHERE coalesce(standing, '') <> 'projection' GROUP BY 1, 2, 3, 4, 5, 6) o
    ON o.device = s.device AND o.quantity = s.quantity AND o.basis = s.basis AND o.dtype = coalesce(s.dtype, '')
   AND o.engine = coalesce(s.engine, '') AND o.sparsity = coalesce(s.sparsity, '')
 WHERE s.preferred = 1;

-- One factor that is a column of v_comparable; needs: the kinds of evidence that have it.
CREATE VIEW v_column_factor (factor, needs) AS
SELECT CAST(c.column1 AS TEXT) AS factor, CAST(c.column2 AS TEXT) AS needs
  FROM (VALUES ('evidence', 'measured published mlperf'), ('source', 'measured published mlperf'), ('suite', 'mlperf'),
       ('system_type', 'mlperf'), ('round', 'mlperf'), ('division', 'mlperf'), ('availability', 'mlperf'),
       ('verified', 'measured mlperf'), ('submitter', 'mlperf'), ('system', 'mlperf'),
       ('workload', 'measured published mlperf'), ('benchmark', 'measured published mlperf'), ('model', 'mlperf'),
       ('scenario', 'mlperf'), ('device', 'measured published mlperf'), ('devices', 'measured published mlperf'),
       ('nodes', 'mlperf'), ('backend', 'measured'), ('dtype', 'measured published mlperf'), ('accuracy_target', ''),
       ('compatibility', 'mlperf'), ('power_submission', 'mlperf'), ('averaged', 'mlperf'), ('inferred', 'mlperf')) c;

-- One factor of a result that its source gave.
CREATE VIEW v_factor_given AS
SELECT r.result_id AS result_id, p.factor AS factor, p.state AS state, p.text AS text, p.num AS num,
       CAST(coalesce(p.unit, (SELECT f.unit FROM factor f WHERE f.factor = p.factor)) AS TEXT) AS unit,
       r.entry_id AS entry_id, r.ordinal AS ordinal
  FROM result_row r
  JOIN entry e ON e.entry_id = r.entry_id
  JOIN point_factor p ON p.point_id = e.point_id;

-- One factor of a result: those that its source gave, those that are columns, and those derived from names and flags.
-- (Outer joins, not UNION ALL: SQLite brings no condition into the parts of a union that a query counts or averages.)
CREATE VIEW v_factor AS
SELECT k.result_id AS result_id, CAST(CASE k.given WHEN 0 THEN k.factor ELSE k.given_factor END AS TEXT) AS factor,
       CAST(CASE WHEN k.given > 0 THEN k.given_state WHEN k.text IS NOT NULL THEN 'known'
            WHEN k.factor = 'scenario' AND k.suite IN ('training', 'hpc', 'storage') THEN 'inapplicable'
            WHEN k.needs LIKE '%' || k.evidence || '%' THEN 'unknown' ELSE 'inapplicable' END AS TEXT) AS state,
       CAST(CASE k.given WHEN 0 THEN coalesce(k.text, '') ELSE k.given_text END AS TEXT) AS text,
       CAST(CASE WHEN k.given > 0 THEN k.given_num
            ELSE CASE k.factor WHEN 'devices' THEN k.devices WHEN 'nodes' THEN k.nodes
                               WHEN 'accuracy_target' THEN CAST(k.text AS DOUBLE PRECISION) END END AS DOUBLE PRECISION) AS num,
       CAST(CASE WHEN k.given > 0 THEN coalesce(k.given_unit, (SELECT f.unit FROM factor f WHERE f.factor = k.given_factor))
            ELSE CASE k.factor WHEN 'accuracy_target' THEN '1' END END AS TEXT) AS unit,
       k.entry_id AS entry_id, k.ordinal AS ordinal
  FROM (SELECT c.result_id, c.entry_id, c.ordinal, c.evidence, c.suite, c.devices, c.nodes, g.given, coalesce(p.factor, d.factor) AS given_factor,
               coalesce(p.state, 'known') AS given_state, coalesce(p.text, d.text) AS given_text, coalesce(p.num, d.num) AS given_num,
               coalesce(p.unit, d.unit) AS given_unit, n.factor, n.needs,
               CASE n.factor
                 WHEN 'suite' THEN c.suite WHEN 'system_type' THEN c.system_type WHEN 'round' THEN c.round
                 WHEN 'division' THEN c.division WHEN 'availability' THEN c.availability
                 WHEN 'verified' THEN nullif(c.verified, 'unknown') WHEN 'submitter' THEN c.submitter
                 WHEN 'system' THEN c.system WHEN 'workload' THEN c.workload WHEN 'benchmark' THEN c.benchmark
                 WHEN 'model' THEN c.model WHEN 'scenario' THEN c.scenario WHEN 'device' THEN c.device
                 WHEN 'devices' THEN CAST(c.devices AS TEXT) WHEN 'nodes' THEN CAST(c.nodes AS TEXT)
                 WHEN 'backend' THEN c.backend WHEN 'dtype' THEN c.dtype WHEN 'evidence' THEN c.evidence
                 WHEN 'source' THEN c.source WHEN 'accuracy_target' THEN c.accuracy_target
                 WHEN 'compatibility' THEN c.compatibility WHEN 'power_submission' THEN c.power_submission
                 WHEN 'averaged' THEN c.averaged WHEN 'inferred' THEN c.inferred END AS text
          FROM v_comparable c
          CROSS JOIN (SELECT 1 AS given UNION ALL SELECT 0 UNION ALL SELECT 2) g
          LEFT JOIN point_factor p ON g.given = 1 AND p.point_id = c.point_id
          LEFT JOIN name_factor d ON g.given = 2 AND d.spelling = c.raw_device
               AND NOT EXISTS (SELECT 1 FROM point_factor o WHERE o.point_id = c.point_id AND o.factor = d.factor)
          LEFT JOIN v_column_factor n ON g.given = 0
         WHERE p.factor IS NOT NULL OR d.factor IS NOT NULL OR n.factor IS NOT NULL) k;

-- One rule of comparability.
CREATE VIEW v_rule AS
SELECT rule, effect, scope_factor, scope_value, factor, test, a, b, sentence, source, locator FROM rule;

-- What a workload declares about a factor.
CREATE VIEW v_workload_factor AS SELECT workload, factor, role, needed, why FROM workload_factor;

-- One span of rounds within which a benchmark of MLPerf did not change.
CREATE VIEW v_compatibility AS
SELECT suite, system_type, benchmark, scenario, since, until, source, locator FROM compatibility;

-- One latency limit that a round of MLPerf sets for a benchmark and scenario.
CREATE VIEW v_scenario_limit AS
SELECT suite, round, benchmark, scenario, quantity, percentile, limit_s, source, locator FROM scenario_limit;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_factor', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_factor', 2, 'factor', '', 'name of the factor'),
('v_factor', 3, 'state', '', 'known, unknown or inapplicable'),
('v_factor', 4, 'text', '', 'its value as text'),
('v_factor', 5, 'num', 'unit', 'its value as a number, where it is one'),
('v_factor', 6, 'unit', '', 'unit of num'),
('v_factor', 7, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_factor', 8, 'ordinal', '', 'place of the result in the run'),
('v_comparable', 1, 'result_id', '', 'number of the result in this file: to join by; NULL in v_comparable_spec'),
('v_comparable', 2, 'key', '', 'printed key made from the content, the same in every database: to cite'),
('v_comparable', 3, 'evidence', '', 'measured, published or mlperf'),
('v_comparable', 4, 'source', '', 'who says it'),
('v_comparable', 5, 'suite', '', 'suite of benchmarks'),
('v_comparable', 6, 'system_type', '', 'datacenter or edge'),
('v_comparable', 7, 'round', '', 'version of the suite'),
('v_comparable', 8, 'round_order', '', 'the round as a number that sorts: v10.0 after v6.0; NULL: none'),
('v_comparable', 9, 'division', '', 'closed or open'),
('v_comparable', 10, 'availability', '', 'available, preview, rdi'),
('v_comparable', 11, 'verified', '', 'reviewed by MLCommons, or outputs of a kernel'),
('v_comparable', 12, 'submitter', '', 'who submitted or measured it'),
('v_comparable', 13, 'system', '', 'system'),
('v_comparable', 14, 'workload', '', 'what was run; specification for those'),
('v_comparable', 15, 'benchmark', '', 'family of the model, or the workload'),
('v_comparable', 16, 'model', '', 'model'),
('v_comparable', 17, 'scenario', '', 'scenario'),
('v_comparable', 18, 'device', '', 'canonical device'),
('v_comparable', 19, 'devices', '', 'devices that took part'),
('v_comparable', 20, 'nodes', '', 'nodes'),
('v_comparable', 21, 'backend', '', 'program or library'),
('v_comparable', 22, 'dtype', '', 'number format'),
('v_comparable', 23, 'metric', '', 'metric, or quantity of a specification'),
('v_comparable', 24, 'metric_class', '', 'one quantity under identity'),
('v_comparable', 25, 'statistic', '', 'value, mean, ...'),
('v_comparable', 26, 'rank', '', 'MPI rank; NULL: none'),
('v_comparable', 27, 'x', '', 'place in a series; NULL: none'),
('v_comparable', 28, 'value', 'unit', 'in the base unit'),
('v_comparable', 29, 'unit', '', 'base unit'),
('v_comparable', 30, 'better', '', 'higher, lower or none'),
('v_comparable', 31, 'samples', '', 'samples behind the value'),
('v_comparable', 32, 'low', 'unit', 'lower end of the spread'),
('v_comparable', 33, 'high', 'unit', 'upper end of the spread'),
('v_comparable', 34, 'flags', '', 'remarks'),
('v_comparable', 35, 'accuracy_target', '1', 'fraction of the reference accuracy that the benchmark asks for'),
('v_comparable', 36, 'compatibility', '', 'version of the benchmark within which MLCommons allows comparison'),
('v_comparable', 37, 'power_submission', '', 'yes: run with power measurement'),
('v_comparable', 38, 'averaged', '', 'yes: a mean of submissions; perhaps: of a column of averages that no second source shows'),
('v_comparable', 39, 'inferred', '', 'yes: carried over from another scenario; perhaps: a column says so that cannot tell'),
('v_comparable', 40, 'quantity', '', 'of a specification, else NULL'),
('v_comparable', 41, 'engine', '', 'of a specification'),
('v_comparable', 42, 'sparsity', '', 'of a specification'),
('v_comparable', 43, 'basis', '', 'of a specification'),
('v_comparable', 44, 'power_limit', 'W', 'of a specification'),
('v_comparable', 45, 'public_id', '', 'result ID'),
('v_comparable', 46, 'url', '', 'where it was published'),
('v_comparable', 47, 'retrieved', '', 'when it was read there'),
('v_comparable', 48, 'date', '', 'of the statement or measurement; of MLPerf when its round was published'),
('v_comparable', 49, 'tag', '', 'name given by the user'),
('v_comparable', 50, 'campaign', '', 'one command of abdb run'),
('v_comparable', 51, 'cell', '', 'place in its plan'),
('v_comparable', 52, 'run', '', 'printed key of the run'),
('v_comparable', 53, 'raw_device', '', 'device as published'),
('v_comparable', 54, 'disagree', '', '1: sources disagree'),
('v_comparable', 55, 'point_id', '', 'number of its set of factors in this file (v_run_factor)'),
('v_comparable', 56, 'process_id', '', 'number of the process that measured it in this file (v_process)'),
('v_comparable', 57, 'entry_id', '', 'number of the run in this file (v_run); NULL for a specification'),
('v_comparable', 58, 'ordinal', '', 'place in the run; NULL for a specification'),
('v_comparable', 59, 'raw_model', '', 'model as published'),
('v_comparable', 60, 'raw_workload', '', 'workload as published'),
('v_comparable', 61, 'standing', '', 'of a specification: vendor, citing, document, estimate, projection'),
('v_comparable', 62, 'disputed', '', 'of a specification: no; differ (another source, by over 1 %); left out (another value is quarantined); suspect'),
('v_comparable', 63, 'marks', '', 'judgements on the row, blanks between (v_mark); an empty text: none'),
('v_comparable', 64, 'verified_by', '', 'mlcommons, file, abdb or program (v_result)'),
('v_comparable', 65, 'checked_share', '1', 'share of the outputs that was compared'),
('v_column_factor', 1, 'factor', '', 'name of the factor'),
('v_column_factor', 2, 'needs', '', 'kinds of evidence that have it; elsewhere it is inapplicable'),
('v_rule', 1, 'rule', '', 'short name'),
('v_rule', 2, 'effect', '', 'refuse: not comparable; note: said below the table; formula: part of a formula'),
('v_rule', 3, 'scope_factor', '', 'factor that both sides must have'),
('v_rule', 4, 'scope_value', '', 'its value, a glob'),
('v_rule', 5, 'factor', '', 'the factor that is looked at'),
('v_rule', 6, 'test', '', 'differ, pair (one is a, the other b), either (one is a), needed'),
('v_rule', 7, 'a', '', 'a glob'),
('v_rule', 8, 'b', '', 'a glob; ! before it: anything else'),
('v_rule', 9, 'sentence', '', 'what it says'),
('v_rule', 10, 'source', '', 'who says so'),
('v_rule', 11, 'locator', '', 'where'),
('v_workload_factor', 1, 'workload', '', 'a workload, a kind of evidence, specification, environment, or *'),
('v_workload_factor', 2, 'factor', '', 'the factor, or *'),
('v_workload_factor', 3, 'role', '', 'pair: like meets like; load: so does compare, while rank takes the best load; agree: a difference is said; free: the thing compared; report'),
('v_workload_factor', 4, 'needed', '', '1: it may not be unknown'),
('v_workload_factor', 5, 'why', '', 'in words'),
('v_compatibility', 1, 'suite', '', 'suite of MLPerf'),
('v_compatibility', 2, 'system_type', '', 'datacenter, edge, or nothing'),
('v_compatibility', 3, 'benchmark', '', 'family of v_model'),
('v_compatibility', 4, 'scenario', '', 'nothing: all'),
('v_compatibility', 5, 'since', '', 'first round'),
('v_compatibility', 6, 'until', '', 'last round that is listed'),
('v_compatibility', 7, 'source', '', 'who says so'),
('v_compatibility', 8, 'locator', '', 'where'),
('v_scenario_limit', 1, 'suite', '', 'suite of MLPerf'),
('v_scenario_limit', 2, 'round', '', 'version of the suite'),
('v_scenario_limit', 3, 'benchmark', '', 'without its accuracy target: llama2-70b'),
('v_scenario_limit', 4, 'scenario', '', 'Server or Interactive'),
('v_scenario_limit', 5, 'quantity', '', 'ttft_s, tpot_s, or latency_s of a whole query'),
('v_scenario_limit', 6, 'percentile', '%', 'of the requests, that must keep the limit'),
('v_scenario_limit', 7, 'limit_s', 's', 'the longest that counts'),
('v_scenario_limit', 8, 'source', '', 'who sets it'),
('v_scenario_limit', 9, 'locator', '', 'where');
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_factor_given', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_factor';
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_comparable_spec', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_comparable';
