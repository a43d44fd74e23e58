-- title: Fixing of {kind} prices by tier
-- question: the median price of a device among the providers of one tier, their spread, who is left out and why
-- group: What does it cost?
-- site: Price and cost
-- param: today | date | | day of the fixing (default: today)
-- param: device | text | | one device | SELECT DISTINCT device FROM v_price ORDER BY 1
-- param: tier | text | | one kind of providers | SELECT DISTINCT kind FROM v_provider ORDER BY 1
-- param: kind | text | on-demand | on-demand, reserved, spot, list | SELECT DISTINCT kind FROM v_price UNION SELECT 'on-demand' ORDER BY 1
-- column: device | device | |
-- column: tier | tier | | kind of the providers
-- column: fixing | fixing† | 4 | median, USD per device and hour; none of fewer than three providers
-- column: n | n | | providers
-- column: low | low | 4 | the lowest of them
-- column: high | high | 4 | the highest of them
-- column: spread | high / low | 2 |
-- column: undated | undated | | of the n, prices whose age is not known
-- column: like_for_like | like for like† | 3 | geometric mean of today's price over the first one known of the same instance
-- column: pairs | pairs | | instances with two prices
-- column: since | since | | day of the earliest of these first prices
-- column: providers | providers | cut40 | whose prices these are
-- column: left_out | left out | cut60 | providers without a price that counts, and why
-- column: method | method | | name@version
-- column: day | day | | on which these prices count
-- hoist: method day tier
-- @table day
SELECT coalesce(:today, date('now')) AS day
-- @table stated
SELECT o.*, coalesce(v.kind, 'not known') AS tier, coalesce(o.last_day, '') <= d.day AND (o.valid_to IS NULL OR o.valid_to > d.day) AS counts
  FROM day d CROSS JOIN v_price_offer o LEFT JOIN v_provider v ON v.provider = o.provider
 WHERE o.kind = :kind AND (:device IS NULL OR o.device = :device) AND (:tier IS NULL OR v.kind = :tier COLLATE NOCASE)
-- @table taken
-- of each provider the largest instance, of that the lowest price
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device, provider ORDER BY offered DESC, per_device_hour, key) AS place FROM stated WHERE counts) WHERE place = 1
-- @table pair
-- what an instance costs now and what it cost first, where its source has a day for both
SELECT n.device, n.tier, n.per_device_hour / f.per_device_hour AS ratio, f.last_day AS since
  FROM stated n JOIN (SELECT *, row_number() OVER (PARTITION BY device, provider, instance, offered ORDER BY last_day, per_device_hour, key) AS place FROM stated WHERE last_day IS NOT NULL) f
    ON f.place = 1 AND f.device = n.device AND f.provider = n.provider AND f.instance = n.instance AND f.offered = n.offered
 WHERE n.counts AND n.first_day > f.last_day
   AND n.key = (SELECT x.key FROM stated x WHERE x.counts AND x.device = n.device AND x.provider = n.provider AND x.instance = n.instance AND x.offered = n.offered ORDER BY x.last_day DESC, x.per_device_hour, x.key LIMIT 1)
-- @table absent
SELECT p.device, coalesce(v.kind, 'not known') AS tier, p.provider,
       CASE min(CASE WHEN p.kind <> :kind THEN 4 WHEN p.per <> 'hour' THEN 3 WHEN p.currency <> 'USD' THEN 1 WHEN p.last_day > d.day THEN 0 ELSE 2 END)
            WHEN 0 THEN 'of a later day' WHEN 1 THEN 'in ' || max(p.currency) WHEN 2 THEN 'dated before its device existed' WHEN 3 THEN 'a purchase' ELSE 'only ' || group_concat(DISTINCT p.kind) END AS why
  FROM day d CROSS JOIN v_price p LEFT JOIN v_provider v ON v.provider = p.provider
 WHERE (:device IS NULL OR p.device = :device) AND (:tier IS NULL OR v.kind = :tier COLLATE NOCASE)
   AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.device = p.device AND t.provider = p.provider)
 GROUP BY p.device, p.provider
-- @rows
SELECT t.device, t.tier, CASE WHEN count(*) >= 3 THEN median(t.per_device_hour) END AS fixing, count(*) AS n, min(t.per_device_hour) AS low, max(t.per_device_hour) AS high,
       max(t.per_device_hour) / min(t.per_device_hour) AS spread, sum(t.valid_from IS NULL OR length(t.valid_from) = 21) AS undated,
       (SELECT exp(avg(ln(ratio))) FROM pair p WHERE p.device = t.device AND p.tier = t.tier) AS like_for_like,
       (SELECT nullif(count(*), 0) FROM pair p WHERE p.device = t.device AND p.tier = t.tier) AS pairs,
       (SELECT min(since) FROM pair p WHERE p.device = t.device AND p.tier = t.tier) AS since,
       (SELECT group_concat(provider, ', ') FROM (SELECT provider FROM taken x WHERE x.device = t.device AND x.tier = t.tier ORDER BY 1)) AS providers,
       (SELECT group_concat(provider || ': ' || why, '; ') FROM (SELECT * FROM absent x WHERE x.device = t.device AND x.tier = t.tier ORDER BY provider)) AS left_out,
       'fixing@1' AS method, (SELECT day FROM day) AS day, group_concat(t.key, ' ') AS _facts
  FROM taken t GROUP BY t.device, t.tier ORDER BY t.device, t.tier;
-- @notes
SELECT line FROM (
  SELECT 0 AS place, 'fixing@1: of each provider of one tier the largest instance, of that the lowest price that counts on the day; the median of at least three' AS line
  UNION ALL SELECT 1, 'left out: ' || device || ' of ' || tier || ': ' || group_concat(provider || ' ' || why, ', ') FROM absent a
   WHERE NOT EXISTS (SELECT 1 FROM taken t WHERE t.device = a.device AND t.tier = a.tier) GROUP BY device, tier
  UNION ALL SELECT 2, '† derived by abdb from stated prices')
 ORDER BY place, line;
