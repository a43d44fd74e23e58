-- title: Is it as fast as others of its kind? {tag}
-- question: whether a device or node is as fast as others of its kind
-- group: What was measured here?
-- param: tag | text | | judge the measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | | judge those of this command
-- param: upto | number 0.. | | judge the runs up to this number (entry_id); abdb accept gives it
-- param: root | text | | folder of the nodes' files: the folder or file below it names a node
-- param: each | flag | | a row for each device or node; else those of one verdict share one
-- param: explain | flag | | below the table: the checks, and each result of others that counts
-- column: device | device | cut24 | kind of device
-- column: check | check | cut32 | what was run (v_accept_check)
-- column: unit | where | cut16 | node, device, or how many of them
-- column: here | here | | the median of its values; of several units that of the slowest
-- column: others | others | cut28 | from the lowest to the highest level, and who published them
-- column: ratio | of others | | here over the highest and over the lowest of them; among peers over their mean
-- column: verdict | verdict | | normal, slow, cannot tell
-- column: would_have_seen_percent | sees % | 0 | the slowness that these data show 99 times in 100; of fewer than five origins: below the lowest of others
-- column: why | why | cut60 | what speaks for it, or what would settle it
-- column: p_peers | p peers | g2 | corrected for all that is judged: the chance of such a unit among equal peers
-- column: p_others | p others | g2 | the same among others of its kind
-- column: value | value | | here, in the base unit
-- column: lowest | lowest | | of others, in the base unit
-- column: highest | highest | | highest level of others
-- column: peers | peers | | units that it is held against
-- column: base_unit | unit | |
-- column: slow | slow | | 1: slow; `--fail-on slow` makes a gate of it
-- column: unjudged | unjudged | | 1: cannot tell
-- column: relative | relative | 3 | here over the lowest of others, without others over the mean of its peers; more is better
-- column: relative_top | top | 3 | highest level of others over the lowest
-- column: floor | floor | | where fewer than five origins are known: slow below it
-- hoist: device
-- @table fitting
-- each run by the first check that fits it, by one of its values
SELECT entry_id, key, place, value, metric, better, unit AS base_unit, judged FROM (
  SELECT r.entry_id, r.key, r.value, r.metric, r.better, r.unit, c.place, e.judged,
         row_number() OVER (PARTITION BY r.entry_id ORDER BY c.place, CASE r.statistic WHEN 'median' THEN 0 WHEN 'mean' THEN 1 WHEN 'value' THEN 2 WHEN 'max' THEN 3 ELSE 4 END, r.ordinal) AS nth
    FROM (SELECT e.entry_id, e.workload, e.suite,
                 CASE WHEN coalesce(e.tag = :tag, 0) OR coalesce(e.campaign = :campaign, 0) OR coalesce(e.entry_id <= :upto, 0) THEN 1 ELSE 0 END AS judged
            FROM v_run e
           WHERE e.status = 'ok' AND coalesce(e.tag, '') <> 'calibration'
             AND e.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole IN
                   (SELECT j.device FROM v_run j WHERE j.tag = :tag OR j.campaign = :campaign OR j.entry_id <= :upto))
              OR (e.raw_device IS NULL AND (e.tag = :tag OR e.campaign = :campaign OR e.entry_id <= :upto))) e
    JOIN v_accept_check c ON (e.workload = c.workload OR c.workload = '*') AND e.suite IS c.suite AND (e.judged OR c.others = 'all')
    JOIN v_result r ON r.entry_id = e.entry_id AND r.metric = c.measured AND r.value > 0 AND r.rank IS NULL
   WHERE e.judged OR (r.preferred AND NOT EXISTS (SELECT 1 FROM v_mark_out o WHERE ' ' || r.marks || ' ' LIKE o.pattern)
                      AND r.verdict <> 'fail' AND coalesce(r.flags, '') NOT LIKE '%quick%'
                      -- what was measured into this file is no result of others
                      AND (r.evidence <> 'measured' OR r.artifact IS NOT NULL))) WHERE nth = 1
