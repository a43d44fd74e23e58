-- title: Withdrawn imports and facts
-- column: target | target | cut40 | sha256 of a file, or key of a fact
-- column: what | what | cut50 | the file, where it is one
-- column: reason | reason | cut60 |
-- column: date | date | | when
SELECT w.target, (SELECT min(a.artifact) FROM v_artifact a WHERE a.sha256 = w.target) AS what, w.reason, w.date
  FROM v_withdrawal w ORDER BY w.date, w.target;
