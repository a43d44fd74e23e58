/* record_linkage_flags.c - flags from all statements of one result, whichever is preferred: it was
 * run with power measurement, its value was inferred from another scenario, sources give it
 * different public IDs, one source gives one ID several values (a corrected result: the valid one
 * is not known). Words of subject.flags.
 *
 * inferred: a column of the submission checker may claim it; evidence decides. The log of the
 * result, else the equality of its value with that of another scenario of the same system by the
 * same source, else the column. Only rates of Offline, Server and Interactive can be equal:
 * MLCommons lets MultiStream be eight times a percentile of SingleStream.
 */
#include "schema/store/derive.h"

/* words: the flags with a blank around each, so that LIKE finds whole ones. */
static const char words_sql[] =
    "CREATE TEMP TABLE said AS"
    " SELECT s.result_id, s.subject, e.source, e.round, e.system_type, e.division, e.submitter,"
    "  e.system, e.platform, e.model, e.scenario, ' ' || e.flags || ' ' AS words,"
    "  ltrim(e.public_id, 'v') AS public_id,"
    "  r.value, q.metric, coalesce(q.formula, '') AS formula"
    "  FROM stated d CROSS JOIN description e ON e.description_id = d.description_id"
    "  CROSS JOIN entry_row w ON w.description_id = e.description_id"
    "  CROSS JOIN result_row r ON r.entry_id = w.entry_id"
    "  CROSS JOIN quantity q ON q.quantity_id = r.quantity_id"
    "  CROSS JOIN subject s ON s.result_id = r.result_id"
    "  JOIN metric m ON m.metric = q.metric AND m.metric_class IN ('performance', 'power');"
    "CREATE INDEX temp.said_subject ON said (subject);"
    "ANALYZE temp;"
    /* run with power measurement */
    "UPDATE subject SET flags = ltrim(flags || ' power') WHERE result_id IN ("
    "  SELECT result_id FROM said WHERE NOT words LIKE '% power %' AND metric <> 'power_w'"
    "   AND subject IN (SELECT subject FROM said"
    "                   WHERE words LIKE '% power %' OR metric = 'power_w'));"
    "DELETE FROM said WHERE metric = 'power_w';"
    /* inferred from another scenario */
    "CREATE TEMP TABLE claimed AS SELECT DISTINCT subject FROM said"
    "  WHERE words LIKE '% inferred %' OR words LIKE '% perhaps-inferred %'"
    "  OR formula LIKE 'mlperf-inferred%';"
    "CREATE TEMP TABLE other AS SELECT x.result_id,"
    "  max(abs(y.value - x.value) <= 5e-6 * x.value) AS equal"
    "  FROM claimed c JOIN said x ON x.subject = c.subject"
    "  JOIN said y ON y.source = x.source AND y.round IS x.round AND y.division IS x.division"
    "   AND y.system_type IS x.system_type AND y.submitter IS x.submitter AND y.system IS x.system"
    "   AND y.platform IS x.platform AND y.model IS x.model AND y.scenario <> x.scenario"
    "  WHERE x.scenario IN ('Offline', 'Server', 'Interactive')"
    "   AND y.scenario IN ('Offline', 'Server', 'Interactive') GROUP BY x.result_id;"
    "CREATE TEMP TABLE verdict AS SELECT c.subject, CASE"
    "   WHEN max(formula LIKE 'mlperf-inferred%') THEN 'inferred:log'"
    "   WHEN max(x.source = 'mlperf-logs') THEN 'not-inferred:log'"
    "   WHEN max(o.equal) THEN 'inferred:value'"
    "   WHEN max(o.equal = 0) THEN 'not-inferred:value'"
    "   WHEN max(words LIKE '% inferred %') THEN 'inferred:column'"
    "   ELSE 'inferred:unknown' END AS word"
    "  FROM claimed c JOIN said x ON x.subject = c.subject LEFT JOIN other o USING (result_id)"
    "  GROUP BY c.subject;"
    "UPDATE subject SET flags = ltrim(flags || ' ' ||"
    "  (SELECT v.word FROM verdict v WHERE v.subject = subject.subject))"
    " WHERE subject IN (SELECT subject FROM verdict)"
    "  AND result_id IN (SELECT result_id FROM said);"
    /* sources give it different public IDs */
    "UPDATE subject SET flags = ltrim(flags || ' ids-disagree') WHERE result_id IN ("
    "  SELECT result_id FROM said JOIN ("
    "   SELECT subject, max(ids) AS most FROM (SELECT subject, count(DISTINCT public_id) AS ids"
    "     FROM said GROUP BY subject, source) GROUP BY subject) USING (subject) JOIN ("
    "   SELECT subject, count(DISTINCT public_id) AS ids FROM said GROUP BY subject)"
    "   USING (subject) WHERE ids > most);"
    /* one ID of one source has several values */
    "UPDATE subject SET flags = ltrim(flags || ' conflict') WHERE result_id IN ("
    "  SELECT result_id FROM said s JOIN ("
    "   SELECT source, round, system_type, submitter, public_id, system, model, scenario, metric"
    "     FROM said WHERE public_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9"
    "   HAVING max(value) > min(value) * 1.0001) d"
    "   ON d.source = s.source AND d.round IS s.round AND d.system_type IS s.system_type"
    "   AND d.submitter IS s.submitter AND d.public_id = s.public_id AND d.system IS s.system"
    "   AND d.model IS s.model AND d.scenario IS s.scenario AND d.metric = s.metric);";

static const char drop[] = "DROP TABLE IF EXISTS temp.said; DROP TABLE IF EXISTS temp.claimed;"
                           "DROP TABLE IF EXISTS temp.other; DROP TABLE IF EXISTS temp.verdict";

abdb_status abdb_subject_add_power_inferred_id_flags(abdb_db *db, abdb_error *err)
{
    abdb_error ignored;
    abdb_status st = abdb_db_exec(db, words_sql, err);

    if (abdb_db_exec(db, drop, st == ABDB_OK ? err : &ignored) != ABDB_OK && st == ABDB_OK)
        st = ABDB_DB;
    return st;
}
