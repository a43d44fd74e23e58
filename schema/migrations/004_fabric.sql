-- 004_fabric.sql - the networks that connect instances.

-- One instance that its provider connects with others by a network. Filled from data/fabrics.csv.
CREATE TABLE fabric (
    provider TEXT NOT NULL,                 -- as prices name it
    instance TEXT NOT NULL,                 -- as prices name it
    fabric   TEXT NOT NULL,                 -- InfiniBand, EFA, ...
    source   TEXT,                          -- who says so
    locator  TEXT,                          -- where
    PRIMARY KEY (provider, instance)
) STRICT, WITHOUT ROWID;
