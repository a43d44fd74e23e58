-- title: Spellings that no alias explains
-- footnotes: none
-- param: kind | text | device | device, model, submitter or system | SELECT DISTINCT kind FROM v_name ORDER BY 1
-- column: spelling | spelling | cut70 | as published
-- column: results | results | | values that carry it
SELECT n.kind, n.spelling,
       CASE n.kind WHEN 'device' THEN (SELECT count(*) FROM v_statement s WHERE s.raw_device = n.spelling)
                   WHEN 'model' THEN (SELECT count(*) FROM v_statement s WHERE s.model = n.spelling) END AS results,
       CASE n.kind WHEN 'device' THEN (SELECT group_concat(result_id, ' ') FROM v_statement s WHERE s.raw_device = n.spelling)
                   WHEN 'model' THEN (SELECT group_concat(result_id, ' ') FROM v_statement s WHERE s.model = n.spelling) END AS _facts
  FROM v_name n WHERE n.how = 'unresolved' AND n.kind = :kind ORDER BY results DESC, n.spelling;
