-- 050_comparable.sql - factors, and what comparisons look at. Plain SQL, no extension.

-- One result with the factors that are derived from names and flags.
-- A factor that is a column is NULL where it is unknown or cannot apply; v_factor tells which.
CREATE VIEW v_comparable AS
SELECT r.result_id AS result_id, r.evidence AS evidence, r.source AS source, r.suite AS suite,
       r.system_type AS system_type, r.round AS round, r.division AS division, r.availability AS availability,
       r.verified AS verified, r.submitter AS submitter, r.system AS system, r.workload AS workload,
       coalesce((SELECT m.family FROM model m WHERE m.model = r.model), r.model, r.workload) AS benchmark, r.model AS model, r.scenario AS scenario,
       r.device AS device, r.devices AS devices, r.nodes AS nodes, r.backend AS backend, r.dtype AS dtype,
       r.metric AS metric, r.metric_class AS metric_class, r.statistic AS statistic, r.rank AS rank, r.x AS x,
       r.value AS value, r.unit AS unit, r.better AS better, r.n AS n, r.low AS low, r.high AS high, r.flags AS flags,
       (SELECT CAST(m.accuracy_target AS TEXT) FROM model m WHERE m.model = r.model) AS accuracy_target,
       CASE WHEN r.evidence <> 'mlperf' THEN NULL
            ELSE coalesce((SELECT c.benchmark || ' since ' || c.since FROM compatibility c
                            WHERE c.suite = r.suite AND c.system_type IN ('', r.system_type)
                              AND c.benchmark = coalesce((SELECT m.family FROM model m WHERE m.model = r.model), r.model, r.workload)
                              AND c.scenario IN ('', r.scenario)
                              AND CAST(substr(r.round, 2) AS REAL) BETWEEN CAST(substr(c.since, 2) AS REAL)
                                                                       AND CAST(substr(c.until, 2) AS REAL)
                            ORDER BY c.scenario DESC, c.since LIMIT 1), 'unlisted ' || r.round) END AS compatibility,
       CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN ' ' || r.flags || ' ' LIKE '% power %' THEN 'yes' ELSE 'no' END
         AS power_submission,
       CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN ' ' || r.flags || ' ' LIKE '% averaged %' THEN 'yes' ELSE 'no' END
         AS averaged,
       CASE WHEN r.evidence <> 'mlperf' THEN NULL WHEN ' ' || r.flags || ' ' LIKE '% inferred %' THEN 'yes' ELSE 'no' END
         AS inferred,
       NULL AS quantity, NULL AS engine, NULL AS sparsity, NULL AS basis, NULL AS power_limit, -- of v_comparable_spec
       r.public_id AS public_id, r.url AS url, r.retrieved AS retrieved, r.date AS date, r.tag AS tag,
       r.campaign AS campaign, r.cell AS cell, r.run AS run, r.raw_device AS raw_device, r.disagree AS disagree,
       r.point_id AS point_id, r.entry_id AS entry_id, r.ordinal AS ordinal, r.raw_model AS raw_model,
       r.raw_workload AS raw_workload
  FROM v_result r;
-- One preferred specification, in the columns of v_comparable, so that peaks can be compared too.
CREATE VIEW v_comparable_spec AS
SELECT s.spec_id AS result_id, 'published' AS evidence, s.source AS source, NULL AS suite, NULL AS system_type,
       NULL AS round, NULL AS division, NULL AS availability, NULL AS verified, NULL AS submitter, NULL AS system,
       'specification' AS workload, NULL AS benchmark, NULL AS model, NULL AS scenario, s.device AS device, 1 AS devices,
       NULL AS nodes, NULL AS backend, s.dtype AS dtype, s.quantity AS metric, s.quantity AS metric_class,
       'value' AS statistic, -1 AS rank, 0.0 AS x, s.value AS value, s.unit AS unit,
       CASE s.quantity WHEN 'power' THEN 'lower' ELSE 'higher' END AS better, NULL AS n, NULL AS low, NULL AS high,
       '' AS flags, NULL AS accuracy_target, NULL AS compatibility, NULL AS power_submission, NULL AS averaged,
       NULL AS inferred, s.quantity AS quantity, s.engine AS engine, s.sparsity AS sparsity, s.basis AS basis,
       s.power_limit AS power_limit, NULL AS public_id, NULL AS url, NULL AS retrieved, s.date AS date, NULL AS tag,
       NULL AS campaign, NULL AS cell, NULL AS run, s.device AS raw_device, 0 AS disagree, NULL AS point_id,
       s.id AS entry_id, -1 AS ordinal, NULL AS raw_model, NULL AS raw_workload
  FROM v_spec s WHERE s.preferred = 1;

