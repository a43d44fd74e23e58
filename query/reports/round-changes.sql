-- title: MLPerf® Inference: what changed from {from} to {to}
-- question: what changed between two rounds of MLPerf®
-- group: Which accelerator is faster?
-- param: from | text | v5.1 | earlier round
-- param: to | text | v6.0 | later round
-- param: model | text | | one benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: division | text | closed | closed or open
-- param: system_type | text | datacenter | datacenter or edge
-- param: why | flag | | what moved each result: this side, the method, and with the next two the other side and the price
-- param: against | text | | of --why: another device; what moved is the ratio to it
-- param: per | text | device | of --why: dollar divides by the prices that counted on the days on which the rounds were published | SELECT 'device' UNION SELECT 'dollar'
-- param: limit | number 1.. | 60 | rows at most
-- column: model | benchmark | | in both rounds unchanged by MLCommons' table, else it is not listed
-- column: scenario | scenario | |
-- column: device | device | cut24 | canonical device
-- column: before | before/device† | 1 | best of the earlier round | per_device@1
-- column: after | after/device† | 1 | best of the later round | per_device@1
-- column: ratio | ratio | 2 | after / before; stated values, not a test
-- column: unit | unit | |
-- column: what | what | | changed, new or gone
-- column: moved | moved | 3 | of --why: after / before, with --against of the ratio to that device: the product of the next six
-- column: this_side | this side | 3 | factor of number of devices and system; empty: neither changed
-- column: method | method | 3 | factor of round (software, rules), backend and number format; empty: no result separates it
-- column: joint | both | 3 | factor of this side and the method together, which no result separates
-- column: other_side | other side | 3 | before / after of the device of --against
-- column: price | price | 3 | of --per dollar: price before / after, of --against divided by that of the other device
-- column: exchange | exchange | 3 | of --per dollar: factor of the currencies
-- column: moved_by | moved by | cut60 | the largest of these; of this side and the method the factors of `abdb why`
-- hoist: model scenario unit moved this_side method joint other_side price exchange moved_by
-- @table best
WITH chosen AS (
  SELECT r.round, r.model, r.scenario, r.device, r.unit, r.each AS value, r.key, c.compatibility,
         row_number() OVER (PARTITION BY r.round, r.model, r.scenario, r.device, r.unit
                            ORDER BY r.each DESC, r.key) AS place
    FROM v_mlperf r JOIN v_comparable c ON c.result_id = r.result_id
   WHERE r.round IN (:from, :to) AND r.division = :division AND r.system_type = :system_type AND r.left_out = ''
     AND c.power_submission = 'no' AND r.better = 'higher'
     AND (:model IS NULL OR r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model)))
SELECT * FROM chosen WHERE place = 1
-- @table paired
SELECT coalesce(b.model, a.model) AS model, coalesce(b.scenario, a.scenario) AS scenario, coalesce(b.device, a.device) AS device,
       b.value AS before, a.value AS after, coalesce(b.unit, a.unit) AS unit, b.key AS before_key, a.key AS after_key
  FROM (SELECT * FROM best WHERE round = :from) b
  FULL JOIN (SELECT * FROM best WHERE round = :to) a
    ON a.model = b.model AND a.scenario = b.scenario AND a.device = b.device AND a.unit = b.unit AND a.compatibility = b.compatibility
-- @table shown
SELECT *, count(*) OVER () AS whole FROM paired
 ORDER BY CASE WHEN before IS NOT NULL AND after IS NOT NULL THEN 0 WHEN before IS NULL THEN 1 ELSE 2 END, 1, 2, after / before DESC, 3 LIMIT :limit
-- @table split
-- the steps from the best of the earlier round to the best of the later one, and why there is none
SELECT p.model, p.scenario, p.device, p.unit, w.place, w.factor, w.times, w.note
  FROM paired p, abdb_why(json_object('baseline', 'key=' || p.before_key, 'contender', 'key=' || p.after_key, 'divide_by', :per,
                          'price_date', (SELECT group_concat(substr(published || '-01', 1, 10)) FROM (SELECT r.published FROM v_mlperf_round r WHERE r.suite = 'inference' AND r.round IN (:from, :to) ORDER BY r.round = :to)))) w
 WHERE :why AND p.before > 0 AND p.after > 0
   AND EXISTS (SELECT 1 FROM shown s WHERE s.model = p.model AND s.scenario = p.scenario AND s.unit = p.unit AND (s.device = p.device OR p.device = :against))
-- @table portion
SELECT model, scenario, device, unit, kind, exp(sum(ln(times))) AS times, group_concat(printf('%s %.3g', factor, times), ', ') AS words
  FROM (SELECT *, CASE WHEN factor = 'price per device-hour' THEN 'price' WHEN factor = 'exchange rate' THEN 'exchange' WHEN factor IN ('scale', 'system or run') THEN 'this side'
                       WHEN factor LIKE '%scale%' THEN 'both' ELSE 'method' END AS kind FROM split WHERE note IS NULL ORDER BY model, scenario, device, unit, place)
 GROUP BY model, scenario, device, unit, kind
