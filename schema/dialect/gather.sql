-- gather.sql - on Citus, the schema abdb_whole: all views again, on rows that a query fetches to the coordinator first. Any SQL
-- of one PostgreSQL runs there, at the price of the fetching: SET search_path = abdb_whole, abdb. Run before the views are made there.

DROP SCHEMA IF EXISTS abdb_whole CASCADE;
CREATE SCHEMA abdb_whole;
CREATE TABLE abdb_whole.column_doc (LIKE abdb.column_doc); -- the views bring their words along
DO $$
DECLARE
    t TEXT;
BEGIN
    FOREACH t IN ARRAY ARRAY['entry_row', 'result_row', 'sample_row', 'witness_row', 'telemetry', 'span', 'rank'] LOOP
        EXECUTE format('CREATE VIEW abdb_whole.%I AS SELECT * FROM abdb.%1$I OFFSET 0', t); -- OFFSET: Citus asks it alone
    END LOOP;
END $$;
