-- warehouse.sql - what a warehouse on PostgreSQL has other than a file: run after schema/ddl in the words of tables.sed.
--
-- Numbers of a file are keys here: entry_id is entry_key, description_id is description_key, and so on; that of a quantity and of
-- an artifact is made of what it says, that of a result is entry_key with its ordinal (schema/store/carry.h). So rows of any
-- machine join, and everything that belongs to an entry lies with it where tables are distributed by entry_id. Results and samples
-- are partitioned by the month in which they came; an entry is there once whatever the month, as entry_row is one table.

DROP TABLE result_row, sample_row, touched, meta;

-- What is known of the warehouse itself.
CREATE TABLE warehouse (
    made   TIMESTAMPTZ NOT NULL DEFAULT now(), -- when these tables were made, or changed
    tables TEXT NOT NULL,                      -- digest of the SQL that made them
    views  TEXT NOT NULL,                      -- digest of the SQL that made the views
    maker  TEXT NOT NULL DEFAULT session_user  -- by whom
);

-- One transaction that brought something, and those whose derived rows are made.
CREATE TABLE arrival (
    arrival_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    brought    TEXT NOT NULL,                  -- tables that it added to, blanks between; mlperf: statements that others may repeat
    pushed_by  TEXT NOT NULL DEFAULT session_user,
    pushed_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE TABLE settled (
    arrival_id BIGINT PRIMARY KEY
);

-- Readings whose places were all said here: how many, and a sum of the digests of their entries.
CREATE TABLE witnessed (
    artifact_id BIGINT NOT NULL,
    places      BIGINT NOT NULL,
    total       BIGINT NOT NULL,
    PRIMARY KEY (artifact_id, places, total)
);

-- Entries of a file, so many one after the other, that are all here: the digest of their keys. Whoever takes entries away by hand
-- empties this, too.
CREATE TABLE chunk (
    chunk_key     BIGINT NOT NULL PRIMARY KEY,
    chunk_key_low BIGINT NOT NULL
);

-- Rejects are known by their place among those of their file.
ALTER TABLE reject ADD COLUMN place BIGINT NOT NULL, ADD PRIMARY KEY (artifact_id, place);

CREATE TABLE result_row (
    result_id   BIGINT NOT NULL,
    entry_id    BIGINT NOT NULL,
    ordinal     BIGINT NOT NULL,
    quantity_id BIGINT NOT NULL,
    value       DOUBLE PRECISION NOT NULL CHECK (value > '-infinity' AND value < 'infinity'),
    raw_value   TEXT COLLATE "C",
    cell        TEXT COLLATE "C",
    mpi_rank    BIGINT,
    x           DOUBLE PRECISION CHECK (x > '-infinity' AND x < 'infinity'),
    n           BIGINT CHECK (n > 0),
    low         DOUBLE PRECISION CHECK (low > '-infinity' AND low < 'infinity'),
    high        DOUBLE PRECISION CHECK (high > '-infinity' AND high < 'infinity'),
    imported    DATE NOT NULL DEFAULT date_trunc('month', now())::DATE,
    PRIMARY KEY (entry_id, ordinal, imported)
) PARTITION BY RANGE (imported);
CREATE INDEX result_by_id ON result_row (result_id);

-- The samples of one result: arrays of one length; those of which nothing is known are NULL.
CREATE TABLE sample_row (
    entry_id BIGINT NOT NULL,
    ordinal  BIGINT NOT NULL,
    value    DOUBLE PRECISION[] NOT NULL,
    t_s      DOUBLE PRECISION[],
    mpi_rank BIGINT[],
    mark     TEXT[] COLLATE "C",
    imported DATE NOT NULL DEFAULT date_trunc('month', now())::DATE,
    PRIMARY KEY (entry_id, ordinal, imported)
) PARTITION BY RANGE (imported);

-- Makes the partitions of this month and the next, where they are missing.
CREATE FUNCTION months() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = abdb, pg_temp AS $$
DECLARE
    first DATE;
    part  TEXT;
    whole TEXT;
BEGIN
    FOR k IN 0 .. 1 LOOP
        first := date_trunc('month', now()) + k * INTERVAL '1 month';
        FOREACH whole IN ARRAY ARRAY['result_row', 'sample_row'] LOOP
            part := whole || to_char(first, '_YYYYMM');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            PERFORM pg_advisory_xact_lock(7091, 1);
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, whole, first,
                           (first + INTERVAL '1 month')::DATE);
        END LOOP;
    END LOOP;
END $$;

-- Counts again for the planner what grew fourfold since it was counted: of a table that was counted when it held a few rows it would
-- read all of it for each of the many that came since.
CREATE FUNCTION count_again() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = abdb, pg_temp AS $$
DECLARE
    t REGCLASS;
BEGIN
    FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind = 'r'
                AND pg_relation_size(c.oid) > 4 * 8192::BIGINT * c.relpages LOOP
        EXECUTE format('ANALYZE %s', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['result_row', 'sample_row']::REGCLASS[] LOOP -- the whole of partitions
        IF EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = t AND c.reltuples < 0)
           OR (SELECT 4 * max(c.reltuples) < sum(p.reltuples) FROM pg_class c, pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
                WHERE c.oid = t AND i.inhparent = t) THEN
            EXECUTE format('ANALYZE %s', t);
        END IF;
    END LOOP;
END $$;

-- Who brought a fact, and when: what nobody but the server says (see the rights below).
ALTER TABLE entry_row ADD COLUMN imported DATE NOT NULL DEFAULT date_trunc('month', now())::DATE;
DO $$
DECLARE
    t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['entry_row', 'spec', 'price', 'claim', 'note', 'withdrawal', 'alias', 'device', 'model', 'source', 'rule',
                             'artifact'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN pushed_by TEXT NOT NULL DEFAULT session_user,'
                       ' ADD COLUMN pushed_at TIMESTAMPTZ NOT NULL DEFAULT now()', t);
    END LOOP;
END $$;
CREATE INDEX entry_by_time ON entry_row USING brin (pushed_at); -- they come in this order

-- A printed key, and a round's place in order.
CREATE FUNCTION printed(kind TEXT, high BIGINT, low BIGINT) RETURNS TEXT LANGUAGE SQL IMMUTABLE AS
$$ SELECT (kind || '-' || lpad(to_hex(high), 16, '0') || lpad(to_hex(low), 16, '0')) COLLATE "C" $$;

CREATE FUNCTION ordered(round TEXT) RETURNS INTEGER LANGUAGE SQL IMMUTABLE AS
$$ SELECT CAST(substring(round FROM '^v([0-9]+)') AS INTEGER) * 1000
        + coalesce(CAST(substring(round FROM '^v[^.]*[.]([0-9]+)') AS INTEGER), 0) $$;

-- The product of numbers, one after the other.
CREATE AGGREGATE multiplied(DOUBLE PRECISION) (SFUNC = float8mul, STYPE = DOUBLE PRECISION);
