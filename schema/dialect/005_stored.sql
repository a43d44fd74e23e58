-- 005_stored.sql - schema/views/005_stored.sql in the SQL of PostgreSQL: the same views with the same rows, on the tables of
-- warehouse.sql. Everything else in schema/views is of the SQL that both share; tests/cli/warehouse.bats compares them.

CREATE VIEW entry AS
SELECT w.entry_id, printed('e', w.entry_key, w.entry_key_low) AS run, w.entry_key, w.point_id, w.environment_id, w.process_id,
       d.evidence, d.kind, d.status, d.reason, d.verified, d.suite, d.system_type, d.round, d.division, d.availability, d.public_id,
       d.submitter, d.system, d.platform, d.workload, d.model, d.scenario, d.device, d.devices, d.nodes, d.backend, d.dtype, w.date,
       d.tag, d.campaign, w.cell, d.flags, d.source, d.url, d.retrieved, w.origin, w.description_id, w.artifact_id,
       CASE WHEN w.line > 0 THEN 'line ' || w.line ELSE w.place END AS locator, ordered(d.round) AS round_order
  FROM description d
  JOIN entry_row w ON w.description_id = d.description_id
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = w.entry_id);

CREATE VIEW result AS
SELECT w.result_id, w.entry_id, w.ordinal, q.metric, split_part(q.metric, '.', 1) AS metric_stem, q.statistic, w.mpi_rank AS rank, w.x,
       w.value, q.unit, w.raw_value, q.raw_unit, w.cell, w.n, w.low, w.high, q.spread, q.formula
  FROM result_row w
  JOIN quantity q ON q.quantity_id = w.quantity_id;

CREATE VIEW sample AS
SELECT r.result_id, r.entry_id, r.ordinal, u.place - 1 AS seq, u.mpi_rank AS rank, u.t_s, u.value, u.mark
  FROM result_row r
  JOIN sample_row s ON s.entry_id = r.entry_id AND s.ordinal = r.ordinal
 CROSS JOIN LATERAL unnest(s.value, s.t_s, s.mpi_rank, s.mark) WITH ORDINALITY AS u (value, t_s, mpi_rank, mark, place)
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = r.entry_id);

CREATE VIEW single_device AS
SELECT n.spelling, n.canon AS device FROM name n WHERE n.kind = 'device' AND n.parts = 1;

CREATE VIEW spec_stated AS
SELECT printed('s', s.spec_key, s.spec_key_low) AS key, s.* FROM spec s
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'spec' AND g.id = s.spec_id);

CREATE VIEW price_stated AS
SELECT printed('p', p.price_key, p.price_key_low) AS key, p.* FROM price p
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'price' AND g.id = p.price_id);

CREATE VIEW gone_fact AS
SELECT g.kind, g.id, w.entry_key AS fact_key, printed('e', w.entry_key, w.entry_key_low) AS key
  FROM gone g JOIN entry_row w ON g.kind = 'entry' AND w.entry_id = g.id
UNION ALL
SELECT g.kind, g.id, s.spec_key, printed('s', s.spec_key, s.spec_key_low)
  FROM gone g JOIN spec s ON g.kind = 'spec' AND s.spec_id = g.id
UNION ALL
SELECT g.kind, g.id, p.price_key, printed('p', p.price_key, p.price_key_low)
  FROM gone g JOIN price p ON g.kind = 'price' AND p.price_id = g.id;

