-- rights.sql - who may do what in a warehouse: abdb_read reads, abdb_write adds facts besides and neither changes nor deletes one. What
-- is derived from facts it makes anew, as an index. Who brought a fact and when, only the server says. Where whoever runs this may make
-- no roles, they are left to an administrator, and this is run again with the next `abdb push --upgrade`.

DO $$
DECLARE
    r TEXT;
BEGIN
    FOREACH r IN ARRAY ARRAY['abdb_read', 'abdb_write'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = r) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', r);
        END IF;
    END LOOP;
EXCEPTION
    WHEN insufficient_privilege THEN NULL; -- abdb push prints it (stores/pg/access.c)
    WHEN unique_violation OR duplicate_object THEN NULL; -- another database of this server makes them at this moment
END $$;

DO $$
DECLARE
    t RECORD;
    columns TEXT;
    spread BOOLEAN := EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus');
    derived CONSTANT TEXT[] := ARRAY['name', 'name_factor', 'subject', 'gone', 'ceiling_best'];
BEGIN
    IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('abdb_read', 'abdb_write')) < 2 THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA abdb TO abdb_read, abdb_write;
    REVOKE ALL ON ALL TABLES IN SCHEMA abdb FROM abdb_read, abdb_write, PUBLIC;
    GRANT SELECT ON ALL TABLES IN SCHEMA abdb TO abdb_read, abdb_write;
    FOR t IN SELECT c.oid, c.relname FROM pg_class c
              WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND c.relname NOT IN ('warehouse', 'column_doc') LOOP
        SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
         WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('pushed_by', 'pushed_at')
           AND NOT (attname = 'imported' AND t.relname <> 'artifact'); -- of an artifact it is what its machine says
        IF spread THEN -- Citus has rights on tables alone: the coordinator says which columns, shards take what it sends
            EXECUTE format('GRANT INSERT ON %I TO abdb_write', t.relname);
            PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
            EXECUTE format('REVOKE INSERT ON %I FROM abdb_write', t.relname);
        END IF;
        EXECUTE format('GRANT INSERT (%s) ON %I TO abdb_write', columns, t.relname);
        IF spread THEN
            PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
        END IF;
        IF t.relname = ANY (derived) THEN
            EXECUTE format('GRANT DELETE ON %I TO abdb_write', t.relname);
        END IF;
    END LOOP;
    REVOKE EXECUTE ON FUNCTION months(), count_again() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION months(), count_again() TO abdb_write;
END $$;
