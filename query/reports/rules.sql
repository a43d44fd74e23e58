-- title: Rules of comparability
-- question: what may not be compared, and who says so
-- group: May it be believed, and compared?
-- first: yes
-- footnotes: none
-- param: effect | text | | refuse, note or formula | SELECT DISTINCT effect FROM v_rule ORDER BY 1
-- column: rule | rule | | short name
-- column: effect | effect | | refuse: not comparable; note: said below the table; formula: part of a formula
-- column: about | about | | pairs that it speaks of
-- column: holds | where | cut60 | when it holds
-- column: sentence | says | | what it says
-- column: source | source | | who says so
-- column: locator | place | cut40 | where
SELECT rule, effect, CASE WHEN scope_factor IS NULL THEN 'every pair' ELSE scope_factor || ' ' || scope_value END AS about,
       CASE test WHEN 'differ' THEN factor || ' differs'
                 WHEN 'pair' THEN factor || ' is ' || a || ' on one side and ' || replace(b, '!', 'not ') || ' on the other'
                 WHEN 'either' THEN factor || ' is ' || a || ' on a side'
                 WHEN 'needed' THEN 'a factor that the workload needs is unknown'
                 ELSE 'in the formula' END AS holds,
       sentence, source, locator
  FROM v_rule WHERE :effect IS NULL OR effect = :effect
 ORDER BY effect = 'formula', effect = 'note', rule LIKE 'mlperf%' DESC, rule;
