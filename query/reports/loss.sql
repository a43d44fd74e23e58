-- title: Loss of training runs {tag}
-- question: how the loss of training falls, and how near it comes to what its source of tokens allows
-- group: What was measured here?
-- site: Measured here
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- column: cell | cell | cut44 | workload and parameters; the tag, where there are several
-- column: backend | backend | |
-- column: step | update | | counted from 1
-- column: loss | loss | 4 | mean of the tokens of this update, nats
-- column: floor | floor | 4 | entropy of the source of tokens, where it is known
-- hoist: backend
-- note: the floor is the entropy of the source of tokens: no model can lose less in the mean, a single update can by chance
-- @rows
WITH RECURSIVE newest (place, campaign) AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY c.date DESC, c.campaign), c.campaign
    FROM v_campaign c WHERE :tag IS NULL AND :campaign = 'latest' AND EXISTS (SELECT 1 FROM quantity q WHERE q.metric = 'loss')),
walked (place, campaign, has) AS ( -- from the newest on, no farther than to the first that has losses
  SELECT 0, '', 0
  UNION ALL
  SELECT n.place, n.campaign,
         CASE WHEN EXISTS (SELECT 1 FROM v_run e JOIN v_stored r ON r.entry_id = e.entry_id AND r.metric = 'loss'
                            WHERE e.campaign = n.campaign AND e.source = 'abdb-run') THEN 1 ELSE 0 END
    FROM walked w JOIN newest n ON n.place = w.place + 1 WHERE w.has = 0),
wanted (campaign) AS (
  SELECT DISTINCT campaign FROM v_run WHERE tag = :tag
  UNION SELECT :campaign WHERE :tag IS NULL AND :campaign NOT IN ('latest', 'all')
  UNION SELECT campaign FROM walked WHERE has = 1
  UNION SELECT campaign FROM v_campaign WHERE :tag IS NULL AND :campaign = 'all')
SELECT replace(k.cell, k.backend || ' ', '') || coalesce(' (' || k.slice || ')', '') || k.told AS cell, k.backend, k.x AS step, k.value AS loss,
       (SELECT f.value FROM v_stored f WHERE f.entry_id = k.entry_id AND f.metric = 'loss_floor') AS floor, k.cell || coalesce(' (' || k.slice || ')', '') || k.told AS _label, k.key AS _facts
  FROM (SELECT k.entry_id, k.date, k.backend, k.cell, k.slice, r.x, r.value, r.key,
               CASE WHEN min(coalesce(k.tag, '')) OVER () < max(coalesce(k.tag, '')) OVER () THEN coalesce(' ' || k.tag, '') ELSE '' END AS told
          FROM v_kernel k JOIN v_result r ON r.entry_id = k.entry_id AND r.metric = 'loss' AND r.x IS NOT NULL
         WHERE k.campaign IN (SELECT campaign FROM wanted) AND (:tag IS NULL OR k.tag = :tag) AND k.status = 'ok') k
 ORDER BY k.date, k.cell, k.told, k.x;
