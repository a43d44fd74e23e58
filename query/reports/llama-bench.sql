-- title: llama.cpp: prompt and generation rates by depth and build {model} {device}
-- question: prompt and generation rates of llama.cpp by depth and build
-- group: Which accelerator is faster?
-- site: Serving
-- param: model | text | | what was run
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: tag | text | | only measurements of this name
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: model | model | cut30 | as the program names it
-- column: backend | backend | | library that ran it
-- column: build | build | cut34 | of llama.cpp
-- column: test | test | | pp: prompt of so many tokens, tg: generation of so many, pp+tg: both
-- column: kind | kind | | prompt, generation or both
-- column: depth | depth | | tokens of context before it
-- column: flash_attn | fa | | 1: flash attention
-- column: tokens_per_s | tokens/s | g5 | mean
-- column: low | low | g5 | mean - standard deviation
-- column: high | high | g5 | mean + standard deviation
-- column: n | n | | samples, where they are kept
-- column: file | file | cut40 | that says it, or the name of the measurement: only what one file says is one line
-- hoist: device model backend file
-- @table judged
WITH run AS (
  SELECT r.*, CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by,
         (SELECT json_group_object(f.factor, coalesce(f.num, f.text)) FROM v_run_factor f WHERE f.entry_id = r.entry_id) AS values_
    FROM v_result r
   WHERE r.source = 'llama-bench' AND r.metric = 'tokens_per_s'
     AND (:model IS NULL OR r.model = :model) AND (:tag IS NULL OR r.tag = :tag)
     AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device)))
SELECT *, CAST(coalesce(values_ ->> 'n_prompt', 0) AS INTEGER) AS prompt, CAST(coalesce(values_ ->> 'n_gen', 0) AS INTEGER) AS gen,
       CAST(coalesce(values_ ->> 'n_depth', 0) AS INTEGER) AS depth, values_ ->> 'software' AS build,
       values_ ->> 'flash_attn' AS fa FROM run
-- @table tests
SELECT * FROM judged WHERE out_by IS NULL
-- @table named
-- what a file or a name of the user's (tag) measured together: other files may differ in what none of them says
SELECT t.*, CASE WHEN prompt AND gen THEN 'pp' || prompt || '+tg' || gen WHEN prompt THEN 'pp' || prompt ELSE 'tg' || gen END AS test,
       coalesce(t.tag, t.artifact) AS together,
       CASE WHEN t.tag IS NULL THEN replace(replace(t.artifact, rtrim(t.artifact, replace(t.artifact, '/', '')), ''), '.log', '') ELSE t.tag END AS file
  FROM tests t
-- @table setting
-- settings of which one file has several
SELECT n.together, f.factor FROM named n JOIN v_run_factor f ON f.entry_id = n.entry_id
 WHERE f.factor NOT IN ('n_prompt', 'n_gen', 'n_depth', 'software')
   AND f.factor NOT IN (SELECT w.factor FROM v_workload_factor w WHERE w.workload = 'llama-bench' AND w.role = 'report')
 GROUP BY n.together, f.factor HAVING count(DISTINCT coalesce(f.num, f.text)) > 1
-- @rows
WITH many AS (SELECT count(DISTINCT build) AS builds, count(DISTINCT coalesce(model, '')) AS models, count(DISTINCT coalesce(device, '')) AS devices,
                count(DISTINCT coalesce(backend, '')) AS backends FROM tests)
SELECT t.device, t.model, t.backend, t.build, t.test,
       CASE WHEN prompt AND gen THEN 'both' WHEN prompt THEN 'prompt' ELSE 'generation' END AS kind, t.depth, t.fa AS flash_attn,
       t.value AS tokens_per_s, t.low, t.high, t.n, t.file,
       trim(t.test ||
            CASE WHEN m.backends > 1 THEN ' ' || coalesce(t.backend, '') ELSE '' END ||
            CASE WHEN m.builds > 1 THEN ' ' || replace(coalesce(t.build, ''), 'llama.cpp ', '') ELSE '' END ||
            CASE WHEN m.devices > 1 THEN ' ' || coalesce(t.device, '') ELSE '' END || CASE WHEN m.models > 1 THEN ' ' || t.model ELSE '' END ||
            coalesce((SELECT group_concat(' ' || s.factor || '=' || coalesce(t.values_ ->> s.factor, '?'), '') FROM setting s WHERE s.together = t.together), '') ||
            CASE WHEN EXISTS (SELECT 1 FROM named o WHERE o.together <> t.together AND o.test = t.test AND o.device IS t.device
                                 AND o.model IS t.model AND o.backend IS t.backend AND o.build IS t.build) THEN ' ' || t.file ELSE '' END) AS _label,
       t.key AS _facts
  FROM named t CROSS JOIN many m
 ORDER BY kind DESC, t.device, t.model, t.backend, t.build, prompt, gen, t.file, _label, t.depth;
-- @notes
SELECT 'n = ' || count(*) || CASE count(*) WHEN 1 THEN ' test' ELSE ' tests' END || '; bars: one standard deviation where the file gives it (' || count(low) || ')' FROM tests HAVING count(*) > 0
UNION ALL SELECT printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence;