-- @table word
-- what a check asks of a run: known where text is not NULL
SELECT f.entry_id, j.key AS nth, w.kind, j.value AS name,
       CASE j.value WHEN 'dtype' THEN r.number_format WHEN 'devices' THEN CAST(r.devices AS text) WHEN 'nodes' THEN CAST(r.nodes AS text)
                    WHEN 'model' THEN r.model WHEN 'scenario' THEN r.scenario WHEN 'backend' THEN r.backend WHEN 'cell' THEN r.cell
                    ELSE (SELECT p.text FROM v_run_factor p WHERE p.entry_id = f.entry_id AND p.factor = j.value AND p.state = 'known') END AS text
  FROM fitting f
  JOIN v_run r ON r.entry_id = f.entry_id
  JOIN v_accept_check c ON c.place = f.place
  JOIN (SELECT 'pair' AS kind UNION ALL SELECT 'same') w
  JOIN json_each('[' || replace(json_quote(CASE w.kind WHEN 'pair' THEN c.pair ELSE c.same END), ' ', '","') || ']') j ON j.value <> ''
-- @table run
-- origin: who published it, or the machine that was measured; unit: node and device
SELECT f.*, r.device, r.source, EXISTS (SELECT 1 FROM v_device d WHERE d.device = r.device) AS known_kind,
       coalesce(w.pair, '') AS pair, w.missing, coalesce(w.same, '') AS same,
       coalesce((SELECT p.text FROM v_run_factor p WHERE p.entry_id = f.entry_id AND p.factor = 'site' AND p.state = 'known'),
                CASE WHEN r.evidence = 'measured' THEN coalesce(r.campaign, r.artifact) END, r.source) AS origin,
       coalesce((SELECT p.text FROM v_run_factor p WHERE p.entry_id = f.entry_id AND p.factor = 'node' AND p.state = 'known'),
                CASE WHEN :root IS NOT NULL AND substr(r.artifact, 1, length(:root)) = :root
                     THEN substr(r.artifact, length(:root) + 1, coalesce(nullif(instr(substr(r.artifact, length(:root) + 1), '/'), 0) - 1, length(r.artifact)))
                     ELSE (SELECT b.value FROM json_each('[' || replace(json_quote(coalesce(r.artifact, '')), '/', '","') || ']') b ORDER BY b.key DESC LIMIT 1) END) AS node,
       (SELECT group_concat(p.text, ' to ') FROM (SELECT p.text FROM v_run_factor p WHERE p.entry_id = f.entry_id AND p.factor IN ('gpu', 'peer_gpu') AND p.state = 'known' ORDER BY p.factor) p) AS gpu,
       c.least_factor IS NULL OR (SELECT p.num FROM v_run_factor p WHERE p.entry_id = f.entry_id AND p.factor = c.least_factor) >= c.least AS fits
  FROM fitting f
  JOIN v_run r ON r.entry_id = f.entry_id
  JOIN v_accept_check c ON c.place = f.place
  LEFT JOIN (SELECT entry_id, group_concat(CASE WHEN kind = 'pair' THEN name || '=' || coalesce(text, '?') END, ' ') AS pair,
                    group_concat(CASE WHEN kind = 'pair' AND text IS NULL THEN name END, ', ') AS missing,
                    group_concat(CASE WHEN kind = 'same' AND text IS NOT NULL THEN name || '=' || text END, ' ') AS same
               FROM (SELECT * FROM word ORDER BY entry_id, kind, nth) GROUP BY entry_id) w ON w.entry_id = f.entry_id
-- @table cell
-- what is judged: equal in all that its check names
SELECT row_number() OVER (ORDER BY place, device, pair, same) - 1 AS cell, place, device, pair, same, missing, known_kind, min(entry_id) AS entry_id, base_unit, better,
       count(*) AS values_here
  FROM run WHERE judged AND fits GROUP BY place, device, pair, same
