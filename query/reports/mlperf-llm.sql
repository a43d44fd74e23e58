-- title: MLPerf® Inference, LLM benchmarks: best submission per accelerator {round} {model} {scenario}
-- question: MLPerf LLM inference: the best submission of each accelerator, in total and per device
-- group: Which accelerator is faster?
-- first: yes
-- site: MLPerf®
-- explore: per=device
-- param: round | text | | round of MLPerf, or all (default: the latest with this model) | SELECT round FROM round_told UNION SELECT 'all' ORDER BY 1
-- param: model | text | | benchmark | SELECT n.model, n.mlperf FROM model_named n JOIN v_model m ON m.model = n.model WHERE m.task = 'llm' ORDER BY 2 DESC, 1
-- param: division | text | closed | closed or open | SELECT 'closed' UNION SELECT 'open' UNION SELECT 'network'
-- param: scenario | text | | Offline, Server, Interactive | SELECT 'Offline' UNION SELECT 'Server' UNION SELECT 'Interactive' UNION SELECT 'SingleStream' UNION SELECT 'MultiStream'
-- param: accelerator | text | | device; several by * (B*00-SXM)
-- param: system_type | text | datacenter | datacenter or edge
-- param: limit | number 1.. | 12 | rows at most
-- param: all | flag | | every row
-- param: one | flag | | of one benchmark and scenario only: the one with the most accelerators
-- column: round | round | | round of MLPerf
-- column: division | division | | closed or open
-- column: model | benchmark | | model and accuracy target
-- column: scenario | scenario | | as MLCommons spells it
-- column: accelerator | accelerator | cut28 | canonical device
-- column: chips | chips | | devices that took part; sockets where there is no accelerator
-- column: submitter | submitter | cut22 |
-- column: system | system | cut30 | as published
-- column: tokens_per_s | tokens/s | 1 | in total, official
-- column: tokens_per_s_per_chip | /chip† | 1 | of one chip | per_device@1
-- column: of | of | | submissions with this accelerator
-- column: public_id | ID | | result ID
-- column: dtype | weights | | number format of the weights
-- column: verified | verified | | yes: reviewed by MLCommons, or stated so
-- column: verified_by | verified by | | mlcommons: an official list has it; file: its file says so
-- hoist: round division model scenario verified verified_by dtype
-- @table found
WITH llm (spelling) AS (
  SELECT n.spelling FROM v_name n JOIN v_model m ON m.model = n.canon
   WHERE n.kind = 'model' AND m.task = 'llm' AND (:model IS NULL OR m.model = :model)),
wanted (round) AS ( -- the latest with the model (or any LLM), the one asked for, or all
  SELECT round FROM round_told WHERE :round = 'all'
  UNION SELECT coalesce(:round, (SELECT r.round FROM v_round r
                                  WHERE r.raw_model IN (SELECT spelling FROM llm)
                                  ORDER BY r.round_order DESC LIMIT 1)))
SELECT round, round_order, model, scenario, device, each, left_out, result_id, entry_key, ordinal FROM v_mlperf
 WHERE raw_model IN (SELECT spelling FROM llm)
   AND metric = 'tokens_per_s'
   AND system_type = :system_type
   AND division = :division
   AND round IN (SELECT round FROM wanted)
   AND (:scenario IS NULL OR scenario = :scenario)
   AND (:accelerator IS NULL OR device GLOB :accelerator)
-- @table work
SELECT model, scenario, row_number() OVER (ORDER BY max(round_order) DESC, count(DISTINCT device) DESC, model, scenario) AS place,
       count(*) OVER () AS n
  FROM found WHERE :one AND left_out = '' AND each IS NOT NULL GROUP BY model, scenario
-- @table chosen
SELECT f.* FROM found f WHERE NOT :one OR EXISTS (SELECT 1 FROM work w WHERE w.place = 1 AND w.model IS f.model AND w.scenario IS f.scenario)
-- @table shown
SELECT *, count(*) OVER () AS whole FROM (
  SELECT *, row_number() OVER (PARTITION BY round, model, scenario, device ORDER BY each DESC, entry_key, ordinal) AS place
    FROM chosen WHERE left_out = '' AND each IS NOT NULL) c
 WHERE place = 1
 ORDER BY round_order DESC, model, scenario, each DESC, entry_key, ordinal LIMIT CASE WHEN :all THEN -1 ELSE :limit END