-- @table moved
-- Of the other device all that is no price is one factor, the other way round.
SELECT model, scenario, device, unit, 0 AS other, kind, times, words FROM portion WHERE :against IS NULL OR device <> :against
UNION ALL
SELECT s.model, s.scenario, s.device, s.unit, 1, iif(p.kind IN ('price', 'exchange'), p.kind, 'other side'), 1 / exp(sum(ln(p.times))), NULL
  FROM shown s JOIN portion p ON p.model = s.model AND p.scenario = s.scenario AND p.unit = s.unit AND p.device = :against AND s.device <> :against
 GROUP BY 1, 2, 3, 4, 6
-- @table factors
-- One row a result: all parts, where each side has them.
SELECT model, scenario, device, unit, exp(sum(ln(times))) AS moved, exp(sum(ln(times)) FILTER (WHERE kind = 'this side')) AS this_side, exp(sum(ln(times)) FILTER (WHERE kind = 'method')) AS method,
       exp(sum(ln(times)) FILTER (WHERE kind = 'both')) AS both_sides, exp(sum(ln(times)) FILTER (WHERE kind = 'other side')) AS other_side,
       exp(sum(ln(times)) FILTER (WHERE kind = 'price')) AS price, exp(sum(ln(times)) FILTER (WHERE kind = 'exchange')) AS exchange
  FROM moved GROUP BY model, scenario, device, unit HAVING count(*) FILTER (WHERE NOT other) > 0 AND (:against IS NULL OR count(*) FILTER (WHERE other) > 0)
-- @table largest
SELECT model, scenario, device, unit, kind, words, max(abs(ln(times))) AS most, exp(sum(ln(times))) AS times
  FROM (SELECT model, scenario, device, unit, kind, group_concat(words, ', ') AS words, exp(sum(ln(times))) AS times FROM moved GROUP BY 1, 2, 3, 4, 5)
 GROUP BY model, scenario, device, unit
-- @rows
SELECT s.model, s.scenario, s.device, s.before, s.after, s.after / s.before AS ratio, s.unit,
       CASE WHEN s.before IS NULL THEN 'new' WHEN s.after IS NULL THEN 'gone' ELSE 'changed' END AS what,
       f.moved, f.this_side, f.method, f.both_sides AS joint, f.other_side, f.price, f.exchange,
       (SELECT CASE l.kind WHEN 'both' THEN 'this side and the method together' ELSE l.kind END || CASE WHEN l.kind IN ('this side', 'method', 'both') THEN ': ' || l.words ELSE '' END FROM largest l
         WHERE f.moved IS NOT NULL AND l.model = s.model AND l.scenario = s.scenario AND l.device = s.device AND l.unit = s.unit) AS moved_by,
       (SELECT group_concat(printf('%.4g %s', m.times, coalesce(m.kind || ': ' || m.words, m.kind)), char(10)) FROM moved m
         WHERE f.moved IS NOT NULL AND m.model = s.model AND m.scenario = s.scenario AND m.device = s.device AND m.unit = s.unit) AS _factors_moved,
       trim(coalesce(s.before_key, '') || ' ' || coalesce(s.after_key, '')) AS _facts, s.before_key AS _facts_before, s.after_key AS _facts_after, s.whole AS _whole
  FROM shown s LEFT JOIN factors f ON f.model = s.model AND f.scenario = s.scenario AND f.device = s.device AND f.unit = s.unit
 ORDER BY CASE WHEN s.before IS NOT NULL AND s.after IS NOT NULL THEN 0 WHEN s.before IS NULL THEN 1 ELSE 2 END, 1, 2, ratio DESC, 3;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, group_concat(model, ', ') || ': changed by MLCommons between the rounds, not compared' AS line
    FROM (SELECT DISTINCT a.model FROM best a JOIN best b ON a.model = b.model AND a.round = :from AND b.round = :to
           WHERE a.compatibility <> b.compatibility ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 1, printf('not split, %s: ', note) || group_concat(device || ' ' || model || ' ' || scenario, ', ') FROM (SELECT DISTINCT note, device, model, scenario FROM split WHERE note LIKE 'no ratio%' OR note LIKE '! NOT%' ORDER BY 1, 2, 3, 4) GROUP BY note
  UNION ALL SELECT 1, 'no factors: --against ' || :against || ' has no result of both rounds for ' || group_concat(what, ', ') FROM (SELECT DISTINCT model || ' ' || scenario AS what FROM shown s WHERE :why AND before > 0 AND after > 0
      AND NOT EXISTS (SELECT 1 FROM portion p WHERE p.device = :against AND p.model = s.model AND p.scenario = s.scenario) ORDER BY 1) WHERE :against IS NOT NULL HAVING count(*) > 0
  UNION ALL SELECT 2, '† derived by abdb (result / devices): best of each device; not an official or verified MLPerf® metric.')
 ORDER BY place;
