-- 006_witness.sql - which file, and which place in it, says an entry.

-- Every place that says an entry but the first, which entry has.
CREATE VIEW witness_again AS
SELECT entry_id, artifact_id, CAST(CASE WHEN line > 0 THEN 'line ' || line ELSE place END AS TEXT) AS locator FROM witness_row;

CREATE VIEW witness AS
SELECT entry_id, artifact_id, CASE WHEN line > 0 THEN 'line ' || line ELSE place END AS locator
  FROM entry_row WHERE artifact_id IS NOT NULL
UNION ALL
SELECT entry_id, artifact_id, locator FROM witness_again;
