-- title: A ratio as a product of its factors
-- question: the ratio of two selections as a product of factors: device, number format, round, scale, price
-- group: Which accelerator is faster?
-- param: baseline | text | | a selection, as for `abdb compare` (default: of the LLM and scenario of MLPerf with most devices, the slower of the two devices with most results)
-- param: contender | text | | a selection that is compared with it (default: the faster of the two)
-- param: where | text | | conditions on both
-- param: per | text | | per device, dollar or watt; none: per system | SELECT 'device' UNION SELECT 'dollar' UNION SELECT 'watt' UNION SELECT 'none'
-- param: metric | text | | metric of the results (default: the workload's own)
-- param: price | price | | your own quotes, as for `abdb choose`
-- param: pair | number 1.. | 1 | which pair of results, where there are several
-- column: place | # | | in the order of the product
-- column: factor | factor | | that changes at this step
-- column: a | from | cut40 | of the baseline
-- column: b | to | cut40 | of the contender
-- column: times | times | 3 | factor of the ratio
-- column: product | product | 3 | of the factors so far
-- column: ratio | ratio | 3 | contender / baseline; the product of all factors
-- column: better | better | | higher or lower values
-- column: work | what | cut30 | workload or model
-- column: scenario | scenario | | of MLPerf
-- column: per | per | | of values that are divided
-- column: unit | unit | | of the two values
-- column: side_a | A | cut40 | selection of the baseline
-- column: side_b | B | cut40 | selection of the contender
-- column: result | result | | key of the result that the step leads to
-- column: label | pair | | what distinguishes this pair from the others
-- column: unlike | unlike | | in what the two sides differ, so that the ratio is no headline of abdb compare
-- hoist: side_a side_b work scenario per ratio better unit label unlike result
-- @table candidates
SELECT r.model, r.scenario, r.device, max(r.value_per_device) AS rate, count(*) AS results FROM v_mlperf r
 WHERE :baseline IS NULL AND :contender IS NULL AND r.suite = 'inference' AND r.division = 'closed' AND r.unit = 'token/s' AND r.left_out = '' AND r.devices > 0
 GROUP BY r.model, r.scenario, r.device
-- @table sides
WITH most AS (SELECT model, scenario FROM candidates GROUP BY 1, 2 ORDER BY count(*) DESC, model, scenario LIMIT 1),
two AS (SELECT c.* FROM candidates c JOIN most USING (model, scenario) ORDER BY results DESC, device LIMIT 2),
placed AS (SELECT device, row_number() OVER (ORDER BY rate, device) AS place FROM two)
SELECT coalesce(:baseline, (SELECT 'device=' || quote(device) FROM placed WHERE place = 1)) AS side_a,
       coalesce(:contender, (SELECT 'device=' || quote(device) FROM placed WHERE place = 2)) AS side_b,
       coalesce(:where, (SELECT 'work=' || quote(model) || ',scenario=' || quote(scenario) FROM most)) AS conditions,
       coalesce(:baseline, (SELECT device FROM placed WHERE place = 1)) AS name_a, coalesce(:contender, (SELECT device FROM placed WHERE place = 2)) AS name_b
-- @table split
SELECT w.* FROM sides s, abdb_why(json_object('baseline', s.side_a, 'contender', s.side_b, 'where', s.conditions, 'divide_by', :per, 'metric', :metric, 'price', :price)) w WHERE s.side_a IS NOT NULL
-- @rows
SELECT place, factor, a, b, times, product, ratio, better, work, scenario, per, unit, (SELECT name_a FROM sides) AS side_a, (SELECT name_b FROM sides) AS side_b, result, label, "unlike",
       group_concat(printf('%.4g %s, %s > %s', times, factor, a, b), char(10)) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS _factors_ratio,
       -- the two results of a step, or those of both sides with their prices
       CASE WHEN result IS NULL THEN facts ELSE coalesce(lag(result) OVER (ORDER BY place), substr(facts, 1, instr(facts, ' ') - 1)) || ' ' || result END AS _facts_times, facts AS _facts FROM split
 WHERE note IS NULL AND pair = :pair ORDER BY place;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, rowid AS n, note AS line FROM split WHERE note IS NOT NULL
  UNION ALL SELECT 0, 0, printf('pair %d of %d; --pair draws another', :pair, max(pair)) FROM split WHERE note IS NULL HAVING max(pair) > 1)
 ORDER BY place, n;
