-- title: History of a measurement, with change points {kernel} {device}
-- question: a cell command after command, along commits, with change points
-- group: What was measured here?
-- first: yes
-- site: Measured here
-- param: kernel | text | | one kernel
-- param: cell | text | | one cell; several by *; of a command with its program or without
-- param: device | text | | one machine (default: the one measured last)
-- param: cells | number | 4 | cells at most: those measured most often on that machine
-- param: why | flag | | of each change: what the other cells of the same commands did, and what else differs: commit, program, library, driver, ...
-- column: label | cell | cut44 | kernel, parameters and backend; of abdb run --command the program, too, as NAME=COMMAND
-- column: run | run | | number of the command: by the commits' own dates where all have one, else oldest first
-- column: date | date | cut16 | when, UTC
-- column: ms | ms | g5 | median of its processes
-- column: low_ms | low | g5 | of its 95 % interval; of few processes their least and largest
-- column: high_ms | high | g5 |
-- column: n | n | | processes
-- column: change | change | | 1: from here on the level is another: p at most 0.01, and 1 % or more
-- column: ratio | ratio | 3 | time after / before a change
-- column: p | p | g2 | corrected for all runs, places and cells
-- column: tag | tag | | of a kernel: the build; of a command: the program
-- column: commit | commit | cut12 | revision that was measured (abdb run --commit)
-- column: known | known | cut30 | what `abdb note` says of the commit, tag or command of a change
-- column: changed | changed | | 1: a change that nobody has noted: `--fail-on changed` makes a gate of it
-- column: unjudged | unjudged | | 1: a cell of too few commands, or every run of its newest is unsteady or imprecise (`--fail-on changed,unjudged`)
-- column: between | place | | of a change: the runs at which it may be, where several are nearly as good
-- column: verdict | verdict | | of the cell, at its newest run: changed, same, or too-few
-- column: shows | shows | %0 | of the cell: the least change of its newest level that these runs would show
-- column: wants | wants | | of the cell: more commands until there is a verdict
-- column: other_side | other cells | 3 | of --why: what the machine's other cells did at the same place, median of time after / before (five commands each); empty: none was measured on both sides
-- column: this_side | this side | 3 | ratio / other cells
-- column: moved_by | moved by | cut100 | this side (commit, tag, command) or the method (library, driver, compiler, settings of the machine): what differs between the two commands at the change
-- screen: label run date ms change ratio p commit verdict other_side this_side moved_by
-- hoist: other_side this_side moved_by
-- A series is what was asked, time after time. Of a kernel its cell says that; the tag names a build, and a change between builds is
-- what is looked for, so it parts nothing. Of abdb run --command the cell says only that a time was taken: the program is the name
-- that it was given, which is kept as the tag, and its words. Either of them another: another series. So are another node, processor,
-- power limit, type of virtual machine, number of threads, quota, warm-up or kind of output: a change between them is none of the program.
-- @table found
SELECT CASE instr(k.cell, ' #') WHEN 0 THEN k.cell ELSE substr(k.cell, 1, instr(k.cell, ' #') - 1) END
       || coalesce((SELECT ' ' || coalesce(k.tag || '=', '') || c.text FROM v_run_factor c WHERE c.entry_id = k.entry_id AND c.factor = 'command'), '') AS cell, k.device, k.campaign, k.tag,
       k.date, k.time_s, k.time_low_s, k.time_high_s, k.key, k.entry_id,
       (SELECT f.text FROM v_factor_given f WHERE f.result_id = k.result_id AND f.factor = 'commit') AS revision,
       (SELECT f.text FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = 'commit_date') AS committed,
       coalesce((SELECT group_concat(f.factor || '=' || f.text, ' ') FROM (SELECT factor, text FROM v_run_factor
                  WHERE entry_id = k.entry_id AND (factor IN ('node', 'threads', 'cpu_quota', 'warmup') OR (factor = 'output' AND text <> 'null'))
                  ORDER BY factor) f), '')
       || coalesce((SELECT group_concat(' ' || j.value, '') FROM entry e JOIN environment v USING (environment_id), json_each(v.body) j
                     WHERE e.entry_id = k.entry_id AND json_valid(v.body)
                       AND j.key IN ('host_processor_model_name', 'gpu_power_limit', 'power_limit', 'virtual_machine_type')), '') AS setting,
       k.in_doubt
  FROM v_kernel k WHERE k.status = 'ok' AND k.verified <> 'fail' AND k.time_s > 0
   AND (:kernel IS NULL OR k.kernel = :kernel)
   AND k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = coalesce(:device, (SELECT device FROM v_kernel
                               WHERE campaign = (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) AND device IS NOT NULL LIMIT 1)))
   AND (:cell IS NULL OR k.cell GLOB :cell OR k.cell GLOB :cell || ' #*'
        OR substr(k.cell, 1, instr(k.cell || ' #', ' #') - 1)
           || coalesce((SELECT ' ' || coalesce(k.tag || '=', '') || c.text FROM v_run_factor c WHERE c.entry_id = k.entry_id AND c.factor = 'command'), '') GLOB :cell)
