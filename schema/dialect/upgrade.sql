-- upgrade.sql - a warehouse of another build becomes this build's: today's tables are in the schema abdb_new, empty. Tables and columns
-- that are missing are added, keys, CHECKs, indexes, functions and views made anew; facts stay as they are. What only taking away could do is
-- refused by name. The temporary table remade has the tables that were not there.

CREATE TEMP TABLE remade (relname NAME) ON COMMIT DROP;

DO $$
DECLARE
    v RECORD;
BEGIN
    FOR v IN SELECT viewname FROM pg_views WHERE schemaname = 'abdb' LOOP
        EXECUTE format('DROP VIEW IF EXISTS abdb.%I CASCADE', v.viewname);
    END LOOP;
    FOR v IN SELECT p.oid::REGPROCEDURE AS name FROM pg_proc p WHERE p.pronamespace = 'abdb'::REGNAMESPACE LOOP
        EXECUTE format('DROP ROUTINE %s', v.name);
    END LOOP;
    -- the functions of the new tables are those of the old
    FOR v IN SELECT p.oid::REGPROCEDURE AS name FROM pg_proc p WHERE p.pronamespace = 'abdb_new'::REGNAMESPACE LOOP
        EXECUTE format('ALTER ROUTINE %s SET SCHEMA abdb', v.name);
    END LOOP;
    IF to_regclass('abdb.column_doc') IS NOT NULL THEN
        DELETE FROM abdb.column_doc;
    END IF;
END $$;

DO $$
DECLARE
    t RECORD;
    c RECORD;
BEGIN
    FOR t IN SELECT n.relname, o.oid AS old, n.oid AS new
               FROM pg_class n LEFT JOIN pg_class o ON o.relname = n.relname AND o.relnamespace = 'abdb'::REGNAMESPACE
              WHERE n.relnamespace = 'abdb_new'::REGNAMESPACE AND n.relkind IN ('r', 'p') AND NOT n.relispartition LOOP
        IF t.old IS NULL THEN
            EXECUTE format('ALTER TABLE abdb_new.%I SET SCHEMA abdb', t.relname);
            INSERT INTO pg_temp.remade VALUES (t.relname);
            CONTINUE;
        END IF;
        FOR c IN SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) AS usual,
                        o.attname AS old, format_type(o.atttypid, o.atttypmod) AS was
                   FROM pg_attribute a
                   LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                   LEFT JOIN pg_attribute o ON o.attrelid = t.old AND o.attname = a.attname AND NOT o.attisdropped
                  WHERE a.attrelid = t.new AND a.attnum > 0 AND NOT a.attisdropped LOOP
            IF c.old IS NOT NULL THEN
                IF c.type <> c.was THEN
                    RAISE EXCEPTION 'the column %.% is of type % there and % here: pull everything by the build that made it, and push '
                                    'that to a new warehouse', t.relname, c.attname, c.was, c.type;
                END IF;
                CONTINUE;
            END IF;
            IF c.attnotnull AND c.usual IS NULL THEN
                RAISE EXCEPTION 'the column %.% is new and must not be empty: pull everything by the build that made it, and push '
                                'that to a new warehouse', t.relname, c.attname;
            END IF;
            EXECUTE format('ALTER TABLE abdb.%I ADD COLUMN %I %s %s %s %s', t.relname, c.attname, c.type,
                           CASE WHEN c.type IN ('text', 'text[]') THEN 'COLLATE "C"' ELSE '' END,
                           CASE WHEN c.usual IS NOT NULL THEN 'DEFAULT ' || c.usual ELSE '' END,
                           CASE WHEN c.attnotnull THEN 'NOT NULL' ELSE '' END);
        END LOOP;
        FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = t.old AND contype = 'c'
                    AND pg_get_constraintdef(oid) NOT IN (SELECT pg_get_constraintdef(oid) FROM pg_constraint
                                                           WHERE conrelid = t.new AND contype = 'c') LOOP
            EXECUTE format('ALTER TABLE abdb.%I DROP CONSTRAINT %I', t.relname, c.conname);
        END LOOP;
        FOR c IN SELECT pg_get_constraintdef(oid) AS def FROM pg_constraint WHERE conrelid = t.new AND contype = 'c'
                    AND pg_get_constraintdef(oid) NOT IN (SELECT pg_get_constraintdef(oid) FROM pg_constraint
                                                           WHERE conrelid = t.old AND contype = 'c') LOOP
            EXECUTE format('ALTER TABLE abdb.%I ADD %s', t.relname, c.def);
        END LOOP;
        FOR c IN SELECT n.conname, pg_get_constraintdef(n.oid) AS def FROM pg_constraint n
                  WHERE n.conrelid = t.new AND n.contype IN ('p', 'u')
                    AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conrelid = t.old AND o.contype = n.contype
                                       AND (n.contype = 'p' OR pg_get_constraintdef(o.oid) = pg_get_constraintdef(n.oid))) LOOP
            EXECUTE format('ALTER TABLE abdb.%I ADD CONSTRAINT %I %s', t.relname, c.conname, c.def);
        END LOOP;
        FOR c IN SELECT o.indexname FROM pg_indexes o JOIN pg_indexes n ON n.schemaname = 'abdb_new' AND n.indexname = o.indexname
                  WHERE o.schemaname = 'abdb' AND o.tablename = t.relname AND replace(n.indexdef, ' abdb_new.', ' abdb.') <> o.indexdef LOOP
            EXECUTE format('DROP INDEX abdb.%I', c.indexname);
        END LOOP;
        FOR c IN SELECT indexdef FROM pg_indexes n WHERE n.schemaname = 'abdb_new' AND n.tablename = t.relname
                    AND NOT EXISTS (SELECT 1 FROM pg_indexes o WHERE o.schemaname = 'abdb' AND o.indexname = n.indexname) LOOP
            EXECUTE replace(replace(c.indexdef, ' abdb_new.', ' abdb.'), ' ON ONLY ', ' ON '); -- of partitions, too
        END LOOP;
    END LOOP;
END $$;
DROP SCHEMA abdb_new CASCADE;

-- Where tables were not there: rows of entries that are gone would stand in the way of those entries when they come again; pushes compare
-- all keys again; and everything that is derived is made anew.
DO $$
DECLARE
    t RECORD;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_temp.remade) THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_temp.remade WHERE relname = 'entry_row') THEN
        FOR t IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'entry_id' AND NOT a.attisdropped
                  WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND c.relname <> 'entry_row' LOOP
            EXECUTE format('DELETE FROM abdb.%I', t.relname);
        END LOOP;
    END IF;
    DELETE FROM abdb.chunk;
    DELETE FROM abdb.witnessed;
    DELETE FROM abdb.settled;
    INSERT INTO abdb.arrival (brought) VALUES ('description spec price device model alias decoration mlperf source metric withdrawal witness_row fact');
END $$;