-- @table unit
-- files of nodes often end alike, which says nothing
SELECT row_number() OVER (ORDER BY node, gpu) - 1 AS unit, node, gpu,
       substr(node, 1, length(node) - coalesce((SELECT max(length(s.text)) FROM (
         WITH RECURSIVE place(k, name) AS (SELECT 2, max(node) FROM run WHERE judged AND fits UNION ALL SELECT k + 1, name FROM place WHERE k < length(name))
         SELECT substr(name, k) AS text FROM place WHERE substr(name, k, 1) IN ('-', '_', '.')) s
          WHERE (SELECT count(DISTINCT node) FROM run WHERE judged AND fits) > 1
            AND NOT EXISTS (SELECT 1 FROM run r WHERE r.judged AND r.fits AND (r.node IS NULL OR substr(r.node, -length(s.text)) <> s.text OR length(r.node) <= length(s.text)))), 0)) AS shown
  FROM run WHERE judged AND fits GROUP BY node, gpu
-- @table other
-- results of others that agree with a cell in all that must, and contradict it in nothing
SELECT c.cell, o.entry_id, o.key, o.origin, o.source, o.value, o.better
  FROM cell c
  JOIN run o ON NOT o.judged AND o.place = c.place AND o.device = c.device AND o.pair = c.pair AND o.fits
  JOIN v_accept_check k ON k.place = c.place AND k.others = 'all'
 WHERE c.missing IS NULL AND c.known_kind
   AND NOT EXISTS (SELECT 1 FROM word a JOIN word b ON b.entry_id = o.entry_id AND b.kind = 'same' AND b.name = a.name AND b.text <> a.text
                    WHERE a.entry_id = c.entry_id AND a.kind = 'same')
-- @table verdict
SELECT v.* FROM (SELECT json_object(
    'rule', json((SELECT json_group_array(json_array(k.floor, k.near, k.effect)) FROM (SELECT * FROM cell ORDER BY cell) c JOIN v_accept_check k ON k.place = c.place)),
    'here', json((SELECT json_group_array(json_array(c.cell, u.unit, CASE r.better WHEN 'lower' THEN 1 / r.value ELSE r.value END))
                    FROM run r JOIN cell c ON c.place = r.place AND c.device IS r.device AND c.pair = r.pair AND c.same = r.same
                    JOIN unit u ON u.node IS r.node AND u.gpu IS r.gpu WHERE r.judged AND r.fits)),
    'others', json((SELECT json_group_array(json_array(o.cell, (SELECT count(DISTINCT p.origin) FROM other p WHERE p.cell = o.cell AND p.origin < o.origin),
                                                     CASE o.better WHEN 'lower' THEN 1 / o.value ELSE o.value END)) FROM other o))) AS asked) q, abdb_accept(q.asked) v