-- @table one
SELECT * FROM (SELECT cell || CASE WHEN dense_rank() OVER w + dense_rank() OVER v = 2 THEN '' ELSE ' ' || trim(setting) END AS cell, device, campaign, tag,
                      date, time_s, time_low_s, time_high_s, key, revision, committed, in_doubt, entry_id
                 FROM found WINDOW w AS (PARTITION BY cell, device ORDER BY setting), v AS (PARTITION BY cell, device ORDER BY setting DESC))
 WHERE NOT in_doubt
-- @table seen
SELECT c.*, row_number() OVER (PARTITION BY cell, device ORDER BY CASE WHEN dated = runs THEN committed END, date, campaign, tag) AS run
  FROM (SELECT cell, device, campaign, tag, min(date) AS date, max(committed) AS committed,
               count(*) OVER (PARTITION BY cell, device) AS runs, count(max(committed)) OVER (PARTITION BY cell, device) AS dated, median(time_s) AS time_s, count(*) AS n, max(revision) AS revision,
               CASE count(*) WHEN 1 THEN min(time_low_s) ELSE coalesce(ci_low(time_s, 0.95), min(time_s)) END AS low_s,
               CASE count(*) WHEN 1 THEN min(time_high_s) ELSE coalesce(ci_high(time_s, 0.95), max(time_s)) END AS high_s,
               group_concat(key, ' ') AS keys, json_group_array(entry_id) AS entries
          FROM one GROUP BY cell, device, campaign, tag) c
-- @table chosen
SELECT cell, device, runs FROM seen WHERE runs > 1 GROUP BY cell, device ORDER BY runs DESC, cell LIMIT :cells
-- @table unjudged
SELECT cell, device, campaign, tag, max(date) AS date, max(revision) AS revision, group_concat(key, ' ') AS keys
  FROM (SELECT f.*, first_value(campaign) OVER (PARTITION BY cell, device ORDER BY date DESC, campaign DESC) AS newest FROM found f) f
 WHERE campaign IS newest GROUP BY cell, device HAVING min(in_doubt) = 1 ORDER BY cell LIMIT :cells
