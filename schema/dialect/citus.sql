-- citus.sql - where the database has Citus: what grows lies on the workers by its entry, and what belongs to an entry with it; all else, the
-- vocabulary, is on every node. Run between the tables and the views, and again by an upgrade; what is spread already stays as it is.

DO $$
DECLARE
    t TEXT;
    grown CONSTANT TEXT[] := ARRAY['entry_row', 'result_row', 'sample_row', 'witness_row', 'telemetry', 'span', 'rank'];
    alone CONSTANT TEXT[] := ARRAY['warehouse', 'column_doc', 'arrival', 'settled']; -- of the coordinator: no query joins them to entries
BEGIN
    FOREACH t IN ARRAY grown LOOP
        CONTINUE WHEN t::REGCLASS IN (SELECT logicalrelid FROM pg_dist_partition);
        PERFORM create_distributed_table(t, 'entry_id', colocate_with => CASE t WHEN 'entry_row' THEN 'none' ELSE 'entry_row' END);
    END LOOP;
    FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'abdb'::REGNAMESPACE AND c.relkind = 'r' AND NOT c.relispartition
                AND c.relname <> ALL (grown) AND c.relname <> ALL (alone) AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
              ORDER BY 1 LOOP
        PERFORM create_reference_table(t);
    END LOOP;
    PERFORM create_distributed_function('printed(TEXT, BIGINT, BIGINT)');
    PERFORM create_distributed_function('ordered(TEXT)');
    PERFORM create_distributed_function('multiplied(DOUBLE PRECISION)');
END $$;
