-- 008_round.sql - the rounds of MLPerf and their place in time.

-- One round of a suite of MLPerf: its place in time. Filled from data/rules/rounds.csv.
CREATE TABLE round (
    suite     TEXT NOT NULL,                -- inference, training, hpc, tiny, storage, ...
    round     TEXT NOT NULL,                -- version of the suite, such as 'v6.0'
    published TEXT NOT NULL,                -- date on which its results were published, ISO 8601
    source    TEXT NOT NULL,                -- who says so
    locator   TEXT NOT NULL,                -- where
    PRIMARY KEY (suite, round)
) STRICT, WITHOUT ROWID;

-- An artifact records which version of its importer read it: `abdb import --refresh` reads older ones again.
ALTER TABLE artifact ADD COLUMN importer INTEGER NOT NULL DEFAULT 1;
CREATE INDEX artifact_sha256 ON artifact (sha256);
