-- title: Nodes against their peers {device} {tag}
-- question: nodes that are slower than their peers beyond noise
-- group: What was measured here?
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: device | text | | one kind of node
-- param: kernel | text | | one kernel
-- param: since | date | | measured on that day or later
-- param: cells | flag | | each node and cell, too; else only those that differ
-- column: node | node | cut30 | abdb run --node
-- column: device | device | cut24 | peers have the same device, and measured the same cells of the same revision
-- column: cell | cell | cut44 | kernel, parameters and backend; empty: all cells of the node together
-- column: ratio | ratio | 3 | time / that of the peers: of trimmed means of processes, peers by their medians
-- column: low | low | 3 | of its 99.9 % interval
-- column: high | high | 3 |
-- column: verdict | verdict | | slower, faster, same (within 1 %), unclear: no evidence
-- column: why | why | | why it cannot be told
-- column: p | p | g2 | corrected for all nodes and cells that were looked at (Holm); at most 0.001 is evidence
-- column: shows_percent | shows % | 1 | the slowness that these data would show 99 times in 100
-- column: processes | n | | processes of the node
-- column: peers | peers | | nodes that it is held against
-- column: slow | slow | | 1: slower; `--fail-on slow` makes a gate of it
-- column: unjudged | unjudged | | 1: there is no telling, see why (`--fail-on slow,unjudged`)
-- hoist: device
-- @table measured
SELECT k.device, f.text AS node, k.in_doubt,
       CASE instr(k.cell, ' #') WHEN 0 THEN k.cell ELSE substr(k.cell, 1, instr(k.cell, ' #') - 1) END
       || coalesce((SELECT ' @' || c.text FROM v_run_factor c WHERE c.entry_id = k.entry_id AND c.factor = 'commit'), '') AS cell,
       coalesce((SELECT p.campaign || ' ' || p.repetition FROM v_process p WHERE p.process_id = k.process_id), k.run) AS process, k.time_s, k.key
  FROM v_run_factor f
  JOIN v_kernel k ON k.entry_id = f.entry_id
 WHERE f.factor = 'node' AND f.state = 'known' AND k.status = 'ok' AND k.verified <> 'fail' AND k.time_s > 0 AND k.device IS NOT NULL
   AND coalesce((SELECT e.nodes FROM v_run e WHERE e.entry_id = k.entry_id), 1) = 1
   AND (:tag IS NULL OR k.tag = :tag) AND (:kernel IS NULL OR k.kernel = :kernel) AND (:since IS NULL OR k.date >= :since)
   AND coalesce(k.tag, '') <> 'calibration'
   AND (:device IS NULL OR k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = :device))
-- @table judged
SELECT d.device, r.* FROM (SELECT device, json_group_array(json_array(node, cell, process, time_s)) AS list
                             FROM measured WHERE NOT in_doubt GROUP BY device) d, abdb_fleet(d.list) r
-- @table doubted
SELECT device, node FROM measured GROUP BY device, node HAVING min(in_doubt) = 1
-- @rows
SELECT node, device, replace(cell, ' n=auto', '') AS cell, ratio, low, high, CASE verdict WHEN 'too-few' THEN 'unclear' ELSE verdict END AS verdict,
       CASE WHEN verdict <> 'too-few' THEN NULL WHEN peers = 0 AND (SELECT count(DISTINCT m.node) FROM measured m WHERE m.device = j.device) < 2
            THEN 'no peers' WHEN processes < 5 THEN 'fewer than 5 processes' ELSE 'fewer than 5 peers with 5 processes' END AS why,
       p_all AS p, 100 * shows AS shows_percent, processes, peers, verdict = 'slower' AS slow, verdict = 'too-few' AS unjudged,
       (SELECT group_concat(m.key, ' ') FROM measured m WHERE m.device = j.device AND m.node = j.node AND (j.cell IS NULL OR m.cell = j.cell)
           AND NOT m.in_doubt) AS _facts
  FROM judged j
 WHERE cell IS NULL OR :cells OR verdict IN ('slower', 'faster')
UNION ALL
SELECT node, device, NULL, NULL, NULL, NULL, 'unclear', 'every run is unsteady or imprecise', NULL, NULL, 0, NULL, 0, 1, NULL FROM doubted
 ORDER BY 2, 13 DESC, 1, 3;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('n = %d node%s of %s; a node counts by its processes, a peer once; how far equal nodes lie apart is learnt from the peers',
                            count(DISTINCT node), CASE count(DISTINCT node) WHEN 1 THEN '' ELSE 's' END, device) AS line FROM measured GROUP BY device
  UNION ALL SELECT 2, printf('%d %s unsteady or imprecise and left out: abdb run --gate measures %s again', count(*), CASE count(*) WHEN 1 THEN 'run is' ELSE 'runs are' END, CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END)
    FROM measured WHERE in_doubt HAVING count(*) > 0
  UNION ALL SELECT DISTINCT 3, 'slower: by 1 % or more, p at most 0.001. What one command saw may be that hour''s: measure again before you send a node away'
    FROM judged WHERE verdict = 'slower')
 ORDER BY place;
