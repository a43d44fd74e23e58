-- title: Sources: who says it, and how much
-- footnotes: none
-- column: source | source | | short name
-- column: kind | kind | | vendor, paper, blog, mlperf, price-list, program, user
-- column: results | results | | values of this source
-- column: preferred | preferred | | of these: stand for their result
-- column: specs | specs | | stated specifications
-- column: prices | prices | | stated prices
-- column: published | published | | date
-- column: retrieved | retrieved | | date; empty: not recorded
-- column: title | title | cut60 |
-- column: url | url | cut60 |
SELECT s.source, s.kind,
       (SELECT count(*) FROM v_statement r WHERE r.source = s.source) AS results,
       (SELECT count(*) FROM v_result r WHERE r.source = s.source) AS preferred,
       (SELECT count(*) FROM v_spec p WHERE p.source = s.source) AS specs,
       (SELECT count(*) FROM v_price p WHERE p.source = s.source) AS prices,
       s.published, s.retrieved, s.title, s.url,
       (SELECT group_concat(r.result_id, ' ') FROM v_statement r WHERE r.source = s.source) AS _facts_results,
       (SELECT group_concat(r.result_id, ' ') FROM v_result r WHERE r.source = s.source) AS _facts_preferred,
       (SELECT group_concat(p.spec_id, ' ') FROM v_spec p WHERE p.source = s.source) AS _facts_specs,
       (SELECT group_concat(p.price_id, ' ') FROM v_price p WHERE p.source = s.source) AS _facts_prices
  FROM v_source s ORDER BY s.rank, s.source;
