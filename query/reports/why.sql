-- title: Why {contender} differs from {baseline}
-- question: the ratio of two selections as a product of factors: device, number format, round, scale, price
-- group: Which accelerator is faster?
-- param: baseline | text | H200-SXM | a selection, as for `abdb compare`
-- param: contender | text | B200-SXM | a selection that is compared with it
-- param: where | text | llama2-70b-99,server | conditions on both
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
-- column: result | result | | key of the result that the step leads to
-- hoist: work scenario per ratio better unit result
-- @table split
SELECT * FROM abdb_why(json_object('baseline', :baseline, 'contender', :contender, 'where', :where, 'per', :per, 'metric', :metric, 'price', :price))
-- @rows
SELECT place, factor, a, b, times, product, ratio, better, work, scenario, per, unit, result, facts AS _facts FROM split
 WHERE note IS NULL AND pair = :pair ORDER BY place;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, rowid AS n, note AS line FROM split WHERE note IS NOT NULL
  UNION ALL SELECT 0, 0, printf('pair %d of %d; --pair draws another', :pair, max(pair)) FROM split WHERE note IS NULL HAVING max(pair) > 1)
 ORDER BY place, n;