-- One factor that is a column of v_comparable; needs: the kinds of evidence that have it.
CREATE VIEW v_column_factor AS
SELECT 'evidence' AS factor, 'measured published mlperf' AS needs UNION ALL
SELECT 'source', 'measured published mlperf' UNION ALL
SELECT 'suite', 'mlperf' UNION ALL
SELECT 'system_type', 'mlperf' UNION ALL
SELECT 'round', 'mlperf' UNION ALL
SELECT 'division', 'mlperf' UNION ALL
SELECT 'availability', 'mlperf' UNION ALL
SELECT 'verified', 'measured mlperf' UNION ALL
SELECT 'submitter', 'mlperf' UNION ALL
SELECT 'system', 'mlperf' UNION ALL
SELECT 'workload', 'measured published mlperf' UNION ALL
SELECT 'benchmark', 'measured published mlperf' UNION ALL
SELECT 'model', 'mlperf' UNION ALL
SELECT 'scenario', 'mlperf' UNION ALL
SELECT 'device', 'measured published mlperf' UNION ALL
SELECT 'devices', 'measured published mlperf' UNION ALL
SELECT 'nodes', 'mlperf' UNION ALL
SELECT 'backend', 'measured' UNION ALL
SELECT 'dtype', 'measured published mlperf' UNION ALL
SELECT 'accuracy_target', '' UNION ALL
SELECT 'compatibility', 'mlperf' UNION ALL
SELECT 'power_submission', 'mlperf' UNION ALL
SELECT 'averaged', 'mlperf' UNION ALL
SELECT 'inferred', 'mlperf';

-- One factor of a result that its source gave.
CREATE VIEW v_factor_given AS
SELECT printf('r-%016x-%d', e.entry_key, r.ordinal) AS result_id,
       p.factor AS factor, p.state AS state, p.text AS text, p.num AS num,
       coalesce(p.unit, (SELECT f.unit FROM factor f WHERE f.factor = p.factor)) AS unit,
       r.entry_id AS entry_id, r.ordinal AS ordinal
  FROM result r
  JOIN entry e ON e.entry_id = r.entry_id
  JOIN point_factor p ON p.point_id = e.point_id;

-- One factor of a result: those that its source gave, those that are columns, and those derived from names and flags.
CREATE VIEW v_factor AS
SELECT result_id, factor, state, text, num, unit, entry_id, ordinal FROM v_factor_given
UNION ALL
SELECT k.result_id, k.factor,
       CASE WHEN k.text IS NOT NULL THEN 'known' WHEN k.needs LIKE '%' || k.evidence || '%' THEN 'unknown'
            ELSE 'inapplicable' END,
       coalesce(k.text, ''), CASE k.factor WHEN 'devices' THEN k.devices WHEN 'nodes' THEN k.nodes
                                           WHEN 'accuracy_target' THEN CAST(k.text AS REAL) END,
       CASE k.factor WHEN 'accuracy_target' THEN '1' END, k.entry_id, k.ordinal
  FROM (SELECT c.result_id, c.entry_id, c.ordinal, c.evidence, c.devices, c.nodes, n.factor, n.needs,
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
          JOIN v_column_factor n) k;

-- One rule of comparability.
CREATE VIEW v_rule AS
SELECT rule, effect, scope_factor, scope_value, factor, test, a, b, sentence, source, locator FROM rule;

-- What a workload declares about a factor.
CREATE VIEW v_workload_factor AS SELECT workload, factor, role, needed, why FROM workload_factor;

-- One span of rounds within which a benchmark of MLPerf did not change.
CREATE VIEW v_compatibility AS
SELECT suite, system_type, benchmark, scenario, since, until, source, locator FROM compatibility;

INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_factor', 1, 'result_id', '', 'the result'),
('v_factor', 2, 'factor', '', 'name of the factor'),
('v_factor', 3, 'state', '', 'known, unknown or inapplicable'),
('v_factor', 4, 'text', '', 'its value as text'),
('v_factor', 5, 'num', 'unit', 'its value as a number, where it is one'),
('v_factor', 6, 'unit', '', 'unit of num'),
('v_factor', 7, 'entry_id', '', 'key of the entry'),
('v_factor', 8, 'ordinal', '', 'place of the result in the entry'),
('v_comparable', 1, 'result_id', '', 'the result (r-); in v_comparable_spec the specification (s-)'),
('v_comparable', 2, 'evidence', '', 'measured, published or mlperf'),
('v_comparable', 3, 'source', '', 'who says it'),
('v_comparable', 4, 'suite', '', 'suite of benchmarks'),
('v_comparable', 5, 'system_type', '', 'datacenter or edge'),
('v_comparable', 6, 'round', '', 'version of the suite'),
('v_comparable', 7, 'division', '', 'closed or open'),
('v_comparable', 8, 'availability', '', 'available, preview, rdi'),
('v_comparable', 9, 'verified', '', 'reviewed by MLCommons, or outputs of a kernel'),
('v_comparable', 10, 'submitter', '', 'who submitted or measured it'),
('v_comparable', 11, 'system', '', 'system'),
('v_comparable', 12, 'workload', '', 'what was run; specification for those'),
('v_comparable', 13, 'benchmark', '', 'family of the model, or the workload'),
('v_comparable', 14, 'model', '', 'model'),
('v_comparable', 15, 'scenario', '', 'scenario'),
('v_comparable', 16, 'device', '', 'canonical device'),
('v_comparable', 17, 'devices', '', 'devices that took part'),
('v_comparable', 18, 'nodes', '', 'nodes'),
('v_comparable', 19, 'backend', '', 'program or library'),
('v_comparable', 20, 'dtype', '', 'number format'),
('v_comparable', 21, 'metric', '', 'metric, or quantity of a specification'),
('v_comparable', 22, 'metric_class', '', 'one quantity under identity'),
('v_comparable', 23, 'statistic', '', 'value, mean, ...'),
('v_comparable', 24, 'rank', '', 'MPI rank'),
('v_comparable', 25, 'x', '', 'place in a series'),
('v_comparable', 26, 'value', 'unit', 'in the base unit'),
('v_comparable', 27, 'unit', '', 'base unit'),
('v_comparable', 28, 'better', '', 'higher, lower or none'),
('v_comparable', 29, 'n', '', 'samples'),
('v_comparable', 30, 'low', 'unit', 'lower end of the spread'),
('v_comparable', 31, 'high', 'unit', 'upper end of the spread'),
('v_comparable', 32, 'flags', '', 'remarks'),
('v_comparable', 33, 'accuracy_target', '1', 'fraction of the reference accuracy that the benchmark asks for'),
('v_comparable', 34, 'compatibility', '', 'version of the benchmark within which MLCommons allows comparison'),
('v_comparable', 35, 'power_submission', '', 'yes: run with power measurement'),
('v_comparable', 36, 'averaged', '', 'yes: a mean of submissions'),
('v_comparable', 37, 'inferred', '', 'yes: carried over from another scenario'),
('v_comparable', 38, 'quantity', '', 'of a specification, else NULL'),
('v_comparable', 39, 'engine', '', 'of a specification'),
('v_comparable', 40, 'sparsity', '', 'of a specification'),
('v_comparable', 41, 'basis', '', 'of a specification'),
('v_comparable', 42, 'power_limit', 'W', 'of a specification'),
('v_comparable', 43, 'public_id', '', 'result ID'),
('v_comparable', 44, 'url', '', 'where it was published'),
('v_comparable', 45, 'retrieved', '', 'when it was read there'),
('v_comparable', 46, 'date', '', 'of the statement or measurement'),
('v_comparable', 47, 'tag', '', 'name given by the user'),
('v_comparable', 48, 'campaign', '', 'one command of abdb run'),
('v_comparable', 49, 'cell', '', 'place in its plan'),
('v_comparable', 50, 'run', '', 'key of the entry'),
('v_comparable', 51, 'raw_device', '', 'device as published'),
('v_comparable', 52, 'disagree', '', '1: sources disagree'),
('v_comparable', 53, 'point_id', '', 'set of factors'),
('v_comparable', 54, 'entry_id', '', 'key of the entry, or of the specification'),
('v_comparable', 55, 'ordinal', '', 'place in the entry; -1 for a specification'),
('v_comparable', 56, 'raw_model', '', 'model as published'),
('v_comparable', 57, 'raw_workload', '', 'workload as published'),
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
('v_compatibility', 8, 'locator', '', 'where');
INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_factor_given', place, column, unit, meaning FROM column_doc WHERE view = 'v_factor';
INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_comparable_spec', place, column, unit, meaning FROM column_doc WHERE view = 'v_comparable';