-- @table disputed
SELECT c.result_id, c.model, c.scenario, c.left_out FROM chosen c
 WHERE c.left_out IN ('device count disagrees', 'sources disagree')
   AND EXISTS (SELECT 1 FROM shown b WHERE b.round = c.round AND b.model = c.model AND b.scenario = c.scenario AND b.device = c.device)
-- @rows
SELECT m.round, m.division, m.model, m.scenario, m.device AS accelerator, m.devices AS chips, m.submitter, m.system,
       m.total AS tokens_per_s, m.each AS tokens_per_s_per_chip, o.of, CASE WHEN o.doubtful > 0 THEN '‡' END AS of__mark, m.public_id, m.dtype,
       CASE m.verified_by WHEN 'mlcommons' THEN 'yes' ELSE m.verified END AS verified, m.verified_by, m.key AS _facts, b.whole AS _whole
  FROM shown b
  JOIN v_mlperf m ON m.result_id = b.result_id
  JOIN (SELECT s.result_id, count(*) AS of,
               sum(CASE WHEN c.left_out IN ('device count disagrees', 'sources disagree') THEN 1 ELSE 0 END) AS doubtful
          FROM shown s JOIN chosen c ON c.device IS s.device AND c.scenario IS s.scenario AND c.model IS s.model AND c.round IS s.round
         GROUP BY s.result_id) o ON o.result_id = b.result_id
 ORDER BY b.round_order DESC, b.model, b.scenario, b.each DESC, b.entry_key, b.ordinal;
-- @notes
SELECT line FROM (
  SELECT 0 AS place, n.round || ', the newest round here, has no ' || :model || ' (--round ' || n.round || ' shows what it has)' AS line
    FROM (SELECT r.round FROM v_round r
           WHERE r.raw_model IN (SELECT s.spelling FROM v_name s JOIN v_model m ON m.model = s.canon WHERE s.kind = 'model' AND m.task = 'llm')
           ORDER BY r.round_order DESC LIMIT 1) n
   WHERE :model IS NOT NULL AND :round IS NULL AND n.round NOT IN (SELECT round FROM found) AND EXISTS (SELECT 1 FROM found)
  UNION ALL
  SELECT 1 AS place, model || coalesce(' ' || scenario, '') || ': of ' || n || ' benchmarks and scenarios the one with the most accelerators (--model, --scenario choose)' AS line
    FROM work WHERE :one AND place = 1 AND n > 1
  UNION ALL
  SELECT 2, printf('%d left out: ', count(*)) || (SELECT group_concat(words, ', ') FROM (
         SELECT printf('%d %s', count(*), left_out) ||
           coalesce((SELECT ' (' || m.sentence || ')' FROM v_mark m WHERE m.mark = left_out), '') AS words FROM chosen WHERE left_out <> ''
          GROUP BY left_out ORDER BY left_out))
    FROM chosen WHERE left_out <> '' HAVING count(*) > 0
  UNION ALL
  SELECT 3, '† derived by abdb (result / chips); not an official or verified MLPerf® metric.'
    WHERE EXISTS (SELECT 1 FROM chosen WHERE left_out = '' AND each IS NOT NULL)
  UNION ALL
  SELECT 4, '‡ sources disagree about some of its results, which are not used' WHERE EXISTS (SELECT 1 FROM disputed)
  UNION ALL
  SELECT 5, coalesce(m.public_id, m.system) ||
         CASE WHEN (SELECT count(DISTINCT model || ' ' || scenario) FROM shown) > 1 THEN ' ' || c.model || ' ' || c.scenario ELSE '' END || ': ' ||
         (SELECT group_concat(words, ', ') FROM (SELECT DISTINCT s.source || ' says ' ||
            CASE WHEN c.left_out = 'sources disagree' THEN s.raw_value || ' ' || coalesce(s.raw_unit, '')
                 ELSE s.devices || CASE s.devices WHEN 1 THEN ' chip' ELSE ' chips' END END AS words
            FROM v_statement s WHERE s.result_id IN (SELECT t.result_id FROM subject t WHERE t.subject = m.subject)
               AND s.metric_class = 'performance' ORDER BY words DESC) w)
    FROM disputed c JOIN v_mlperf m ON m.result_id = c.result_id)
 ORDER BY place;