CREATE VIEW successor AS
SELECT o.entry_key AS old_key, o.entry_key_low AS old_key_low, r.ordinal AS old_ordinal,
       printed('r', o.entry_key, o.entry_key_low) || '-' || r.ordinal AS old, s.result_id AS result_id,
       printed('r', n.entry_key, n.entry_key_low) || '-' || s.ordinal AS key, (s.value <> r.value)::int AS other_value
  FROM gone g
  JOIN entry_row o ON g.kind = 'entry' AND o.entry_id = g.id
  JOIN result_row r ON r.entry_id = o.entry_id
  JOIN quantity q ON q.quantity_id = r.quantity_id
  JOIN artifact a ON a.artifact_id = o.artifact_id
  JOIN artifact b ON b.sha256 = a.sha256 AND b.format = a.format AND b.words = a.words AND b.importer > a.importer
  JOIN entry_row n ON n.artifact_id = b.artifact_id AND n.line IS NOT DISTINCT FROM o.line AND n.place IS NOT DISTINCT FROM o.place
  JOIN result_row s ON s.entry_id = n.entry_id AND s.x IS NOT DISTINCT FROM r.x AND s.mpi_rank IS NOT DISTINCT FROM r.mpi_rank
  JOIN quantity t ON t.quantity_id = s.quantity_id AND t.metric = q.metric AND t.statistic = q.statistic
 WHERE n.entry_id NOT IN (SELECT w.id FROM gone w WHERE w.kind = 'entry');

CREATE VIEW round_told AS
SELECT DISTINCT e.round FROM entry e WHERE e.round IS NOT NULL;

CREATE VIEW tag_told AS
SELECT DISTINCT e.tag FROM entry e WHERE e.tag IS NOT NULL;

CREATE VIEW round_ordered AS
SELECT suite, round, ordered(round) AS round_order, published, source, locator FROM round;

CREATE VIEW compatibility_ordered AS
SELECT suite, system_type, benchmark, scenario, since, until, source, locator, ordered(since) AS since_order, ordered(until) AS until_order
  FROM compatibility;

-- Lists, not EXISTS for each row of a table that is on every node: Citus asks what is spread once.
CREATE VIEW process_told AS
SELECT p.* FROM process p WHERE (p.campaign, p.process_id) IN (SELECT e.campaign, e.process_id FROM entry e);

CREATE VIEW campaign_told AS
SELECT e.campaign, coalesce(min(s.started), min(e.date)) AS date
  FROM entry e
  LEFT JOIN (SELECT campaign, min(started) AS started FROM process_told GROUP BY campaign) s ON s.campaign = e.campaign
 WHERE e.campaign IS NOT NULL AND e.date IS NOT NULL GROUP BY e.campaign;

CREATE VIEW device_measured AS
SELECT DISTINCT n.whole AS device
  FROM name n
 WHERE n.kind = 'device' AND n.part = 1
   AND n.spelling IN (SELECT e.device FROM entry e WHERE e.source = 'abdb-run' AND e.evidence = 'measured');

CREATE VIEW result_marked AS
SELECT r.result_id,
       (SELECT string_agg(m.mark, ' ' ORDER BY m.mark) FROM mark m
         WHERE strpos(' ' || e.flags || ' ' || coalesce(s.flags, '') || ' ', ' ' || m.mark || ' ') > 0) AS marks
  FROM result_row r
  JOIN entry e ON e.entry_id = r.entry_id
  LEFT JOIN subject s ON s.result_id = r.result_id
 WHERE e.flags <> '' OR s.flags <> '';

CREATE VIEW curve_setting AS
SELECT e.entry_id, e.point_id,
       (SELECT string_agg(p.factor || '=' ||
                       CASE WHEN c.role = 'agree' AND p.num IS NOT NULL THEN '~' || CAST(CAST(CASE WHEN p.num < 100 THEN round(p.num)
                              WHEN p.num < 1000 THEN 10 * round(p.num / 10) WHEN p.num < 10000 THEN 100 * round(p.num / 100)
                              ELSE 1000 * round(p.num / 1000) END AS INTEGER) AS TEXT)
                            ELSE p.text END, ', ' ORDER BY p.factor COLLATE "C")
                  FROM point_factor p LEFT JOIN workload_factor c ON c.workload = 'curve' AND c.factor = p.factor
                 WHERE p.point_id = e.point_id AND p.state = 'known' AND p.factor NOT LIKE 'user_word%'
                   AND coalesce(c.role, 'pair') IN ('pair', 'agree')) AS settings
  FROM entry e;
