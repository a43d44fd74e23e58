-- title: Withdrawn imports and facts
-- question: what was withdrawn, when and why
-- group: What is in the database, and where from?
-- column: target | target | cut40 | sha256 of a file (@N: as version N of its importer read it, ?FORMAT?WORDS: as it was read with what --set said), or key or name of a fact
-- column: what | what | cut50 | the file, where it is one
-- column: reason | reason | cut60 |
-- column: date | date | | when
-- column: event | event | | withdrawn, or restored: it counts again; the last of a target holds
SELECT w.target, (SELECT min(a.artifact) FROM v_artifact a WHERE a.sha256 = substr(w.target, 1, 64)) AS what, w.reason, w.date, w.event
  FROM v_withdrawal w ORDER BY w.date, w.target, w.event, w.reason;
