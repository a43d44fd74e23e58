-- title: Files of a list that are new, changed or gone
-- question: which files of a published list are new, changed or gone since they were imported?
-- group: What is in the database, and where from?
-- param: list | text | [] | JSON array of {line, path, sha256}: `abdb import --check LIST` makes it of the lines of sha256sum
-- column: state | state | | held: the same bytes were imported; withdrawn: they were, and withdrawn here; changed: other bytes of this name were; new: neither; gone: imported from a folder of the list, and no longer in it; unknown: in a folder that was read as a whole; unread: no line of a list
-- column: path | file | cut60 | name in the list; of a gone file that of its import
-- column: imported | imported | | day on which it, or the last other file of its name, was imported
-- column: as_path | imported as | cut60 | path of that import, if it differs
-- column: sha256 | sha256 | cut16 | digest in the list
-- column: line | line | | line of the list
-- note: members of archives are imported, not archives: list the unpacked files
WITH listed_path AS MATERIALIZED (
    SELECT value ->> 'line' AS line, value ->> 'path' AS path, value ->> 'sha256' AS sha256,
           rtrim(value ->> 'path', replace(value ->> 'path', '/', '')) AS folder
      FROM json_each(:list)
), listed AS MATERIALIZED (
    SELECT *, substr(path, length(folder) + 1) AS name FROM listed_path
), held_path AS (
    SELECT artifact AS path, sha256, max(imported) AS imported, min(withdrawn) AS withdrawn,
           rtrim(artifact, replace(artifact, '/', '')) AS folder
      FROM v_artifact WHERE artifact NOT GLOB '(built in)*' GROUP BY artifact, sha256
), held AS MATERIALIZED (
    SELECT *, substr(path, length(folder) + 1) AS name FROM held_path
), named AS MATERIALIZED ( -- the same file by its name: one path ends with the other
    SELECT l.line, h.path, h.imported, h.withdrawn,
           substr(h.path, 1, max(0, length(h.path) - length(l.path))) AS before,
           substr(l.path, 1, max(0, length(l.path) - length(h.path))) AS listed_before
      FROM listed l JOIN held h ON h.name = l.name
     WHERE h.path = l.path OR substr(h.path, -length(l.path) - 1) = '/' || l.path
        OR substr(l.path, -length(h.path) - 1) = '/' || h.path
), covered AS MATERIALIZED ( -- folders of the list, as imports spelled them
    SELECT r.before || l.folder AS folder FROM (SELECT DISTINCT before FROM named WHERE listed_before = '') r, (SELECT DISTINCT folder FROM listed) l
     UNION
    SELECT substr(l.folder, length(r.listed_before) + 1)
      FROM (SELECT DISTINCT listed_before FROM named WHERE listed_before <> '') r, (SELECT DISTINCT folder FROM listed) l
     WHERE substr(l.folder, 1, length(r.listed_before)) = r.listed_before
), same AS (
    SELECT l.line, h.path, h.withdrawn,
           row_number() OVER (PARTITION BY l.line ORDER BY h.withdrawn, h.path <> l.path, h.imported DESC, h.path) AS place
      FROM listed l JOIN held h ON h.sha256 = l.sha256
), judged AS (
    SELECT l.line, l.path, l.sha256, s.path AS same, s.withdrawn,
           (SELECT n.path FROM named n WHERE n.line = l.line AND n.withdrawn = 0 ORDER BY n.imported DESC, n.path LIMIT 1) AS other,
           (SELECT h.path FROM held h WHERE h.withdrawn = 0 AND instr('/' || l.path, '/' || rtrim(h.path, '/') || '/') > 0
             ORDER BY length(h.path) DESC LIMIT 1) AS around
      FROM listed l LEFT JOIN same s ON s.line = l.line AND s.place = 1
), stated AS (
    SELECT CASE WHEN j.sha256 IS NULL THEN 'unread'
                WHEN j.same IS NOT NULL THEN CASE WHEN j.withdrawn THEN 'withdrawn' ELSE 'held' END
                WHEN j.other IS NOT NULL THEN 'changed' WHEN j.around IS NOT NULL THEN 'unknown' ELSE 'new' END AS state,
           j.path, coalesce(j.same, j.other, j.around) AS as_path, j.sha256, j.line
      FROM judged j
    UNION ALL
    SELECT DISTINCT 'gone', h.path, h.path, NULL, NULL
      FROM held h
     WHERE h.withdrawn = 0 AND h.folder IN (SELECT folder FROM covered) AND h.path NOT IN (SELECT path FROM named)
       AND h.sha256 NOT IN (SELECT sha256 FROM listed WHERE sha256 IS NOT NULL)
)
SELECT s.state AS state, s.path AS path,
       (SELECT substr(max(h.imported), 1, 10) FROM held h WHERE h.path = s.as_path) AS imported,
       nullif(s.as_path, s.path) AS as_path, s.sha256 AS sha256, s.line AS line
  FROM stated s
 ORDER BY CASE s.state WHEN 'changed' THEN 1 WHEN 'new' THEN 2 WHEN 'gone' THEN 3 WHEN 'withdrawn' THEN 4 WHEN 'unknown' THEN 5 WHEN 'unread' THEN 6 ELSE 7 END,
          s.line, s.path;
