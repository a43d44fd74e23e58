-- 005_stored.sql - entries, results and samples as one row each, put together from the tables that hold them,
-- without what was withdrawn. Everything that only SQLite can say stands in this file; the views that follow are of the SQL
-- that SQLite and PostgreSQL share.
--
-- result_id and entry_id are numbers of this file: they join. key and run are text, the same in every database: they cite.
-- round_order puts rounds in order as numbers, v10.0 after v6.0. Whether anything was withdrawn is asked once for a query,
-- not once for a row.

CREATE VIEW entry AS
SELECT w.entry_id AS entry_id, CAST(printf('e-%016x%016x', w.entry_key, w.entry_key_low) AS TEXT) AS run, w.entry_key AS entry_key,
       w.point_id AS point_id, w.environment_id AS environment_id, w.process_id AS process_id, d.evidence AS evidence,
       d.kind AS kind, d.status AS status, d.reason AS reason, d.verified AS verified, d.suite AS suite, d.system_type AS system_type,
       d.round AS round, d.division AS division, d.availability AS availability, d.public_id AS public_id, d.submitter AS submitter,
       d.system AS system, d.platform AS platform, d.workload AS workload, d.model AS model, d.scenario AS scenario, d.device AS device,
       d.devices AS devices, d.nodes AS nodes, d.backend AS backend, d.dtype AS dtype, w.date AS date, d.tag AS tag,
       d.campaign AS campaign, w.cell AS cell, d.flags AS flags, d.source AS source, d.url AS url, d.retrieved AS retrieved,
       w.origin AS origin, w.description_id AS description_id, w.artifact_id AS artifact_id,
       CAST(CASE WHEN w.line > 0 THEN 'line ' || w.line ELSE w.place END AS TEXT) AS locator,
       CAST(CASE WHEN d.round GLOB 'v[0-9]*' THEN CAST(substr(d.round, 2) AS INTEGER) * 1000
                 + CAST(substr(d.round, instr(d.round || '.', '.') + 1) AS INTEGER) END AS INTEGER) AS round_order
  FROM description d -- first, so that a planner's hint before entry holds for it
  JOIN entry_row w ON w.description_id = d.description_id
 WHERE NOT (EXISTS (SELECT 1 FROM gone) AND EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = w.entry_id));

-- metric_stem: 'accuracy' of 'accuracy.rouge1', as table metric has it.
CREATE VIEW result AS
SELECT w.result_id AS result_id, w.entry_id AS entry_id, w.ordinal AS ordinal, q.metric AS metric,
       CAST(substr(q.metric, 1, instr(q.metric || '.', '.') - 1) AS TEXT) AS metric_stem, q.statistic AS statistic, w.mpi_rank AS rank, w.x AS x,
       w.value AS value, q.unit AS unit, w.raw_value AS raw_value, q.raw_unit AS raw_unit, w.cell AS cell, w.n AS n, w.low AS low,
       w.high AS high, q.spread AS spread, q.formula AS formula
  FROM result_row w
  JOIN quantity q ON q.quantity_id = w.quantity_id;

-- CROSS: the planner never begins with the samples, which it would were they many beside the results; they are looked for
-- by both their ends. (Likelihoods of either end made it, in a small file, go through all that follow the first.)
CREATE VIEW sample AS
SELECT r.result_id AS result_id, r.entry_id AS entry_id, r.ordinal AS ordinal,
       CAST(s.sample_id - r.first_sample AS INTEGER) AS seq, s.mpi_rank AS rank,
       s.t_s AS t_s, s.value AS value, s.mark AS mark
  FROM result_row r
  CROSS JOIN sample_row s ON s.sample_id >= r.first_sample AND s.sample_id <= r.last_sample
 WHERE NOT (EXISTS (SELECT 1 FROM gone) AND EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = r.entry_id));

-- Spellings of single devices, not of mixed systems. (name.parts says it too, but no index has it.)
CREATE VIEW single_device AS
SELECT n.spelling AS spelling, n.canon AS device FROM name n
 WHERE n.kind = 'device' AND NOT EXISTS (SELECT 1 FROM name m WHERE m.kind = 'device' AND m.spelling = n.spelling AND m.part = 2);

