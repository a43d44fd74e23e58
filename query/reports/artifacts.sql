-- title: Imported files and what became of their rows
-- question: which files were imported, and what became of their rows
-- group: What is in the database, and where from?
-- first: yes
-- column: artifact | file | cut60 | path of the file
-- column: format | format |  | importer that read it
-- column: accepted | accepted |  | input rows with something new
-- column: duplicate | duplicate |  | input rows that only repeat
-- column: rejected | rejected |  | input rows refused: abdb query rejects
-- column: ignored | ignored |  | input rows with nothing to keep
-- column: imported | imported |  | when, UTC
SELECT artifact, format, accepted, duplicate, rejected, ignored, imported
  FROM v_artifact ORDER BY imported, artifact;