-- @table series
SELECT * FROM (
  SELECT s.cell, s.device, s.run, json_group_array(s.time_s) OVER (PARTITION BY s.cell, s.device ORDER BY s.run
         ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS list
    FROM chosen c JOIN seen s ON s.cell = c.cell AND s.device = c.device)
 WHERE run = 1
-- @table marked
SELECT s.cell, s.device, c.place AS run, c.ratio, c.p, CASE WHEN c.low < c.high THEN c.low || ' to ' || c.high END AS "between"
  FROM series s, abdb_changes(s.list, (SELECT max(1, count(*)) FROM chosen WHERE runs >= 8)) c -- shorter ones can show no change
-- @table judged
SELECT s.cell, s.device, v.verdict, v.shows, v.wants FROM series s, abdb_verdict(s.list, (SELECT max(1, count(*)) FROM chosen WHERE runs >= 8)) v
-- @table beside
-- the other cells that were measured by the command of a change: their level after it and before it
SELECT cell, device, run, median(ratio) AS other_side, count(ratio) AS cells FROM (
  SELECT m.cell, m.device, m.run,
         (SELECT median(time_s) FROM (SELECT time_s FROM seen a WHERE a.cell = o.cell AND a.device = o.device AND a.run >= o.run ORDER BY a.run LIMIT 5))
         / (SELECT median(time_s) FROM (SELECT time_s FROM seen b WHERE b.cell = o.cell AND b.device = o.device AND b.run < o.run ORDER BY b.run DESC LIMIT 5)) AS ratio
    FROM marked m JOIN seen t ON t.cell = m.cell AND t.device = m.device AND t.run = m.run
    JOIN seen o ON o.campaign IS t.campaign AND o.device = t.device AND o.cell <> t.cell
   WHERE :why)
 GROUP BY cell, device, run
-- @table noted_of
-- what is recorded of the command of a change (side 1) and of the one before it (side 0)
WITH entries AS (
  SELECT m.cell, m.device, m.run, t.run = m.run AS side, CAST(j.value AS INTEGER) AS entry_id
    FROM marked m JOIN seen t ON t.cell = m.cell AND t.device = m.device AND t.run IN (m.run - 1, m.run), json_each(t.entries) j WHERE :why)
SELECT e.cell, e.device, e.run, e.side, CASE WHEN f.factor IN ('commit', 'command') THEN 'this side' ELSE 'the method' END AS kind, f.factor AS name, f.text AS value
  FROM entries e JOIN v_run_factor f ON f.entry_id = e.entry_id
 WHERE f.factor IN ('commit', 'command', 'backend', 'provider', 'library', 'library_version', 'software', 'driver', 'cuda', 'clock', 'clock_policy', 'sampling', 'chosen')
UNION SELECT e.cell, e.device, e.run, e.side, 'this side', 'tag', s.tag FROM entries e JOIN seen s ON s.cell = e.cell AND s.device = e.device AND s.run = e.run - 1 + e.side WHERE s.tag IS NOT NULL
UNION
SELECT e.cell, e.device, e.run, e.side, 'the method', substr(replace(t.fullkey, '"', ''), 3), CAST(t.atom AS TEXT)
  FROM entries e JOIN entry x ON x.entry_id = e.entry_id JOIN environment v USING (environment_id), json_tree(iif(json_valid(v.body), v.body, '{}')) t
 WHERE t.atom IS NOT NULL AND substr(replace(t.fullkey, '"', ''), 3) IN (SELECT factor FROM v_workload_factor WHERE workload = 'environment' AND role = 'agree' UNION SELECT 'kernel')
-- @table differing
SELECT cell, device, run, kind, name, coalesce(group_concat(iif(side = 0, value, NULL), ' | '), 'unknown') AS a, coalesce(group_concat(iif(side = 1, value, NULL), ' | '), 'unknown') AS b
  FROM (SELECT * FROM noted_of ORDER BY value) GROUP BY cell, device, run, kind, name
-- @table moved
SELECT m.cell, m.device, m.run, b.other_side, m.ratio / b.other_side AS this_side,
       CASE WHEN abs(ln(b.other_side)) > abs(ln(m.ratio / b.other_side)) THEN 'the other cells moved as well; ' ELSE '' END
       || CASE WHEN d.side IS NOT NULL AND d.method IS NOT NULL THEN 'this side and the method together: ' || d.side || '; ' || d.method
               WHEN d.side IS NOT NULL THEN 'this side: ' || d.side WHEN d.method IS NOT NULL THEN 'the method: ' || d.method
               ELSE 'nothing that is recorded differs' END AS moved_by
  FROM marked m LEFT JOIN beside b ON b.cell = m.cell AND b.device = m.device AND b.run = m.run
  LEFT JOIN (SELECT cell, device, run, group_concat(iif(kind = 'this side', words, NULL), ', ') AS side, group_concat(iif(kind = 'the method', words, NULL), ', ') AS method
               FROM (SELECT *, printf('%s %.40s > %.40s', name, a, b) AS words FROM differing WHERE a <> b ORDER BY name) GROUP BY cell, device, run) d
    ON d.cell = m.cell AND d.device = m.device AND d.run = m.run
 WHERE :why
-- @rows
WITH noted AS (
  SELECT o.*, m.run IS NOT NULL AS change, m.ratio, m.p, m."between", j.verdict, j.shows, j.wants,
         CASE WHEN m.run IS NOT NULL THEN
           (SELECT n.text FROM v_note n WHERE (n.kind = 'commit' AND n.target = o.revision) OR (n.kind = 'tag' AND n.target = o.tag)
                OR (n.kind = 'campaign' AND n.target = o.campaign) ORDER BY n.note_id DESC LIMIT 1) END AS known
    FROM chosen c JOIN seen o ON o.cell = c.cell AND o.device = c.device
    LEFT JOIN marked m ON m.cell = o.cell AND m.device = o.device AND m.run = o.run
    LEFT JOIN judged j ON j.cell = o.cell AND j.device = o.device AND o.run = o.runs),
lines AS (
  SELECT cell, device, run, date, time_s, low_s, high_s, n, change, ratio, p, tag, revision, known, change = 1 AND known IS NULL AS changed,
         coalesce(verdict = 'too-few', 0) AS unjudged, keys, "between", verdict, shows, wants FROM noted
  UNION ALL SELECT cell, device, NULL, date, NULL, NULL, NULL, 0, 0, NULL, NULL, tag, revision, NULL, 0, 1, keys, NULL, NULL, NULL, NULL FROM unjudged)
SELECT replace(cell, ' n=auto', '') AS label, run, substr(date, 1, 16) AS date, 1000 * time_s AS ms, 1000 * low_s AS low_ms,
       1000 * high_s AS high_ms, n, change, ratio, p, tag, revision AS "commit", known, changed, unjudged, "between", verdict, shows, wants,
       (SELECT other_side FROM moved m WHERE m.cell = lines.cell AND m.device = lines.device AND m.run = lines.run) AS other_side,
       (SELECT this_side FROM moved m WHERE m.cell = lines.cell AND m.device = lines.device AND m.run = lines.run) AS this_side,
       (SELECT moved_by FROM moved m WHERE m.cell = lines.cell AND m.device = lines.device AND m.run = lines.run) AS moved_by, keys AS _facts,
       (SELECT count(*) FROM seen WHERE runs > 1) AS _whole
  FROM lines
 ORDER BY cell, device, run IS NULL, run;
-- @notes
SELECT printf('n = %d command%s; a change: the newest runs, or the best of all stretches, stand out with p at most 0.01 over all runs and cells, by at least 1 %%',
              count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END) FROM chosen c JOIN seen s ON s.cell = c.cell AND s.device = c.device HAVING count(*) > 0
UNION ALL
SELECT printf('%d of %d cell%s too-few: a verdict takes 10 commands, and 4 after a change; the column wants', sum(verdict = 'too-few'), count(*),
              CASE count(*) WHEN 1 THEN ' is' ELSE 's are' END) FROM judged HAVING sum(verdict = 'too-few') > 0
UNION ALL
SELECT printf('%d of %d measurement%s %s left out: unsteady, or imprecise (fewer than 10 samples)%s', sum(in_doubt), count(*),
              CASE count(*) WHEN 1 THEN '' ELSE 's' END, CASE sum(in_doubt) WHEN 1 THEN 'is' ELSE 'are' END,
              CASE WHEN EXISTS (SELECT 1 FROM unjudged) THEN '; a row without a time: they are all of its newest command' ELSE '' END)
  FROM found HAVING sum(in_doubt) > 0;