-- @table judgement
SELECT v.cell, v.unit AS unit_number, c.device, k.name, k.place, c.pair, c.missing, c.known_kind, c.base_unit, k.others AS held, k.floor,
       CASE WHEN (SELECT count(DISTINCT coalesce(node, '')) FROM unit) > 1 OR u.gpu IS NULL THEN coalesce(u.shown, '') ELSE '' END
       || CASE WHEN u.gpu IS NULL THEN '' ELSE CASE WHEN (SELECT count(DISTINCT coalesce(node, '')) FROM unit) > 1 THEN ' ' ELSE '' END || 'device ' || u.gpu END AS unit,
       CAST(printf('%.12g', CASE c.better WHEN 'lower' THEN 1 / v.here ELSE v.here END) AS real) AS value, v.here AS good,
       CAST(printf('%.12g', CASE c.better WHEN 'lower' THEN 1 / v.lowest ELSE v.lowest END) AS real) AS lowest,
       CAST(printf('%.12g', CASE c.better WHEN 'lower' THEN 1 / v.highest ELSE v.highest END) AS real) AS highest,
       v.lowest AS good_lowest, v.highest AS good_highest, v.middle AS good_middle, k.least_factor,
       (SELECT p.num FROM v_run_factor p WHERE p.entry_id = c.entry_id AND p.factor = k.least_factor) AS least_found, v.peer, v.origins, v.others, v.peers, v.p_peers, v.p_others, v.by_peers, v.by_others, v.shows, v.verdict,
       (SELECT group_concat(r.key, ' ') FROM run r WHERE r.judged AND r.fits AND r.place = c.place AND r.device IS c.device AND r.pair = c.pair AND r.same = c.same
           AND r.node IS u.node AND r.gpu IS u.gpu) AS facts,
       (SELECT group_concat(o.key, ' ') FROM other o WHERE o.cell = v.cell) AS facts_of_others,
       (SELECT group_concat(x.source, ', ') FROM (SELECT DISTINCT o.source FROM other o WHERE o.cell = v.cell ORDER BY 1) x) AS sources,
       CASE WHEN c.base_unit IN ('FLOP/s', 'OP/s', 'B/s') THEN CASE WHEN v.here >= 1e12 THEN 1e12 ELSE 1e9 END
            WHEN c.base_unit = 's' THEN 1e-3 ELSE 1 END AS scale,
       CASE WHEN c.base_unit IN ('FLOP/s', 'OP/s', 'B/s') THEN CASE WHEN v.here >= 1e12 THEN 'T' ELSE 'G' END || c.base_unit WHEN c.base_unit = 's' THEN 'ms' ELSE c.base_unit END AS scaled,
       CASE WHEN c.base_unit IN ('FLOP/s', 'OP/s', 'B/s', 's') THEN '%.4g' ELSE '%.5g' END AS number
  FROM verdict v JOIN cell c ON c.cell = v.cell JOIN unit u ON u.unit = v.unit JOIN v_accept_check k ON k.place = c.place
