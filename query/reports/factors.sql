-- title: What a workload declares about its factors
-- question: what a workload declares: which factors must agree, are free, are only reported, may not be unknown
-- group: May it be believed, and compared?
-- footnotes: none
-- param: workload | text | | a workload, a kind of evidence, specification, environment or * | SELECT DISTINCT workload FROM v_workload_factor ORDER BY 1
-- param: role | text | | pair, load, agree, free or report | SELECT DISTINCT role FROM v_workload_factor ORDER BY 1
-- column: workload | workload | | most special first: workload, evidence, *
-- column: factor | factor | | name; * any other
-- column: role | role | | pair: like meets like; load: so does compare, rank takes the best; agree: a difference is said; free: the thing compared; report: only shown
-- column: needed | needed | | 1: it may not be unknown
-- column: why | why | | in words
SELECT workload, factor, role, needed, why FROM v_workload_factor
 WHERE (:workload IS NULL OR workload = :workload) AND (:role IS NULL OR role = :role)
 ORDER BY workload = '*', workload, role, factor;
