-- title: Claims of documents, recomputed from facts {source} {verdict}
-- question: what documents claim, recomputed from stored facts: holds, fails with both numbers, or what is missing
-- group: May it be believed, and compared?
-- site: Evidence
-- param: source | text | | only claims of this source | SELECT DISTINCT source FROM v_claim ORDER BY 1
-- param: verdict | text | | holds, fails or unknown | SELECT DISTINCT verdict FROM v_claim ORDER BY 1
-- column: claim | claim | | short name: abdb explain CLAIM
-- column: verdict | verdict | | holds, fails (both numbers are shown), unknown (with what is missing)
-- column: stated | stated | | the number claimed, as printed
-- column: words | said | | how exactly: abdb query "SELECT words, meaning FROM v_claim_word"
-- column: recomputed | recomputed | g5 | coefficient x product, sum, mean, rank ... of facts, + offset
-- column: low | from | g5 | the least that it can be, by the last digit of every number that it cites
-- column: high | to | g5 | the most that it can be
-- column: terms | facts | | facts that it is recomputed from
-- column: sentence | sentence | cut70 | in our words
-- column: locator | where | cut40 | table, figure or section
-- column: source | source | | who claims it
-- column: reason | missing | cut50 | what would be needed
-- screen: claim verdict stated recomputed low high source reason sentence
-- hoist: source
-- @rows
SELECT claim, verdict, raw_value AS stated, words, recomputed, low, high, terms, sentence, locator, source, reason,
       'c-' || claim || coalesce(' ' || (SELECT group_concat(key, ' ') FROM v_claim_term t WHERE t.claim = c.claim), '') AS _facts
  FROM v_claim c
 WHERE (:source IS NULL OR source = :source) AND (:verdict IS NULL OR verdict = :verdict)
 ORDER BY CASE verdict WHEN 'fails' THEN 0 WHEN 'unknown' THEN 1 ELSE 2 END, source, claim;
-- @notes
SELECT printf('%d hold, %d fail, %d cannot be recomputed', sum(verdict = 'holds'), sum(verdict = 'fails'),
              sum(verdict = 'unknown'))
  FROM v_claim WHERE (:source IS NULL OR source = :source);