-- Printed keys of specifications and prices, what was withdrawn left out.
CREATE VIEW spec_stated AS
SELECT CAST(printf('s-%016x%016x', s.spec_key, s.spec_key_low) AS TEXT) AS key, s.* FROM spec s
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'spec' AND g.id = s.spec_id);

CREATE VIEW price_stated AS
SELECT CAST(printf('p-%016x%016x', p.price_key, p.price_key_low) AS TEXT) AS key, p.* FROM price p
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'price' AND g.id = p.price_id);

-- Facts that are withdrawn, with their printed key and the first half of that as a number.
CREATE VIEW gone_fact AS
SELECT CAST('entry' AS TEXT) AS kind, w.entry_id AS id, w.entry_key AS fact_key,
       CAST(printf('e-%016x%016x', w.entry_key, w.entry_key_low) AS TEXT) AS key
  FROM entry_row w WHERE w.entry_id IN (SELECT g.id FROM gone g WHERE g.kind = 'entry')
UNION ALL
SELECT CAST('spec' AS TEXT), s.spec_id, s.spec_key, CAST(printf('s-%016x%016x', s.spec_key, s.spec_key_low) AS TEXT)
  FROM spec s WHERE s.spec_id IN (SELECT g.id FROM gone g WHERE g.kind = 'spec')
UNION ALL
SELECT CAST('price' AS TEXT), p.price_id, p.price_key, CAST(printf('p-%016x%016x', p.price_key, p.price_key_low) AS TEXT)
  FROM price p WHERE p.price_id IN (SELECT g.id FROM gone g WHERE g.kind = 'price');

-- Results of an older reading of a file, and the one that a newer importer reads at the same place: the successor of a key. Of
-- several there it is the one of the same quantity and value. Nothing leads from a file to its rows: ask for few.
CREATE VIEW successor AS
SELECT o.entry_key AS old_key, o.entry_key_low AS old_key_low, r.ordinal AS old_ordinal,
       CAST(printf('r-%016x%016x-%d', o.entry_key, o.entry_key_low, r.ordinal) AS TEXT) AS old, s.result_id AS result_id,
       CAST(printf('r-%016x%016x-%d', n.entry_key, n.entry_key_low, s.ordinal) AS TEXT) AS key, CAST(s.value <> r.value AS TEXT) AS other_value
  FROM entry_row o
  JOIN result_row r ON r.entry_id = o.entry_id
  JOIN quantity q ON q.quantity_id = r.quantity_id
  JOIN artifact a ON a.artifact_id = o.artifact_id
  JOIN artifact b ON b.sha256 = a.sha256 AND b.format = a.format AND b.words = a.words AND b.importer > a.importer
  JOIN entry_row n ON n.artifact_id = b.artifact_id AND n.line IS o.line AND n.place IS o.place
  JOIN result_row s ON s.entry_id = n.entry_id AND s.x IS r.x AND s.mpi_rank IS r.mpi_rank
  JOIN quantity t ON t.quantity_id = s.quantity_id AND t.metric = q.metric AND t.statistic = q.statistic
 WHERE EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = o.entry_id)
   AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = n.entry_id);

-- Rounds that anybody names: an index leads from each to the next, whatever number of entries it has.
CREATE VIEW round_told AS
WITH RECURSIVE r (round) AS (
  SELECT min(d.round) FROM description d WHERE d.round IS NOT NULL
  UNION ALL
  SELECT (SELECT min(d.round) FROM description d WHERE d.round > r.round) FROM r WHERE r.round IS NOT NULL)
SELECT r.round AS round FROM r WHERE EXISTS (SELECT 1 FROM entry e WHERE e.round = r.round);

-- Tags that anybody gave, found as rounds are.
CREATE VIEW tag_told AS
WITH RECURSIVE t (tag) AS (
  SELECT min(d.tag) FROM description d WHERE d.tag IS NOT NULL
  UNION ALL
  SELECT (SELECT min(d.tag) FROM description d WHERE d.tag > t.tag) FROM t WHERE t.tag IS NOT NULL)
SELECT t.tag AS tag FROM t WHERE EXISTS (SELECT 1 FROM entry e WHERE e.tag = t.tag);

