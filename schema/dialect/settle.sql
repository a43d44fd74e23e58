-- settle.sql - what withdrawals leave out and the ceilings: schema/store/withdrawn.c and ceilings.c in the SQL of PostgreSQL. Names and
-- subjects come from abdb (query/warehouse/derive_remote.c). The table seen has the arrivals that are settled now. What is right already stays as it is.

CREATE TEMP TABLE gone_now ON COMMIT DROP AS
WITH name_gone AS (SELECT kind, id FROM fact WHERE fact IN (SELECT target FROM withdrawn)),
     bad AS MATERIALIZED (SELECT artifact_id FROM gone_artifact),
     result_gone AS (SELECT r.entry_id FROM name_gone n JOIN result_row r ON r.result_id = n.id WHERE n.kind = 'result'),
     origin_gone AS (SELECT kind, id FROM origin GROUP BY kind, id HAVING bool_and(artifact_id IN (SELECT artifact_id FROM bad)))
SELECT 'entry' AS kind, e.entry_id AS id
  FROM entry_row e
 WHERE EXISTS (SELECT 1 FROM withdrawn)
   AND (e.entry_id IN (SELECT ('x' || substr(target, 3, 16))::BIT(64)::BIGINT FROM withdrawn WHERE target ~ '^[er]-[0-9a-f]{32}')
        OR e.entry_id IN (SELECT entry_id FROM result_gone) OR e.artifact_id IN (SELECT artifact_id FROM bad))
   AND (EXISTS (SELECT 1 FROM withdrawn w WHERE w.target = printed('e', e.entry_key, e.entry_key_low)
                OR substr(w.target, 1, 34) = printed('r', e.entry_key, e.entry_key_low))
        OR e.entry_id IN (SELECT entry_id FROM result_gone)
        OR (e.artifact_id IN (SELECT artifact_id FROM bad)
            AND NOT EXISTS (SELECT 1 FROM witness_row x
                             WHERE x.entry_id = e.entry_id AND x.artifact_id NOT IN (SELECT artifact_id FROM bad))))
UNION SELECT 'spec', spec_id FROM spec WHERE printed('s', spec_key, spec_key_low) IN (SELECT target FROM withdrawn)
UNION SELECT 'price', price_id FROM price WHERE printed('p', price_key, price_key_low) IN (SELECT target FROM withdrawn)
UNION SELECT kind, id FROM name_gone WHERE kind <> 'result'
UNION SELECT kind, id FROM origin_gone;
CREATE TEMP TABLE back ON COMMIT DROP AS SELECT kind, id FROM gone EXCEPT SELECT kind, id FROM gone_now;
DELETE FROM gone WHERE (kind, id) IN (SELECT kind, id FROM back);
INSERT INTO gone SELECT kind, id FROM gone_now ON CONFLICT DO NOTHING;

-- A new cell meets the best so far; where something was withdrawn or said again, all cells are looked at.
CREATE TEMP TABLE looked ON COMMIT DROP AS
SELECT entry_id FROM entry_row WHERE pushed_at >= (SELECT min(pushed_at) FROM seen)
UNION SELECT r.entry_id FROM ceiling_best b JOIN result_row r ON r.result_id = b.result_id
UNION SELECT entry_id FROM entry_row WHERE EXISTS (SELECT 1 FROM seen WHERE brought ~ '\m(withdrawal|witness_row|fact)\M');
ANALYZE looked;
CREATE TEMP TABLE best_now ON COMMIT DROP AS
SELECT device, quantity, dtype, result_id
  FROM (SELECT f.*, row_number() OVER (PARTITION BY device, quantity, dtype ORDER BY value DESC, entry_key, result_id) AS place
          FROM (SELECT coalesce(d.device, '') AS device, p.text AS quantity,
                       CASE WHEN p.text <> 'memory_bandwidth' THEN coalesce(d.dtype, '') ELSE '' END AS dtype, r.value, w.entry_key, r.result_id
                  FROM looked l
                  JOIN entry_row w ON w.entry_id = l.entry_id
                  JOIN point_factor p ON p.point_id = w.point_id
                  JOIN description d ON d.description_id = w.description_id AND d.evidence = 'measured' AND d.verified = 'pass'
                   AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.effect <> 'show' AND strpos(' ' || d.flags || ' ', ' ' || m.mark || ' ') > 0)
                  JOIN result_row r ON r.entry_id = w.entry_id
                  JOIN quantity q ON q.quantity_id = r.quantity_id
                   AND q.metric = CASE p.text WHEN 'memory_bandwidth' THEN 'bytes_per_s' WHEN 'peak_flops' THEN 'flops_per_s'
                                              WHEN 'peak_ops' THEN 'ops_per_s' END
                 WHERE p.factor = 'ceiling' AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = w.entry_id)) f) f
 WHERE place = 1;
CREATE TEMP TABLE passed ON COMMIT DROP AS
SELECT device, quantity, dtype, result_id FROM ceiling_best EXCEPT SELECT device, quantity, dtype, result_id FROM best_now;
DELETE FROM ceiling_best WHERE (device, quantity, dtype) IN (SELECT device, quantity, dtype FROM passed);
INSERT INTO ceiling_best SELECT * FROM best_now ON CONFLICT DO NOTHING;
