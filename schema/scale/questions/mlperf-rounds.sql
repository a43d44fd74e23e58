-- mlperf-rounds.sql - the best closed result of one accelerator by benchmark, scenario and round, and how much it gained since the
-- round before that has one. Derived; not an official or verified MLPerf metric.
SELECT suite, system_type, model, scenario, metric, device, round, each, each / lag(each) OVER
       (PARTITION BY suite, system_type, model, scenario, metric, device ORDER BY round_order, round) AS gain, key
  FROM (SELECT m.suite AS suite, m.system_type AS system_type, m.model AS model, m.scenario AS scenario, m.metric AS metric,
               m.device AS device, m.round AS round, m.round_order AS round_order, m.value_per_device AS each, m.key AS key,
               row_number() OVER (PARTITION BY m.suite, m.system_type, m.model, m.scenario, m.metric, m.device, m.round
                                  ORDER BY m.value_per_device DESC, m.key) AS place
          FROM v_mlperf m
         WHERE m.division = 'closed' AND m.left_out = '' AND m.value_per_device > 0 AND m.device IS NOT NULL
           AND m.round_order IS NOT NULL) best
 WHERE place = 1
 ORDER BY suite NULLS FIRST, system_type NULLS FIRST, model NULLS FIRST, scenario NULLS FIRST, metric, device, round_order, round;
