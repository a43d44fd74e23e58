-- citus.sql - where a database has the extension citus, tables that belong to entries are distributed by the key of the entry, those of one
-- entry on one node; all others are copies on every node. On a plain PostgreSQL it does nothing.

DO $$
DECLARE
    t TEXT;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
        RETURN;
    END IF;
    FOREACH t IN ARRAY ARRAY['entry_row', 'result_row', 'sample_row', 'telemetry', 'span', 'rank', 'witness_row'] LOOP
        PERFORM create_distributed_table('abdb.' || t, 'entry_id', colocate_with => CASE t WHEN 'entry_row' THEN 'none' ELSE 'abdb.entry_row' END);
    END LOOP;
    FOR t IN SELECT c.relname FROM pg_class c
              WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind = 'r' AND NOT c.relispartition
                AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
                AND c.relname NOT IN ('warehouse', 'arrival', 'settled') LOOP
        PERFORM create_reference_table('abdb.' || t);
    END LOOP;
END $$;
