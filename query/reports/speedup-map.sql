-- title: Speed-up of {contender} over {baseline}: {metric} by {x} and {y}
-- question: ratio of two sets over two factors
-- group: Which accelerator is faster?
-- site: Measured here
-- param: baseline | text | | tag or device of the base (default: the first tag)
-- param: contender | text | | tag or device of the other (default: the last tag)
-- param: metric | text | tokens_per_s | metric
-- param: x | text | concurrency | factor across
-- param: y | text | input_tokens | factor upwards
-- column: x | x | g6 | factor across
-- column: y | y | g6 | factor upwards
-- column: ratio | ratio | 3 | above 1: the contender is better (faster, or less time)
-- column: base_value | base | g5 | median of the baseline
-- column: value | contender | g5 | median of the contender
-- column: base_n | n | | results of the baseline
-- column: n | n | | results of the contender
-- column: x_factor | across | | name
-- column: y_factor | upwards | | name
-- column: baseline | baseline | |
-- column: contender | contender | |
-- hoist: x_factor y_factor baseline contender
-- @table cells
WITH side (baseline, contender) AS (
  SELECT coalesce(:baseline, (SELECT tag FROM v_run WHERE tag IS NOT NULL ORDER BY date, tag LIMIT 1)),
         coalesce(:contender, (SELECT tag FROM v_run WHERE tag IS NOT NULL ORDER BY date DESC, tag DESC LIMIT 1))),
named (name, new) AS (SELECT baseline, 0 FROM side WHERE baseline <> contender UNION ALL SELECT contender, 1 FROM side WHERE baseline <> contender),
one AS (
  SELECT r.value, r.better, r.key, r.new,
         (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = :x) AS x,
         (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = :y) AS y
    FROM (SELECT t.value, t.better, t.key, t.entry_id, t.metric, t.evidence, t.statistic, n.new
            FROM named n CROSS JOIN v_result t ON t.tag = n.name
          UNION
          SELECT t.value, t.better, t.key, t.entry_id, t.metric, t.evidence, t.statistic, n.new
            FROM named n JOIN v_name d ON d.kind = 'device' AND d.canon = n.name CROSS JOIN v_result t ON t.raw_device = d.spelling) r
   WHERE r.metric = :metric AND r.evidence = 'measured' AND r.statistic IN ('value', 'median', 'mean'))
SELECT x, y, median(CASE WHEN new = 0 THEN value END) AS base, median(CASE WHEN new THEN value END) AS value, max(better) AS better,
       sum(new = 0) AS base_n, sum(new) AS n, group_concat(key, ' ') AS facts
  FROM one WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY x, y
-- @rows
WITH side (baseline, contender) AS (
  SELECT coalesce(:baseline, (SELECT tag FROM v_run WHERE tag IS NOT NULL ORDER BY date, tag LIMIT 1)),
         coalesce(:contender, (SELECT tag FROM v_run WHERE tag IS NOT NULL ORDER BY date DESC, tag DESC LIMIT 1)))
SELECT p.x, p.y, CASE p.better WHEN 'lower' THEN p.base / p.value ELSE p.value / p.base END AS ratio, p.base AS base_value, p.value, p.base_n, p.n,
       :x AS x_factor, :y AS y_factor, s.baseline, s.contender, p.facts AS _facts
  FROM cells p, side s WHERE p.base_n > 0 AND p.n > 0 ORDER BY p.y, p.x;
-- @notes
SELECT 'ratio of medians, each cell alone: `abdb compare` tests whether a difference is one' FROM (SELECT 1 FROM cells WHERE base_n > 0 AND n > 0 LIMIT 1);