-- @table line
-- a line for each verdict of a cell; a slow unit has its own
SELECT cell, device, place,
       CASE WHEN name = 'kernel' THEN replace(substr(pair, 6, instr(pair, ' threads=') - 6), ' n=auto', '')
            WHEN name = 'MLPerf' THEN name || ' ' || replace(replace(pair, 'model=', ''), 'scenario=', '')
            WHEN name LIKE 'gemm%' THEN name || ' ' || replace(replace(replace(pair, 'dtype=', ''), 'engine=', ''), '=', ' ')
            WHEN least_factor IS NOT NULL THEN printf('%s %.4g MiB, %s', name, least_found / 1048576, replace(substr(pair, 1, instr(pair, ' message_bytes') - 1), '=', ' '))
            ELSE name || ' ' || replace(replace(replace(replace(pair, 'operation=', ''), 'testcase=', ''), 'memory=', ''), 'route=', '') END AS "check",
       CASE WHEN count(*) > 1 THEN count(*) || ' units' ELSE max(unit) END AS unit,
       printf(number, CASE base_unit WHEN 's' THEN max(value) ELSE min(good) END / scale) || ' ' || scaled AS here,
       CASE WHEN max(origins) > 0 THEN CASE WHEN printf(number, lowest / scale) <> printf(number, highest / scale) THEN printf(number, min(lowest, highest) / scale) || '..' ELSE '' END
            || printf(number, max(lowest, highest) / scale) || printf(' (%s)', CASE WHEN max(origins) > 1 THEN max(origins) || ' origins' ELSE sources END)
            WHEN max(peers) > 0 THEN printf(number, CASE base_unit WHEN 's' THEN 1 / peer ELSE peer END / scale) || printf(' (%d peers)', max(peers)) END AS others,
       CASE WHEN max(origins) > 0 THEN CASE WHEN printf('%.2f', min(good) / good_highest) <> printf('%.2f', min(good) / good_lowest) THEN printf('%.2f..', min(good) / good_highest) ELSE '' END
            || printf('%.2f', min(good) / good_lowest)
            WHEN max(peers) > 0 THEN printf('%.3f', min(good) / peer) END AS ratio,
       verdict, CASE WHEN min(shows) IS NOT NULL THEN CAST(printf('%.4g', 100 * min(shows)) AS real) END AS would_have_seen_percent,
       CASE WHEN verdict = 'slow' AND by_peers = 'slow' THEN printf('%.1f %% below its %d peers (p %.2g)', 100 * (1 - min(good) / peer), max(peers), max(p_peers)) || CASE by_others WHEN 'slow' THEN ', and below others' ELSE '' END
            WHEN verdict = 'slow' AND max(origins) < 5 THEN printf('%.0f %% below the lowest of others', 100 * (1 - min(good) / good_lowest))
            WHEN verdict = 'slow' THEN printf('%.1f %% below the median of %d origins', 100 * (1 - min(good) / good_middle), max(origins))
            WHEN verdict = 'normal' AND max(origins) > 0 THEN NULL
            WHEN verdict = 'normal' THEN 'as its peers; what others reach is not known'
            WHEN NOT known_kind THEN coalesce('no results of others: abdb knows no kind of device ' || device || '; --record OUT keeps yours for others, six such devices are peers', 'no device is named: --set device=NAME')
            WHEN missing IS NOT NULL THEN 'not stated: ' || missing || ' (--set NAME=VALUE)'
            WHEN max(origins) = 0 AND max(peers) = 0 AND held = 'peers' THEN 'it takes at least 6 nodes of one fleet'
            WHEN max(origins) = 0 AND max(peers) = 0 THEN 'no result of another such device: import one, or measure 6 devices'
            WHEN by_peers = 'cannot tell' THEN 'slower than its peers, but not certainly: measure again'
            WHEN max(origins) = 0 THEN 'its peers differ so much that little would be seen'
            ELSE printf('%.0f %% below the lowest of others, which is neither normal nor slow: another origin would settle it', 100 * (1 - min(good) / good_lowest)) END AS why,
       min(p_peers) AS p_peers, min(p_others) AS p_others, min(value) AS value, lowest, highest, max(peers) AS peers, base_unit, min(good) AS good,
       CASE WHEN max(origins) > 0 THEN min(good) / good_lowest WHEN max(peers) > 0 THEN min(good) / peer END AS relative,
       CASE WHEN max(origins) > 0 THEN good_highest / good_lowest END AS relative_top, CASE WHEN max(origins) BETWEEN 1 AND 4 THEN floor END AS floor,
       group_concat(facts, ' ') || coalesce(' ' || facts_of_others, '') AS facts
  FROM judgement
 GROUP BY cell, verdict, CASE WHEN :each OR verdict = 'slow' THEN unit_number END
-- @rows
SELECT device, "check", unit, here, others, ratio, verdict, would_have_seen_percent, why, p_peers, p_others, value, lowest, highest, peers, base_unit, verdict = 'slow' AS slow,
       verdict = 'cannot tell' AS unjudged, relative, relative_top, floor, facts AS _facts
  FROM line ORDER BY device, place, "check", CASE verdict WHEN 'slow' THEN 0 WHEN 'cannot tell' THEN 1 ELSE 2 END, good;
