-- title: Provisioned power, and throughput per kilowatt of it
-- question: what is a system built to draw by the rules of MLPerf Endpoints, and what does it serve for each kilowatt of that
-- group: What does it cost?
-- param: system | text | | one system, as its system_power.json names it; with * and ?, all that fit
-- column: system | system | cut30 | name of the system
-- column: device | device | | accelerator
-- column: devices | devices | | accelerators of the system
-- column: nodes | nodes | | nodes
-- column: provisioned_kw | kW | g5 | provisioned power of the whole system; not measured
-- column: overhead | overhead | g3 | share added for the rest of the system: 0.3 liquid, 0.5 air
-- column: declared | declared | | yes: a published total instead of the sum of its parts
-- column: mlc_estimated | MLC estimated | cut30 | parts that are defaults of Appendix D of the rules; no: none
-- column: model | model | | of the result
-- column: tokens_per_s | tokens/s | g5 | the highest throughput that is stored for the system
-- column: tokens_per_s_per_kw | tokens/s per kW | g5 | system_tps_per_kw: throughput by provisioned power
-- hoist: overhead
-- hoist: declared
-- hoist: mlc_estimated
WITH system AS (
  SELECT p.*, (SELECT f.num FROM v_factor_given f WHERE f.result_id = p.result_id AND f.factor = 'overhead_fraction') AS overhead,
         (SELECT f.text FROM v_factor_given f WHERE f.result_id = p.result_id AND f.factor = 'power_declared') AS declared,
         (SELECT f.text FROM v_factor_given f WHERE f.result_id = p.result_id AND f.factor = 'mlc_estimated_power') AS mlc_estimated
    FROM v_power p
   WHERE p.metric = 'provisioned_power_w' AND (:system IS NULL OR p.system GLOB :system)),
served AS (
  SELECT r.system, r.model, max(r.total) AS tokens_per_s, r.key
    FROM v_result r
   WHERE r.metric = 'tokens_per_s' AND r.rank IS NULL AND r.system IN (SELECT s.system FROM system s)
   GROUP BY r.system, r.model)
SELECT s.system, s.device, s.devices, s.nodes, s.value / 1000 AS provisioned_kw, s.overhead, s.declared, s.mlc_estimated,
       t.model, t.tokens_per_s, 1000 * t.tokens_per_s / s.value AS tokens_per_s_per_kw, s.key || coalesce(' ' || t.key, '') AS _facts
  FROM system s
  LEFT JOIN served t ON t.system = s.system
 ORDER BY s.system, tokens_per_s_per_kw DESC;