-- Rounds in order.
CREATE VIEW round_ordered AS
SELECT suite, round, CAST(CASE WHEN round GLOB 'v[0-9]*' THEN CAST(substr(round, 2) AS INTEGER) * 1000
                               + CAST(substr(round, instr(round || '.', '.') + 1) AS INTEGER) END AS INTEGER) AS round_order,
       published, source, locator
  FROM round;

CREATE VIEW compatibility_ordered AS
SELECT suite, system_type, benchmark, scenario, since, until, source, locator,
       CAST(CAST(substr(since, 2) AS INTEGER) * 1000 + CAST(substr(since, instr(since || '.', '.') + 1) AS INTEGER) AS INTEGER) AS since_order,
       CAST(CAST(substr(until, 2) AS INTEGER) * 1000 + CAST(substr(until, instr(until || '.', '.') + 1) AS INTEGER) AS INTEGER) AS until_order
  FROM compatibility;

-- Processes of what was not withdrawn.
CREATE VIEW process_told AS
SELECT p.* FROM process p
 WHERE EXISTS (SELECT 1 FROM entry e WHERE e.campaign = p.campaign AND e.process_id = p.process_id);

-- Campaigns of what was not withdrawn. date is when the first of its processes began; where none is told that of one of its runs,
-- found by an index: a command takes minutes, a campaign has thousands.
CREATE VIEW campaign_told AS
SELECT c.campaign AS campaign, CAST(coalesce((SELECT min(p.started) FROM process_told p WHERE p.campaign = c.campaign), c.date) AS TEXT) AS date
  FROM (SELECT d.campaign AS campaign,
               (SELECT e.date FROM entry e WHERE e.campaign = d.campaign AND e.date IS NOT NULL LIMIT 1) AS date
          FROM (SELECT DISTINCT campaign FROM description WHERE campaign IS NOT NULL) d) c
 WHERE c.date IS NOT NULL;

-- Devices on which something was measured by abdb run.
CREATE VIEW device_measured AS
SELECT DISTINCT n.whole AS device
  FROM name n
 WHERE n.kind = 'device' AND n.part = 1
   AND EXISTS (SELECT 1 FROM entry e WHERE e.source = 'abdb-run' AND e.device = n.spelling AND e.evidence = 'measured');

-- Marks of a result that its flags say, in order, blanks between.
CREATE VIEW result_marked AS
SELECT r.result_id AS result_id,
       CAST((SELECT group_concat(o.mark, ' ')
          FROM (SELECT m.mark FROM mark m
                 WHERE instr(' ' || e.flags || ' ' || coalesce(s.flags, '') || ' ', ' ' || m.mark || ' ') ORDER BY m.mark) o) AS TEXT) AS marks
  FROM result_row r
  JOIN entry e ON e.entry_id = r.entry_id
  LEFT JOIN subject s ON s.result_id = r.result_id
 WHERE e.flags <> '' OR s.flags <> '';

-- What the points of a curve agree in, as far as it is a factor: rows `curve` of data/rules/workloads.csv say which factors decide
-- (pair; agree: to two or three digits, as means of random lengths do) and which do not.
CREATE VIEW curve_setting AS
SELECT e.entry_id AS entry_id, e.point_id AS point_id,
       (SELECT group_concat(o.word, ', ')
          FROM (SELECT p.factor || '=' ||
                       CASE WHEN c.role = 'agree' AND p.num IS NOT NULL THEN '~' || CAST(CAST(CASE WHEN p.num < 100 THEN round(p.num)
                              WHEN p.num < 1000 THEN 10 * round(p.num / 10) WHEN p.num < 10000 THEN 100 * round(p.num / 100)
                              ELSE 1000 * round(p.num / 1000) END AS INTEGER) AS TEXT)
                            ELSE p.text END AS word
                  FROM point_factor p LEFT JOIN workload_factor c ON c.workload = 'curve' AND c.factor = p.factor
                 WHERE p.point_id = e.point_id AND p.state = 'known' AND p.factor NOT LIKE 'user_word%'
                   AND coalesce(c.role, 'pair') IN ('pair', 'agree') ORDER BY p.factor) o) AS settings
  FROM entry e;