-- @notes
SELECT text FROM (
  SELECT 1 AS place, min(nth) AS nth, CASE verdict WHEN 'slow' THEN 'slow: ' ELSE 'cannot tell: ' END || CASE WHEN count(*) > 1 THEN count(*) || ' checks: ' ELSE max("check") || CASE max(unit) WHEN '' THEN '' ELSE ' of ' || max(unit) END || ': ' END || why AS text
    FROM (SELECT *, row_number() OVER (ORDER BY verdict DESC, place, "check", good) AS nth FROM line WHERE verdict <> 'normal') GROUP BY verdict, CASE verdict WHEN 'slow' THEN nth END, why
  UNION ALL SELECT 2, 0, 'would have seen: ' || group_concat(printf('%.0f %% (%s)', percent, checks), '; ')
    FROM (SELECT would_have_seen_percent AS percent, CASE WHEN count(*) > 2 THEN count(*) || ' checks' ELSE group_concat("check", ', ') END AS checks
            FROM (SELECT DISTINCT cell, "check", CAST(would_have_seen_percent + 0.5 AS integer) AS would_have_seen_percent FROM line WHERE would_have_seen_percent IS NOT NULL ORDER BY place)
           GROUP BY would_have_seen_percent ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 2, 1, 'slow by its peers: fewer than one report in a hundred calls a device so that is none; measure it again before you send it away'
    FROM (SELECT 1 FROM judgement WHERE by_peers = 'slow' LIMIT 1)
  UNION ALL SELECT 2, 2, printf('measure again, only there: abdb run --slurm %s --plan accept', '''' || group_concat(node, ',') || '''')
    FROM (SELECT DISTINCT u.node FROM judgement t JOIN unit u ON u.unit = t.unit_number WHERE t.verdict <> 'normal' AND t.peers > 0
             AND EXISTS (SELECT 1 FROM v_run_factor f WHERE f.entry_id <= :upto AND f.factor = 'node' AND f.text = u.node) ORDER BY u.unit) HAVING count(*) > 0
  UNION ALL SELECT 3, 0, printf('fewer than 5 origins show no spread: slow is what lies below %s of the lowest of them (abdb query "SELECT name, floor, near, why FROM v_accept_check")', group_concat(floor, ' or '))
    FROM (SELECT DISTINCT floor FROM judgement WHERE origins BETWEEN 1 AND 4 ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 4, 0, printf('not judged: %d result%s of no check (abdb query "SELECT * FROM v_accept_check")', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END)
    FROM v_run e WHERE e.status = 'ok' AND (e.tag = :tag OR e.campaign = :campaign OR e.entry_id <= :upto)
     AND NOT EXISTS (SELECT 1 FROM run r WHERE r.entry_id = e.entry_id AND r.fits) HAVING count(*) > 0
  UNION ALL SELECT 5, 0, 'others: ' || s.source || ', ' || s.title || coalesce(', ' || s.url, '') FROM v_source s WHERE s.source IN (SELECT o.source FROM other o) AND s.kind <> 'program'
  UNION ALL SELECT 6, l.cell, printf('%s is judged by results that agree in %s%s and are not known to differ in %s; slow below %g, normal from %g of the lowest: %s', l."check", k.pair,
                                     CASE WHEN k.least_factor IS NULL THEN '' ELSE printf(', %s at least %g', k.least_factor, k.least) END, k.same, k.floor, k.near, k.why)
    FROM (SELECT DISTINCT cell, place, "check" FROM line) l JOIN v_accept_check k ON k.place = l.place WHERE :explain
  UNION ALL SELECT 7, l.cell, printf('%s: %s %.6g %s (%.3f of the median of others), %s, %s', l."check", o.source, o.value, l.base_unit,
                                     CASE o.better WHEN 'lower' THEN 1 / o.value ELSE o.value END / (SELECT j.good_middle FROM judgement j WHERE j.cell = l.cell LIMIT 1), coalesce(nullif((SELECT n.same FROM run n WHERE n.entry_id = o.entry_id), ''), 'nothing else stated'), r.run)
    FROM (SELECT DISTINCT cell, "check", base_unit FROM line) l JOIN other o ON o.cell = l.cell JOIN v_run r ON r.entry_id = o.entry_id WHERE :explain)
 ORDER BY place, nth;
