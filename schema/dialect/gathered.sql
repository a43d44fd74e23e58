-- gathered.sql - on Citus, run when the views are there in both schemas: a view that Citus cannot spread reads what is gathered. Citus
-- itself says which: those that it has no plan for.

DO $$
DECLARE
    v RECORD;
    plan REFCURSOR;
BEGIN
    FOR v IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind = 'v' ORDER BY c.oid LOOP
        BEGIN
            OPEN plan FOR EXECUTE format('SELECT * FROM abdb.%I', v.relname); -- plans it, and asks nothing yet
            CLOSE plan;
        EXCEPTION WHEN feature_not_supported THEN
            EXECUTE format('CREATE OR REPLACE VIEW abdb.%I AS SELECT * FROM abdb_whole.%1$I', v.relname);
        END;
    END LOOP;
    DROP TABLE abdb_whole.column_doc CASCADE;
    IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('abdb_read', 'abdb_write')) = 2 THEN
        GRANT USAGE ON SCHEMA abdb_whole TO abdb_read, abdb_write;
        GRANT SELECT ON ALL TABLES IN SCHEMA abdb_whole TO abdb_read, abdb_write;
    END IF;
END $$;
