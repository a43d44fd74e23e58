-- 006_load.sql - a role for the load of a server (concurrency, request rate): compare lets like loads meet, rank takes the
-- best one. A CHECK cannot be altered, so the table is made anew with its rows.
CREATE TABLE declared (
    workload TEXT NOT NULL,                 -- a workload, a kind of evidence, 'specification', 'environment', or '*'
    factor   TEXT NOT NULL,                 -- name of the factor, or '*'
    role     TEXT NOT NULL CHECK (role IN ('pair', 'load', 'agree', 'free', 'report')),  -- pair: like meets like; load: so does compare, while rank takes the best load; agree: a difference is said; free: the thing compared; report: only shown
    needed   INTEGER NOT NULL DEFAULT 0 CHECK (needed IN (0, 1)),  -- 1: it may not be unknown
    why      TEXT,                          -- in words
    PRIMARY KEY (workload, factor)
) STRICT, WITHOUT ROWID;
INSERT INTO declared SELECT * FROM workload_factor;
DROP TABLE workload_factor;
ALTER TABLE declared RENAME TO workload_factor;
