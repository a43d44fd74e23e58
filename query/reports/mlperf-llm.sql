-- title: MLPerf® Inference, LLM benchmarks: best submission per accelerator {round} {model} {scenario}
-- site: MLPerf®
-- param: round | text | | round of MLPerf, or all (default: the latest here) | SELECT DISTINCT round FROM v_round UNION SELECT 'all' ORDER BY 1
-- param: model | text | | benchmark | SELECT n.canon FROM v_name n JOIN v_model m ON m.model = n.canon WHERE n.kind = 'model' AND m.task = 'llm' ORDER BY 1
-- param: division | text | closed | closed or open | SELECT 'closed' UNION SELECT 'open' UNION SELECT 'network'
-- param: scenario | text | | Offline, Server, Interactive | SELECT 'Offline' UNION SELECT 'Server' UNION SELECT 'Interactive' UNION SELECT 'SingleStream' UNION SELECT 'MultiStream'
-- param: accelerator | text | | device; several by * (B*00-SXM)
-- param: system_type | text | datacenter | datacenter or edge
-- param: limit | number | 12 | rows at most
-- param: all | flag | | every row
-- column: round | round | | round of MLPerf
-- column: division | division | | closed or open
-- column: model | benchmark | | model and accuracy target
-- column: scenario | scenario | | as MLCommons spells it
-- column: accelerator | accelerator | cut28 | canonical device
-- column: chips | chips | | devices that took part; sockets where there is no accelerator
-- column: submitter | submitter | cut22 |
-- column: system | system | cut30 | as published
-- column: tokens_per_s | tokens/s | 1 | in total, official
-- column: tokens_per_s_per_chip | /chip† | 1 | derived: total / chips
-- column: of | of | | submissions with this accelerator
-- column: public_id | ID | | result ID
-- column: dtype | weights | | number format of the weights
-- column: verified | verified | | yes: reviewed by MLCommons
-- hoist: round division model scenario verified dtype
-- @with
WITH wanted (round) AS ( -- the latest with an LLM, the one asked for, or all
  SELECT DISTINCT round FROM v_round WHERE :round = 'all'
  UNION SELECT coalesce(:round, (SELECT max(r.round) FROM v_round r JOIN v_name n ON n.kind = 'model' AND n.spelling = r.raw_model
                                   JOIN v_model m ON m.model = n.canon WHERE m.task = 'llm'))),
chosen AS (
  SELECT round, model, scenario, device, value_per_device, public_id, left_out, entry_id, ordinal FROM v_mlperf
   WHERE raw_model IN (SELECT n.spelling FROM v_name n JOIN v_model m ON m.model = n.canon
                        WHERE n.kind = 'model' AND m.task = 'llm' AND (:model IS NULL OR m.model = :model))
     AND metric = 'tokens_per_s'
     AND system_type = :system_type
     AND division = :division
     AND round IN (SELECT round FROM wanted)
     AND (:scenario IS NULL OR scenario = :scenario)
     AND (:accelerator IS NULL OR device GLOB :accelerator))
-- @rows
, best AS ( -- entry_id and ordinal are those of the row with the maximum
  SELECT round, model, scenario, device, entry_id, ordinal, max(CASE WHEN left_out = '' THEN value_per_device END) AS each,
         count(*) AS of, sum(left_out IN ('device count disagrees', 'sources disagree')) AS doubtful
    FROM chosen GROUP BY round, model, scenario, device)
SELECT m.round, m.division, m.model, m.scenario, m.device AS accelerator, m.devices AS chips, m.submitter, m.system,
       m.value AS tokens_per_s, m.value_per_device AS tokens_per_s_per_chip, b.of,
       CASE WHEN b.doubtful THEN '‡' END AS of__mark, m.public_id, m.dtype, m.verified,
       m.result_id AS _facts
  FROM best b CROSS JOIN v_mlperf m ON m.entry_id = b.entry_id AND m.ordinal = b.ordinal
 WHERE b.each IS NOT NULL
 ORDER BY m.round DESC, m.model, m.scenario, m.value_per_device DESC
 LIMIT CASE WHEN :all THEN -1 ELSE :limit END;
-- @notes
, each AS (
  SELECT round, model, scenario, device, max(value_per_device) AS value_per_device
    FROM chosen WHERE left_out = '' GROUP BY round, model, scenario, device),
best AS (
  SELECT * FROM each ORDER BY round DESC, model, scenario, value_per_device DESC
   LIMIT CASE WHEN :all THEN -1 ELSE :limit END),
total AS (SELECT count(*) AS n FROM each)
SELECT line FROM (
  SELECT 1 AS place, printf('… %d more (--all)', n - :limit) AS line FROM total
   WHERE NOT :all AND n > :limit
  UNION ALL
  SELECT 2, printf('%d left out: ', count(*)) || (SELECT group_concat(words, ', ') FROM (
         SELECT printf('%d %s', count(*), left_out) AS words FROM chosen WHERE left_out <> ''
          GROUP BY left_out ORDER BY left_out))
    FROM chosen WHERE left_out <> '' HAVING count(*) > 0
  UNION ALL
  SELECT 3, '† derived by abdb (result / chips); not an official or verified MLPerf® metric.'
    FROM total WHERE n > 0
  UNION ALL
  SELECT 4, '‡ ' || coalesce(c.public_id, m.system) || ' ' || c.model || ' ' || c.scenario || ': ' ||
         (SELECT group_concat(words, ', ') FROM (SELECT DISTINCT s.source || ' says ' ||
            CASE WHEN c.left_out = 'sources disagree' THEN s.raw_value || ' ' || coalesce(s.raw_unit, '')
                 ELSE s.devices || ' chips' END AS words
            FROM v_statement s WHERE s.entry_id IN (SELECT t.entry_id FROM subject t WHERE t.subject = m.subject)
               AND s.metric_class = 'performance' ORDER BY words DESC)) ||
         '. Not used for "best".'
    FROM chosen c JOIN v_mlperf m ON m.entry_id = c.entry_id AND m.ordinal = c.ordinal
   WHERE c.left_out IN ('device count disagrees', 'sources disagree')
     AND EXISTS (SELECT 1 FROM best b WHERE b.round = c.round AND b.model = c.model
                    AND b.scenario = c.scenario AND b.device = c.device))
 ORDER BY place;
