-- title: Latency against throughput of serving, measured here
-- question: latency against throughput, and goodput, of a language model served here
-- group: What was measured here?
-- site: Measured here
-- param: latency | text | tpot_s | ttft_s, tpot_s, itl_s or latency_s
-- param: statistic | text | p99 | of the latency: median, p90, p99
-- param: backend | text | | one backend
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- param: usd_per_hour | number | | what an hour of one device costs you: for dollars per million tokens, of whole models
-- column: model | model | | of a slice of its layers: how many of how many
-- column: dtype | dtype | | number format; of weights where they have another
-- column: layout | pages | | list: of blocks that are used; table: padded to the longest
-- column: arrivals | arrivals | | closed: users who wait for an answer; poisson: at a rate
-- column: load | load | g4 | users, or requests a second
-- column: batch | batch | | requests in the network, at most
-- column: in_flight | in flight | 1 | mean requests that get a token in one step
-- column: ttft_ms | TTFT ms | g4 | from the arrival to the first token, median
-- column: ttft_p99_ms | p99 | g4 | of the same
-- column: tpot_ms | TPOT ms | g4 | for each token after the first, median
-- column: tpot_p99_ms | p99 | g4 | of the same
-- column: latency_ms | latency ms | g4 | that was asked for
-- column: tokens_per_s | tokens/s | g5 | that were made
-- column: requests_per_s | requests/s | g4 |
-- column: good_percent | good % | 0 | of the requests within the limits of MLPerf's Server scenario
-- column: interactive_percent | interactive % | 0 | within those of its Interactive category
-- column: limits | limits | | of which benchmark of MLPerf
-- column: device | device | cut24 |
-- column: backend | backend | |
-- column: usd_per_million | USD/Mtoken | g4 | tokens that were made; not of a slice
-- column: latency_kind | latency | | TTFT, TPOT, ITL (time to the first token, per output token, between tokens) or latency
-- hoist: device backend model dtype limits latency_kind
-- note: limits of MLPerf Inference hold there for the 99th percentile of all requests and for its own models and data; here they are counted request by request
-- @table run
WITH wanted (campaign) AS (
  SELECT DISTINCT campaign FROM v_run WHERE tag = :tag
  UNION SELECT :campaign WHERE :tag IS NULL AND :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel = 'llama-serve')
                 ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :tag IS NULL AND :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :tag IS NULL AND :campaign = 'all')
SELECT k.entry_id, k.device, k.backend, k.dtype, k.date, k.key, k.slice FROM v_kernel k
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND (:tag IS NULL OR k.tag = :tag) AND k.kernel = 'llama-serve' AND k.status = 'ok' AND k.verified = 'pass'
   AND (:backend IS NULL OR k.backend = :backend)
-- @table stated
SELECT r.entry_id, max(CASE WHEN f.factor = 'model' THEN f.text END) AS model, max(CASE WHEN f.factor = 'weights' THEN f.text END) AS weights,
       max(CASE WHEN f.factor = 'layout' THEN f.text END) AS layout, max(CASE WHEN f.factor = 'arrivals' THEN f.text END) AS arrivals,
       max(CASE WHEN f.factor IN ('concurrency', 'rate') THEN f.num END) AS load, max(CASE WHEN f.factor = 'batch' THEN f.num END) AS batch,
       max(CASE WHEN f.factor = 'limits' THEN f.text END) AS limits
  FROM run r JOIN v_run_factor f ON f.entry_id = r.entry_id GROUP BY r.entry_id
-- @table value
SELECT r.entry_id, max(CASE WHEN v.metric = 'ttft_s' AND v.statistic = 'median' THEN v.value END) AS ttft_s,
       max(CASE WHEN v.metric = 'ttft_s' AND v.statistic = 'p99' THEN v.value END) AS ttft_p99,
       max(CASE WHEN v.metric = 'tpot_s' AND v.statistic = 'median' THEN v.value END) AS tpot_s,
       max(CASE WHEN v.metric = 'tpot_s' AND v.statistic = 'p99' THEN v.value END) AS tpot_p99,
       max(CASE WHEN v.metric = :latency AND v.statistic = :statistic THEN v.value END) AS latency_s,
       max(CASE WHEN v.metric = 'tokens_per_s' THEN v.total END) AS tokens_per_s, max(CASE WHEN v.metric = 'tokens_per_s' THEN v.result_id END) AS tokens_id, max(CASE WHEN v.metric = 'requests_per_s' THEN v.total END) AS requests_per_s,
       max(CASE WHEN v.metric = 'goodput_requests_per_s' THEN v.total END) AS good,
       max(CASE WHEN v.metric = 'goodput_interactive_requests_per_s' THEN v.total END) AS interactive,
       max(CASE WHEN v.metric = 'requests_in_flight' THEN v.value END) AS in_flight
  FROM run r JOIN v_result v ON v.entry_id = r.entry_id GROUP BY r.entry_id
-- @rows
SELECT t.model || coalesce(' (' || r.slice || ')', '') AS model,
       r.dtype || CASE WHEN t.weights <> 'same' THEN ', weights ' || t.weights ELSE '' END AS dtype, t.layout, t.arrivals, t.load, t.batch, v.in_flight,
       1000 * v.ttft_s AS ttft_ms, 1000 * v.ttft_p99 AS ttft_p99_ms, 1000 * v.tpot_s AS tpot_ms, 1000 * v.tpot_p99 AS tpot_p99_ms,
       1000 * v.latency_s AS latency_ms, v.tokens_per_s, v.requests_per_s, 100 * v.good / v.requests_per_s AS good_percent,
       100 * v.interactive / v.requests_per_s AS interactive_percent, t.limits, r.device, r.backend, CASE WHEN r.slice IS NULL THEN :usd_per_hour * (SELECT a.at_one FROM v_at_price a
           WHERE a.result_id = v.tokens_id AND a.formula = 'usd_per_million_tokens@1') END AS usd_per_million,
       CASE :latency WHEN 'ttft_s' THEN 'TTFT' WHEN 'tpot_s' THEN 'TPOT' WHEN 'itl_s' THEN 'ITL' ELSE 'latency' END AS latency_kind,
       t.model || coalesce(' (' || r.slice || ')', '') || ', ' || t.layout || ', ' || t.arrivals || ', ' || r.dtype || CASE WHEN t.weights <> 'same' THEN ' ' || t.weights ELSE '' END || ', ' || r.backend AS _label,
       r.key AS _facts
  FROM run r JOIN stated t ON t.entry_id = r.entry_id JOIN value v ON v.entry_id = r.entry_id
 ORDER BY model, r.dtype, t.weights, r.backend, t.layout, t.arrivals, t.load, t.batch, r.key;
