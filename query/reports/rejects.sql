-- title: Rows that were refused, and why
-- question: which rows were refused, and why
-- group: What is in the database, and where from?
-- param: artifact | text | | one file; several by * |
-- param: limit | number 1.. | 50 | rows at most
-- column: artifact | file | cut48 | path of the file
-- column: line | line | | line in it
-- column: field | column | | column or key
-- column: reason | reason | cut90 | what is wrong
-- column: raw | row | cut60 | as it was
-- @rows
SELECT artifact, line, field, reason, raw, count(*) OVER () AS _whole FROM v_reject
 WHERE :artifact IS NULL OR artifact GLOB :artifact ORDER BY artifact, line LIMIT :limit;
